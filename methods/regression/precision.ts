import { overExpectedRows } from "@consilium/core/learning/expectedSums";
import { rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { lines, nameOf } from "@consilium/core/said";
import { trainingRows } from "@consilium/core/study/evaluation";
import type { ExpectedPrecision, Forecast, ForecastInput } from "@consilium/core/study/expectedPrecision";
import type { Feature } from "@consilium/core/study/features";
import { asExpected, noiseStdDev, type SoundStage, sitesAtLeast } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import type { ForecastSays } from "@consilium/words/says/forecast";
import { evaluationPrecision } from "../shared/forecast/evaluationPrecision.js";
import { expectedColumns, narrower, type Situation, situations } from "../shared/forecast/expectedRows.js";
import { regressionConversation } from "./conversation.js";
import { outcomeScale, reasonsFor } from "./estimates.js";
import { partOf, withOutcome } from "./expected.js";
import { openedStdDevs } from "./openedSum.js";
import { asRegression, type RegressionStudy, regressionLayout, usefulHalfWidth } from "./study.js";

const line = lines<ForecastSays>();

const ratios = { logistic: "odds ratio", poisson: "rate ratio", cox: "hazard ratio" } as const;
const unseen = {
  logistic: "forecast.odds-unseen",
  poisson: "forecast.rate-unseen",
  cox: "forecast.hazard-unseen",
} as const;

/** Columns that a forecast looks at: of more some of each kind stand for the others, with the noise of all. */
const maxColumns = 10;
/** Intervals of time that it looks at. */
const maxIntervals = 10;
/**
 * By which the noise of a forecast is larger than the plan's. A release's sums have noise in them, of which its intervals are the widest that
 * agree with any coefficients of the other columns; a forecast's have none, and it counts that variance a second time.
 */
const noiseTwice = Math.SQRT2;
/** Events that a coefficient should have at least. */
const eventsEach = 10;

/**
 * Of each column's coefficient over the column's whole range, of a category's usual level: by the study's own regression over rows that are
 * nobody's, at best and as is likely, with the rule that prints or withholds an interval.
 */
export async function precision(given: Study, input: ForecastInput): Promise<Forecast> {
  const study = asRegression(given);
  const { family, evaluation } = study.parameters;
  const { design, evaluation: measured } = regressionLayout(study);
  const best = await halfWidths(study, situations.best, input);
  const likely = await halfWidths(study, situations.likely, input);
  const { range } = outcomeScale(study);
  const unit = family === "linear" ? unitOf(study.features[design.roles.outcome!]!) : null;
  const shown = (half: number | null) => {
    if (half === null) return null;
    if (family === "linear") return half * range;
    const factor = Math.exp(half);
    return Number.isFinite(factor) ? factor : null;
  };
  const coefficients = design.blocks.map(({ feature }): ExpectedPrecision => {
    const kind = kindOf(study.features[feature]!);
    const atBest = shown(best.get(kind) ?? null);
    const asLikely = shown(likely.get(kind) ?? null);
    return {
      statistic: family === "linear" ? "difference" : ratios[family],
      of: study.features[feature]!.name,
      at: null,
      best: narrower(atBest, asLikely),
      likely: asLikely,
      useful: shown(usefulHalfWidth[family]),
      unit,
      rows: input.rows,
      isOfGroup: false,
    };
  });
  const told = evaluationPrecision(study, { stage: measured, evaluation, classes: 2 }, input);
  return { lines: [...coefficients, ...told], remarks: remarksOf(study, coefficients, input) };
}

function remarksOf(
  study: RegressionStudy,
  coefficients: readonly ExpectedPrecision[],
  { rows }: ForecastInput,
): string[] {
  const { family, evaluation } = study.parameters;
  const remarks: string[] = [];
  const seen = coefficients.flatMap(({ likely }) => (likely === null ? [] : [likely]));
  const epsilon = study.privacy === "none" ? 0 : study.privacy.epsilon;
  if (seen.length === 0) remarks.push(line("forecast.nothing-seen", { epsilon }));
  else {
    const least = Number(Math.min(...seen).toPrecision(2));
    const { unit } = coefficients[0]!;
    remarks.push(
      family === "linear"
        ? line("forecast.difference-unseen", {
            epsilon,
            difference: least,
            unit: unit === null ? null : nameOf(unit),
          })
        : line(unseen[family], { epsilon, ratio: least }),
    );
  }
  if (family === "linear") return remarks;
  const part = partOf(study);
  if (part === null) {
    if (family !== "poisson")
      remarks.push(line("forecast.events-assumed", { percent: 100 * situations.likely.part }));
    return remarks;
  }
  const { design } = regressionLayout(study);
  const events = trainingRows(evaluation, rows) * (family === "logistic" ? Math.min(part, 1 - part) : part);
  const all = design.blocks.reduce((sum, { width }) => sum + width, 0);
  if (events < eventsEach * all)
    remarks.push(line("forecast.few-events", { events: Math.round(events), coefficients: all }));
  return remarks;
}

const unitOf = (feature: Feature) => (feature.type === "numeric" ? (feature.unit ?? null) : null);

/** Columns of one kind are alike before anybody has seen them: numbers, and categories of as many levels. */
const kindOf = (feature: Feature) =>
  feature.type === "numeric" ? 0 : Math.min(feature.levels.length, maxColumns + 1);

/** Half of an interval's width of each kind, on the scale of the columns; null where it would be too imprecise to interpret. */
async function halfWidths(
  study: RegressionStudy,
  situation: Situation,
  { rows, answer, pause }: ForecastInput,
): Promise<Map<number, number | null>> {
  const smaller = asExpected(reduced(study));
  const { design, parameters: d } = regressionLayout(smaller);
  const trained = Math.max(1, Math.round(trainingRows(study.parameters.evaluation, rows)));
  const drawn = expectedColumns(smaller.features, situation, {
    rows: trained,
    maxRowsPerSite: smaller.participation.maxRowsPerSite,
  });
  const { fit } = await overExpectedRows({
    study: smaller,
    block: withOutcome(smaller, drawn, situation),
    rows: trained,
    answer,
    pause,
    run: (conversation) => regressionConversation({ study: smaller, conversation }),
  });
  const reasons = reasonsFor(smaller, fit);
  const found = new Map<number, number | null>();
  for (const { feature, from, width } of design.blocks) {
    const kind = kindOf(smaller.features[feature]!);
    if (found.has(kind)) continue;
    // Of a category the level in the middle, which is neither frequent nor rare.
    const j = from + Math.floor((width - 1) / 2);
    const row = new Float64Array(d);
    row[j] = 1;
    const interval = reasons[j] === null ? await fit.score.interval(row, { ...(pause && { pause }) }) : null;
    found.set(kind, interval === null ? null : (interval.high - interval.low) / 2);
  }
  return found;
}

/** Standard deviation of the noise of the score that intervals come from. */
function lastNoise(study: RegressionStudy): number {
  const layout = regressionLayout(study);
  const last: SoundStage = layout.gram ?? layout.sums.at(-1)!;
  const stdDev = noiseStdDev(asExpected(study), last, sitesAtLeast(study)) / last.integersPerUnit;
  return openedStdDevs(layout, last, stdDev).scoreStdDev;
}

/** The study at the ρ by which its score has this noise. */
function withNoise(study: RegressionStudy, stdDev: number): RegressionStudy {
  const { privacy } = study;
  if (privacy === "none") return study;
  const own = privacy.rho ?? rhoFromEpsilon(privacy);
  return { ...study, privacy: { ...privacy, rho: own * (lastNoise(study) / stdDev) ** 2 } };
}

const smallerOf = new WeakMap<RegressionStudy, RegressionStudy>();

/** The study with a few columns of each kind and no rows held out; the same where it has no more. */
function reduced(study: RegressionStudy): RegressionStudy {
  const known = smallerOf.get(study);
  if (known !== undefined) return known;
  const { design } = regressionLayout(study);
  const roles = Object.values(design.roles);
  const blocks = design.blocks.map(({ feature, width }) => ({
    feature,
    width: Math.min(width, maxColumns),
    kind: kindOf(study.features[feature]!),
  }));
  const kept = new Set<number>();
  let columns = 0;
  const keep = ({ feature, width }: (typeof blocks)[number]) => {
    if (kept.has(feature)) return;
    kept.add(feature);
    columns += width;
  };
  // One of each kind, and others while there is room.
  for (const [i, block] of blocks.entries())
    if (blocks.findIndex(({ kind }) => kind === block.kind) === i) keep(block);
  for (const block of blocks) if (columns + block.width <= maxColumns) keep(block);
  const features = study.features.flatMap((feature, f): Feature[] => {
    if (f === design.roles.time) return [fewIntervals(feature)];
    if (roles.includes(f)) return [feature];
    if (!kept.has(f)) return [];
    return feature.type === "numeric"
      ? [feature]
      : [{ ...feature, levels: feature.levels.slice(0, maxColumns + 1) }];
  });
  const parameters = { ...study.parameters, evaluation: "none" as const };
  if (parameters.family === "cox")
    parameters.intervals = Math.min(parameters.intervals ?? maxIntervals, maxIntervals);
  const smaller = { ...study, features, parameters };
  const found = withNoise(smaller, noiseTwice * lastNoise(study));
  smallerOf.set(study, found);
  return found;
}

function fewIntervals(feature: Feature): Feature {
  if (feature.type !== "numeric" || (feature.edges?.length ?? 0) < maxIntervals) return feature;
  const { edges: _, ...others } = feature;
  return others;
}

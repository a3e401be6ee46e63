import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import {
  evaluationForm,
  evaluationParameter,
  evaluationStage,
  evaluationWarnings,
  trainingRows,
  trainingShare,
} from "@consilium/core/study/evaluation";
import { unitsOf, weighsPatients } from "@consilium/core/study/patientWeights";
import type { BroadcastPlan, Plan } from "@consilium/core/study/plan";
import { soundStage } from "@consilium/core/study/soundStage";
import {
  asExpected,
  expectedSaid,
  fitsRing,
  noiseStdDev,
  planSoundSums,
  rowsExpected,
  rowsMost,
  type SoundStage,
  sitesAtLeast,
  sitesAtMost,
  soundIssues,
} from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import type { AnySaid } from "@consilium/words/said";
import type { PlanSays } from "@consilium/words/says/plans";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { binnedFeatures } from "../shared/columns/binning.js";
import { ringIssue } from "../shared/plans/ringIssue.js";
import { type ColumnRoles, type RegressionDesign, regressionDesign } from "./columns.js";
import { openedStdDevs } from "./openedSum.js";
import type { RegressionSays } from "./says.js";
import {
  coxSensitivity,
  coxStartLimit,
  logisticWeights,
  poissonSensitivity,
  type Sensitivity,
} from "./sensitivity.js";

/**
 * Regression with a proof, `method: regression`: coefficients with intervals from noisy joint sums of score and information. What it
 * computes and why it is private: docs/methods/regression.md. This file fixes everything that is public before a run.
 */

const line = lines<PlanSays & RegressionSays>();
const said = sentences<PlanSays & RegressionSays & StudyFaultSays>();

const columnNamed = z.string().min(1).max(128).optional();
const intervalsMost = 100;
const intervalsByDefault = 10;

export const regressionParameters = z.strictObject({
  family: z
    .enum(["logistic", "linear", "poisson", "cox"])
    .default("logistic")
    .describe(
      "`logistic`: odds ratios of the label's second level against its first. `linear`: differences in the mean of `outcome`. `poisson`: rate ratios of the counts in `outcome`. `cox`: hazard ratios of the label's level `event`, at the times in `time`.",
    ),
  outcome: columnNamed.describe(
    "The numeric feature that a linear or a Poisson regression explains by all others. Counts begin at 0; a count beyond `max` counts as `max`.",
  ),
  exposure: columnNamed.describe(
    "Of a Poisson regression: the numeric feature that counts are in proportion to, such as years of follow-up. Left out: each row counts alike.",
  ),
  time: columnNamed.describe(
    "Of a Cox regression: the numeric feature with the time of follow-up, from 0 to the horizon `max`, where those still followed are censored.",
  ),
  event: columnNamed.describe(
    "Of a Cox regression: the level of the label that is the event. Rows of every other level are censored at their time.",
  ),
  intervals: z
    .int()
    .min(1)
    .max(intervalsMost)
    .optional()
    .describe(
      `Of a Cox regression: intervals of equal width, ${intervalsByDefault} by default, within which the hazard is taken to be constant, where the time declares no edges.`,
    ),
  steps: z
    .int()
    .min(3)
    .max(20)
    .optional()
    .describe(
      "T: noisy sums, one after another, of any regression but a linear one: 6 by default of a logistic one, 5 of others. Without privacy as many are asked for as it takes.",
    ),
  maxHazard: z
    .number()
    .gt(0)
    .max(20)
    .optional()
    .describe(
      "Of a Cox regression: the cumulative hazard at which a patient's follow-up is cut: less is less noise, and more patients are cut. Left out: seven times the part of patients with the event by `participation.expectedEvents`, from 0.3 to 3, and 0.5 where that is left out. Without privacy it is 64, which hardly anybody outlives.",
    ),
  maxEvents: z
    .number()
    .gt(0)
    .max(1e6)
    .optional()
    .describe(
      "Of a Poisson regression: the most events that are expected of a row: where a count is further below its mean, it counts as that far below. Left out: half the outcome's `max`, and no less than 1 or `max`. Without privacy it is 16, or twice `max` where that is more.",
    ),
  seed: z
    .string()
    .min(1)
    .max(100)
    .default("consilium")
    .describe("Public: what decides which rows are held out."),
  evaluation: evaluationParameter,
});

/** The keys that `analysis: regression` adds to a study. */
export const regressionSection = {
  analysis: z.literal("regression"),
  method: z
    .literal("regression")
    .describe("Odds, rate or hazard ratios, or differences in means, with intervals."),
  variant: z.literal("sound", { error: line("regression.variant", {}) }),
  parameters: regressionParameters,
};

/** A study of regression. */
export type RegressionStudy = StudyWith<typeof regressionSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong analysis */
export function asRegression(study: Study): RegressionStudy {
  if (study.method === "regression") return study as RegressionStudy;
  throw new RangeError(`${study.analysis}, method ${study.method}, is not regression`);
}

type Keys = Readonly<Record<string, unknown>>;

/** A study may leave its parameters out, and only a logistic regression holds rows out. */
export function withFamilyDefaults(raw: Keys): Keys {
  const parameters = (raw.parameters ?? {}) as Keys;
  const isLogistic = parameters.family === undefined || parameters.family === "logistic";
  const holdsNoneOut = !isLogistic && parameters.evaluation === undefined;
  return { ...raw, parameters: holdsNoneOut ? { ...parameters, evaluation: "none" } : parameters };
}

/** In a new study negative counts, exposures and times are refused row by row. */
export function withNegativesRefused(raw: Keys): Keys {
  const { features } = raw;
  const { family, outcome, exposure, time } = (raw.parameters ?? {}) as Keys;
  if (!Array.isArray(features) || (family !== "poisson" && family !== "cox")) return raw;
  const named: unknown[] = family === "poisson" ? [outcome, exposure] : [time];
  const refusing = (feature: unknown) =>
    typeof feature === "object" && feature !== null && "name" in feature && named.includes(feature.name)
      ? { below: "reject-row", ...feature }
      : feature;
  return { ...raw, features: features.map(refusing) };
}

/** The name of the broadcast: coefficients on the scale of the columns, one a column. */
export const coefficientsName = "coefficients";
/** The name of the broadcast of a Cox regression: [K] log hazards of the intervals, in units of the horizon. */
export const baselineName = "baseline";
/** The name of the broadcast of a linear regression: [1] c, where residuals are cut, in parts of the outcome's range. */
export const residualLimitName = "residualLimit";
/** Coefficients are broadcast as multiples of 2^-40, so fine that a gradient of 10⁹ rows can come to 0; none further from 0 than this. */
export const coefficientExponent = 40;
export const coefficientMost = 1024;

export const regressionStages = {
  gram: "gram" as StageId,
  squares: "squares" as StageId,
  start: "start" as StageId,
  sum: (number: number) => `sum-${number}` as StageId,
};

/**
 * Columns are cut to multiples of 2^-h: of the finest grid whose sums 64-bit numbers hold. Counts without privacy are in units of the largest
 * mean, so that an event is small beside it.
 */
const gridExponents = {
  counts: [25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10],
  vector: [22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10],
  gram: [16, 15, 14, 13, 12, 11, 10],
} as const;
/**
 * A record adds d(d + 3)/2 numbers: with 400 coefficients 0.7 ms, so that a million rows take some twelve minutes a sum. A linear
 * regression's products are added by matrices, and its one matrix of this order is factored.
 */
const coefficientsMost = { summed: 400, linear: 500 } as const;

export interface RegressionLayout {
  readonly family: RegressionStudy["parameters"]["family"];
  readonly design: RegressionDesign;
  /** Columns of the design, the intercept first but of a Cox regression: the length of the broadcast `coefficients`. */
  readonly columns: number;
  /** K; 0 of other families. */
  readonly intervals: number;
  /** d: the columns, and of a Cox regression the K log hazards after them. */
  readonly parameters: number;
  /** B²: in units of 1 the largest squared length of a record's columns, of a Cox regression with its interval beside them. */
  readonly squaredNorm: number;
  /** Linear: a = (x, y); aa' is summed. Null of others. */
  readonly gram: SoundStage | null;
  /** Linear, of many rows: aa' of a = |q|·x, q the residual over c, cut to [-1, 1]. */
  readonly squares: SoundStage | null;
  /** Poisson and Cox: events and exposures, before coefficients. */
  readonly start: SoundStage | null;
  /** Score and information in one, at coefficients that are broadcast; the first of a logistic regression at 0. Empty of a linear one. */
  readonly sums: readonly SoundStage[];
  /** Weight of the information in each of `sums`: entries are √(weight/B²)·Σ w·xx', √2 times that off the diagonal. */
  readonly informationWeights: readonly number[];
  readonly evaluation: SoundStage | null;
  /** A Poisson regression's count, and the exposure that it is in proportion to; null of other families. */
  readonly count: FeatureMost | null;
  readonly exposure: FeatureMost | null;
  /** A Cox regression's time, [K + 1] the ends of its intervals from 0 to the horizon, and the event's place among the label's levels. */
  readonly followUp: {
    readonly feature: number;
    readonly edges: readonly number[];
    readonly event: number;
  } | null;
  /** C: the largest cumulative hazard that a patient is followed to, or the number of events that a residual's lower bound is; 1 of others. */
  readonly cap: number;
  /** R: residuals are summed in units of this; max(Y, C) of a Poisson regression, 1 of others. */
  readonly unit: number;
}

interface FeatureMost {
  /** Index into the study's features. */
  readonly feature: number;
  /** Its declared max. */
  readonly most: number;
}

const layouts = new WeakMap<RegressionStudy, RegressionLayout>();

/** @throws RangeError where `regressionIssues` finds a fault */
export function regressionLayout(study: RegressionStudy): RegressionLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const layout = fittingLayout(study);
  if (layout === null) throw new RangeError("no grid fits this study");
  layouts.set(study, layout);
  return layout;
}

function fittingLayout(study: RegressionStudy): RegressionLayout | null {
  const { family } = study.parameters;
  const areCounts = family === "poisson" && study.privacy === "none";
  for (const exponent of gridExponents[family === "linear" ? "gram" : areCounts ? "counts" : "vector"]) {
    const layout = layOut(study, exponent);
    if (isWritable(layout) && fitsRing(study, stagesOf(layout))) return layout;
  }
  return null;
}

/** True where a record's integers are below 2^31 and their squares add up exactly. */
function isWritable(layout: RegressionLayout): boolean {
  return stagesOf(layout).every(
    ({ query }) => query.kind !== "vector" || (query.limit < 2 ** 53 && query.limit < (2 ** 31 - 1) ** 2),
  );
}

function layOut(study: RegressionStudy, gridExponent: number): RegressionLayout {
  const { parameters, features } = study;
  const { family } = parameters;
  const roles = rolesOf(study);
  const design = regressionDesign(features, roles, gridExponent, family !== "cox");
  const columns = design.columns.length;
  const mostOf = (feature: number | null): FeatureMost | null => {
    const declared = feature === null ? undefined : features[feature];
    return declared?.type === "numeric" ? { feature: feature!, most: declared.max } : null;
  };
  const followUp = followUpOf(study, roles.time);
  const intervals = followUp === null ? 0 : followUp.edges.length - 1;
  const one = 4 ** gridExponent;
  const count = family === "poisson" ? mostOf(roles.outcome) : null;
  const cap = capOf(study, count);
  const none = { gram: null, squares: null, start: null, sums: [], informationWeights: [], evaluation: null };
  const common = {
    ...none,
    family,
    design,
    columns,
    intervals,
    parameters: columns + intervals,
    squaredNorm: (design.squaredNormLimit + (family === "cox" ? one : 0)) / one,
    count,
    exposure: mostOf(roles.exposure),
    followUp,
    cap,
    unit: count === null ? 1 : Math.max(count.most, cap),
  };
  if (family === "linear") return { ...common, ...linearStages(study, common) };
  return { ...common, ...summedStages(study, common) };
}

type Common = Omit<
  RegressionLayout,
  "gram" | "squares" | "start" | "sums" | "informationWeights" | "evaluation"
>;

/** Expected rows from which on a linear regression's variances are asked for, and the part of ρ that they cost. */
const squaresFromRows = 2_000;
const squaresShare = 0.1;

function linearStages(study: RegressionStudy, { design, columns }: Common) {
  const { squaredNormLimit: limit, gridExponent } = design;
  const hasSquares = study.privacy !== "none" && expectedRowsOf(study) >= squaresFromRows;
  const gram = soundStage({
    id: regressionStages.gram,
    broadcasts: [],
    share: hasSquares ? 1 - squaresShare : 1,
    query: { kind: "gram", parts: 1, order: columns + 1, limit: limit + 4 ** (gridExponent - 1) },
    integersPerUnit: 4 ** gridExponent,
    what: said("regression.gram", { columns, outcome: nameOf(study.parameters.outcome!) }),
  });
  if (!hasSquares) return { gram };
  const squares = soundStage({
    id: regressionStages.squares,
    broadcasts: [
      { name: coefficientsName, length: columns },
      { name: residualLimitName, length: 1 },
    ],
    share: squaresShare,
    query: { kind: "gram", parts: 1, order: columns, limit },
    integersPerUnit: 4 ** gridExponent,
    what: said("regression.squares", { columns }),
  });
  return { gram, squares };
}

function summedStages(study: RegressionStudy, common: Common) {
  const { family, columns: p, intervals: K, parameters: d, followUp } = common;
  const { evaluation } = study.parameters;
  const training = trainingShare(evaluation);
  const { gridExponent } = common.design;
  const one = 4 ** gridExponent;
  const told: BroadcastPlan[] = [
    { name: coefficientsName, length: p },
    ...(K === 0 ? [] : [{ name: baselineName, length: K }]),
  ];
  const isPath = study.privacy === "none";
  const shares = isPath ? sharesWithoutNoise(family) : sharesOf(family, study.parameters.steps);
  const vector = (id: StageId, share: number, length: number, limit: number, what: AnySaid) => ({
    id,
    broadcasts: told,
    share: training * share,
    query: { kind: "vector", parts: 1, length, limit } as const,
    integersPerUnit: 2 ** gridExponent,
    what,
  });
  const start =
    family === "logistic"
      ? null
      : soundStage({
          ...vector(
            regressionStages.start,
            shares[0]!,
            family === "poisson" ? 2 : 2 * K,
            followUp === null ? 2 * one : coxStartLimit(one, followUp.edges),
            family === "poisson"
              ? said("regression.exposures", {})
              : said("regression.follow-up", { intervals: K }),
          ),
          broadcasts: [],
        });
  const length = {
    logistic: d + (d * (d + 1)) / 2,
    poisson: d + (d * (d + 1)) / 2 + 2,
    cox: d + (p * (p + 1)) / 2 + p * K + K + 1,
  }[family as SummedFamily];
  const sums = shares.slice(start === null ? 0 : 1).map((share, i) => {
    const { limit, weight } = sensitivityOf(common, i === 0);
    const what = said(`regression.sums-${family as SummedFamily}`, { parameters: d });
    const stage = soundStage({
      ...vector(regressionStages.sum(i + 1), share, length, limit, what),
      broadcasts: family === "logistic" && i === 0 ? [] : told,
      ...(isPath && i > 0 ? { mayBeSkipped: true as const } : {}),
    });
    return { stage, weight };
  });
  return {
    start,
    sums: sums.map(({ stage }) => stage),
    informationWeights: sums.map(({ weight }) => weight),
    evaluation: evaluationStage(evaluation, evaluationForm(2), told),
  };
}

/** @param isFirst - at coefficients of 0, of a logistic regression */
function sensitivityOf({ family, design, count, cap }: Common, isFirst: boolean): Sensitivity {
  const lengths = { squaredNormLimit: design.squaredNormLimit, one: 4 ** design.gridExponent };
  if (family === "poisson") return poissonSensitivity(lengths, { count: count!.most, cap });
  if (family === "cox") return coxSensitivity(lengths, { cap });
  return isFirst
    ? { weight: logisticWeights.start, limit: Math.floor(design.squaredNormLimit / 2) }
    : { weight: logisticWeights.later, limit: design.squaredNormLimit };
}

type SummedFamily = "logistic" | "poisson" | "cox";

/** Shares of training, `start` among them, where a study leaves their number open. */
const defaultShares = {
  logistic: [0.02, 0.05, 0.06, 0.09, 0.18, 0.6],
  others: [0.04, 0.06, 0.1, 0.2, 0.6],
} as const;
/** The last sum is what intervals come from; before it each has the same multiple of the one before, over all the tenfold. */
const lastShare = 0.6;
const shareGrowth = 10;
/** Sums where there is no noise: Newton's steps reach a gradient of 0 in fewer. */
export const sumsWithoutNoise = 25;

function sharesOf(family: Family, steps: number | undefined): readonly number[] {
  const usual = defaultShares[family === "logistic" ? "logistic" : "others"];
  if (steps === undefined || steps === usual.length) return usual;
  const parts = powersTo(shareGrowth, steps - 1);
  const all = parts.reduce((sum, part) => sum + part, 0);
  return [...parts.map((part) => ((1 - lastShare) * part) / all), lastShare];
}

/** Powers of one ratio from 1 to `last`, by halving and products alone, which every program rounds alike. @param count - 2 or more */
function powersTo(last: number, count: number): number[] {
  const powersOf = (ratio: number) => {
    const powers = [1];
    while (powers.length < count) powers.push(powers.at(-1)! * ratio);
    return powers;
  };
  let [low, high] = [1, last];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (powersOf(middle).at(-1)! < last) low = middle;
    else high = middle;
  }
  return powersOf(high);
}

/** Equal parts, of no account: without privacy nothing is charged. */
function sharesWithoutNoise(family: Family): readonly number[] {
  const stages = sumsWithoutNoise + (family === "logistic" ? 0 : 1);
  return Array.from({ length: stages }, () => 1 / stages);
}

type Family = RegressionStudy["parameters"]["family"];

/**
 * Without privacy nothing is cut for its sake. Integers still need an end: a cumulative hazard that no patient outlives, and means of so many
 * times the largest count that is declared, or of so many events.
 */
const capWithoutNoise = { hazard: 64, counts: 2, count: 16 } as const;
/** A cap on cumulative hazards by the expected part of patients with an event: of seven times that hardly any patient has more. */
const hazardsOfMean = 7;
const capLeast = 0.3;
const capMost = 3;
/** Cap of a study that expects no number of events: the score's noise is 1.09 times that of a logistic regression, where 3 has 4.3 times. */
const capUnexpected = 0.5;

function capOf(study: RegressionStudy, count: FeatureMost | null): number {
  const { maxHazard, maxEvents, family } = study.parameters;
  if (family === "poisson") {
    const most = count?.most ?? 1;
    if (study.privacy === "none") return Math.max(capWithoutNoise.count, capWithoutNoise.counts * most);
    return maxEvents ?? Math.max(most / 2, Math.min(most, 1));
  }
  if (family !== "cox") return 1;
  if (study.privacy === "none") return capWithoutNoise.hazard;
  const part = expectedEventPart(study);
  return (
    maxHazard ?? (part === null ? capUnexpected : Math.min(capMost, Math.max(capLeast, hazardsOfMean * part)))
  );
}

/** Part of the patients who are expected to have the event; null where a study declares none. */
function expectedEventPart(study: RegressionStudy): number | null {
  const { expectedEvents } = study.participation;
  return expectedEvents === undefined ? null : Math.min(1, expectedEvents / expectedRowsOf(study));
}

/** By the text alone: a plan keeps its stages when the roster is fixed. */
function expectedRowsOf({ participation }: RegressionStudy): number {
  const { expectedRows, sites, minimumSites, maxRowsPerSite } = participation;
  return expectedRows ?? ((sites?.length ?? minimumSites) * maxRowsPerSite) / 2;
}

/** Which features are no columns; null also where what the parameters name is not a numeric feature. */
function rolesOf({ features, parameters }: RegressionStudy): ColumnRoles {
  const { family, outcome, exposure, time } = parameters;
  const placeOf = (name: string | undefined) => {
    const at = features.findIndex((feature) => feature.name === name && feature.type === "numeric");
    return name === undefined || at < 0 ? null : at;
  };
  return {
    outcome: family === "linear" || family === "poisson" ? placeOf(outcome) : null,
    exposure: family === "poisson" ? placeOf(exposure) : null,
    time: family === "cox" ? placeOf(time) : null,
  };
}

function followUpOf({ features, label, parameters }: RegressionStudy, time: number | null) {
  const declared = time === null ? undefined : features[time]!;
  if (declared?.type !== "numeric" || label === undefined) return null;
  const [binned] = binnedFeatures([declared], parameters.intervals ?? intervalsByDefault);
  const edges = [0, ...binned!.edges, declared.max];
  return { feature: time!, edges, event: label.levels.indexOf(parameters.event ?? "") };
}

/** All stages of a study, in their order. */
export function stagesOf({ gram, squares, start, sums, evaluation }: RegressionLayout): SoundStage[] {
  return [gram, squares, start, ...sums, evaluation].filter((stage) => stage !== null);
}

/** Faults that only the whole study shows. */
export function regressionIssues(study: RegressionStudy): MethodIssue[] {
  const { family } = study.parameters;
  const first = [...outcomeIssues(study), ...soundIssues(study, { isOfCounts: family === "poisson" })];
  if (first.length > 0) return first;
  const roles = rolesOf(study);
  const { columns } = regressionDesign(study.features, roles, 0, family !== "cox");
  const intervals = (followUpOf(study, roles.time)?.edges.length ?? 1) - 1;
  const coefficients = columns.length + intervals;
  const most = coefficientsMost[family === "linear" ? "linear" : "summed"];
  if (coefficients > most)
    return [[["features"], said("regression.many-coefficients", { coefficients, max: most })]];
  const layout = fittingLayout(study);
  if (layout === null) return [ringIssue];
  if (study.privacy === "none" || bearableColumns(study, rowsMost(study)) > 0) return [];
  const params = { rows: rowsMost(study), units: unitsOf(study), coefficients: predictingColumns(layout) };
  return [[["privacy", "epsilon"], said("regression.no-interval", params)]];
}

/** Parameters that a family uses beside those of all; a study may state no others. */
const ownParameters = {
  logistic: ["steps"],
  linear: ["outcome"],
  poisson: ["outcome", "exposure", "steps", "maxEvents"],
  cox: ["time", "event", "intervals", "steps", "maxHazard"],
} as const;
const someParameters = [
  "outcome",
  "exposure",
  "time",
  "event",
  "intervals",
  "steps",
  "maxHazard",
  "maxEvents",
] as const;

function outcomeIssues(study: RegressionStudy): MethodIssue[] {
  const { parameters, features } = study;
  const { family, evaluation } = parameters;
  const own: readonly string[] = ownParameters[family];
  const issues: MethodIssue[] = someParameters
    .filter((name) => parameters[name] !== undefined && !own.includes(name))
    .map((name) => [
      ["parameters", name],
      said("regression.other-parameter", { families: familiesWith(name), family: nameOf(family) }),
    ]);
  issues.push(...labelIssues(study));
  if (family !== "logistic" && evaluation !== "none")
    issues.push([
      ["parameters", "evaluation"],
      said("regression.holds-none-out", { family: nameOf(family) }),
    ]);
  if (family === "linear" || family === "poisson") issues.push(...roleIssues(study, "outcome"));
  if (family === "poisson" && parameters.exposure !== undefined)
    issues.push(...roleIssues(study, "exposure"));
  if (family === "cox") issues.push(...roleIssues(study, "time"));
  const rows = study.patient?.maxRows ?? 1;
  if (family === "cox" && rows > 1) issues.push([["patient", "maxRows"], said("fault.patient-one-row", {})]);
  else if (rows > 1 && !weighsPatients(study))
    issues.push([["patient", "weighting"], said("plan.unweighted-rows", { rows })]);
  const explained = new Set(Object.values(rolesOf(study)).filter((at) => at !== null));
  if (issues.length === 0 && features.length === explained.size)
    issues.push([["features"], said("regression.feature-needed", {})]);
  return issues;
}

const familiesWith = (name: string) =>
  Object.entries(ownParameters)
    .filter(([, names]) => (names as readonly string[]).includes(name))
    .map(([family]) => nameOf(family));

function labelIssues({ parameters, label }: RegressionStudy): MethodIssue[] {
  const { family, event } = parameters;
  if (family === "linear" || family === "poisson")
    return label === undefined ? [] : [[["label"], said("regression.no-label", { family: nameOf(family) })]];
  if (label === undefined) return [[["label"], said("regression.label-missing", { family: nameOf(family) })]];
  const levels = label.levels.map(nameOf);
  if (family === "logistic")
    return label.levels.length === 2
      ? []
      : [[["label", "levels"], said("regression.two-levels", { levels: levels.length })]];
  const path = ["parameters", "event"];
  if (event === undefined) return [[path, said("regression.event-missing", { levels })]];
  if (label.levels.includes(event)) return [];
  return [[path, said("fault.no-level", { level: nameOf(event), column: nameOf(label.name), levels })]];
}

/** Issues of a feature that is part of the outcome: counts from 0, exposures above 0, times from 0, none with a constant in place of what is missing. */
function roleIssues(
  { parameters, features }: RegressionStudy,
  role: "outcome" | "exposure" | "time",
): MethodIssue[] {
  const at = (found: AnySaid): MethodIssue[] => [[["parameters", role], found]];
  const name = parameters[role];
  if (name === undefined) return at(said("regression.role-missing", { role: nameOf(role) }));
  const index = features.findIndex((feature) => feature.name === name);
  const feature = features[index];
  if (feature?.type !== "numeric") return at(said("regression.not-numeric", { column: nameOf(name) }));
  if (parameters.family === "linear") return [];
  const issues: MethodIssue[] = [];
  const fault = (key: string, found: AnySaid) => issues.push([["features", index, key], found]);
  if (role === "exposure") {
    if (parameters.outcome === name) return at(said("regression.is-counted", { column: nameOf(name) }));
    if (!(feature.min > 0)) fault("min", said("regression.exposure-zero", {}));
  } else if (feature.min !== 0)
    fault("min", said(role === "time" ? "regression.time-zero" : "regression.counts-zero", {}));
  if (feature.below === undefined) fault("below", said("regression.value-below", { min: feature.min }));
  if (feature.missing !== "reject-row") fault("missing", said("regression.value-missing", {}));
  if (role === "time" && (feature.edges?.length ?? 0) >= intervalsMost)
    fault("edges", said("fault.follow-up-edges", { edges: feature.edges!.length, max: intervalsMost - 1 }));
  if (role === "time" && feature.edges?.at(-1) === feature.max)
    fault("edges", said("fault.horizon-edge", {}));
  return issues;
}

/** An interval is of use where it tells a ratio over a column's whole range to a factor of 4, or a linear outcome to a quarter. */
export const usefulHalfWidth = {
  logistic: Math.log(4),
  linear: 0.25,
  poisson: Math.log(4),
  cox: Math.log(4),
} as const;

const z95 = 1.96;

/** Number of the columns' coefficients that may have an interval of use with so many rows. */
function bearableColumns(study: RegressionStudy, rows: number): number {
  const most = usefulHalfWidth[study.parameters.family];
  return expectedHalfWidths(study, rows)
    .filter(({ halfWidth }) => halfWidth <= most)
    .reduce((sum, { width }) => sum + width, 0);
}

const predictingColumns = ({ design }: RegressionLayout) =>
  design.blocks.reduce((sum, { width }) => sum + width, 0);

/** Half-width of the intervals of a column's coefficients. */
interface ExpectedHalfWidth {
  /** The column's place in the study. */
  readonly feature: number;
  /** Number of its coefficients. */
  readonly width: number;
  /** Half-width of the interval at 95 %, over the column's whole range: a logarithm of a ratio, or a part of a linear outcome's range. */
  readonly halfWidth: number;
}

/** With so many rows, at best: for columns that are independent and even, and rows whose outcome is open. */
export function expectedHalfWidths(study: RegressionStudy, rows: number): ExpectedHalfWidth[] {
  const layout = regressionLayout(study);
  const expected = asExpected(study);
  const last = layout.gram ?? layout.sums.at(-1)!;
  const noise = noiseStdDev(expected, last, sitesAtLeast(study)) / last.integersPerUnit;
  const { scoreStdDev, informationStdDev } = openedStdDevs(layout, last, noise);
  const trained = trainingRows(study.parameters.evaluation, rows);
  const weight = expectedWeight(study, layout);
  const rowVariance = layout.family === "linear" ? 1 / 12 : 1;
  return layout.design.blocks.map(({ feature, width }) => {
    const share = 1 / (width + 1);
    const spread = study.features[feature]!.type === "numeric" ? 1 / 12 : share * (1 - share);
    const information = trained * spread * weight;
    // Fieller's interval: that of a slope whose information has noise.
    const known = information ** 2 - (z95 * informationStdDev) ** 2;
    const halfWidth =
      known > 0
        ? z95 * Math.sqrt((information * rowVariance + scoreStdDev ** 2) / known)
        : Number.POSITIVE_INFINITY;
    return { feature, width, halfWidth };
  });
}

/**
 * The mean weight of a row in the information: of as many events as are expected; where no number is declared, of an open outcome, an
 * event for a quarter of the patients, and means of an eighth of the largest count, which hardly any count exceeds.
 */
function expectedWeight(study: RegressionStudy, { family, count }: RegressionLayout): number {
  if (family === "linear") return 1;
  if (family === "poisson") return count!.most / 8;
  const part = expectedEventPart(study);
  if (part === null) return 1 / 4;
  return family === "cox" ? part : part * (1 - part);
}

const regressionProof = "docs/METHODS.md#regression-proof";

export function planRegression(study: RegressionStudy): Plan {
  return planSoundSums(study, () => {
    const layout = regressionLayout(study);
    return { stages: stagesOf(layout), proof: regressionProof, warnings: warningsOf(study, layout) };
  });
}

function warningsOf(study: RegressionStudy, layout: RegressionLayout): string[] {
  const warnings = sitesAtMost(study) > 1 ? [line("plan.hospitals-pooled", {})] : [];
  const { outcome } = study.parameters;
  if (layout.count !== null)
    warnings.push(line("plan.counts-beyond-max", { outcome: nameOf(outcome!), max: layout.count.most }));
  if (study.privacy === "none") return warnings;
  const all = predictingColumns(layout);
  const bearable = bearableColumns(study, rowsExpected(study));
  if (bearable < all)
    warnings.push(line("regression.few-rows", { expected: expectedSaid(study), bearable, of: all }));
  return [...warnings, ...evaluationWarnings(study, layout.evaluation, study.parameters.evaluation)];
}

import { z95 } from "@consilium/core/linalg/z95";
import type { Figure } from "@consilium/core/release/figures";
import type { ModelCard } from "@consilium/core/release/modelCard";
import type { ResultTable } from "@consilium/core/release/tables";
import { lines, nameOf, saidText } from "@consilium/core/said";
import { weighsPatients } from "@consilium/core/study/patientWeights";
import { soundSum } from "@consilium/core/study/soundSums";
import { proposedStep } from "@consilium/core/study/step";
import type { FindingSays } from "@consilium/words/says/findings";
import { evaluationFigures, modelCard } from "../shared/evaluation/evaluationCard.js";
import { calibrationOf } from "../shared/evaluation/evaluationResult.js";
import { missingClasses } from "../shared/evaluation/missingClasses.js";
import { interceptName } from "./columns.js";
import type { Noisy, RegressionResult } from "./conversation.js";
import type { Estimate, Imprecise } from "./estimates.js";
import { explainedOf } from "./explained.js";
import { fitOf, hazardsOf, type Tested } from "./model.js";
import type { RegressionSays } from "./says.js";
import { type RegressionStudy, regressionLayout } from "./study.js";

/** Facts, notes, tables, pictures and a card of a regression's release, beside its model. */

const line = lines<RegressionSays>();
const barsMost = 500;
const labelMost = 300;

/** Names of the coefficients of a family, and of exp(coefficient), a ratio. */
interface RatioWords {
  readonly unit: string;
  readonly ratio: string;
  readonly column: string;
}

const ratioWords: Readonly<Record<RegressionStudy["parameters"]["family"], RatioWords | null>> = {
  logistic: { unit: "log-odds", ratio: "odds ratio", column: "odds_ratio" },
  linear: null,
  poisson: { unit: "log rate", ratio: "rate ratio", column: "rate_ratio" },
  cox: { unit: "log hazard", ratio: "hazard ratio", column: "hazard_ratio" },
};

/** A share of patients that is cut above which the estimate is not Cox's. */
const coxCutShare = 0.002;

/** Name of the model in a title: what was estimated, and no more than that. */
function modelName(study: RegressionStudy, result: RegressionResult): string {
  switch (study.parameters.family) {
    case "logistic":
      return "logistic regression";
    case "linear":
      return "linear regression";
    case "poisson":
      return "Poisson regression";
    case "cox": {
      const cut = boundedShare(study, result);
      return cut === null || cut.share <= coxCutShare
        ? "Cox regression"
        : `piecewise exponential regression, follow-up to a cumulative hazard of ${short(regressionLayout(study).cap)}`;
    }
  }
}

/**
 * Share of rows at their bound, or of patients whose follow-up was cut, of at least as many rows as exposures show; null where no bound
 * was set. At most 1.
 */
function boundedShare(study: RegressionStudy, result: RegressionResult) {
  const { bounded } = result;
  if (bounded === null || study.privacy === "none") return null;
  const rows = Math.max(1, bounded.count, rowsAtLeast(study, result));
  const share = (count: number) => Math.min(1, Math.max(0, count / rows));
  const room = z95 * bounded.noiseStdDev;
  return {
    share: share(bounded.count),
    low: share(bounded.count - room),
    high: share(bounded.count + room),
  };
}

/** No row has more exposure than is declared, and no patient more time than the end of an interval. */
function rowsAtLeast(study: RegressionStudy, { fit }: RegressionResult): number {
  const { exposures, exposuresStdDev } = fit.start!;
  const { exposure, followUp } = regressionLayout(study);
  if (followUp === null) return exposures[0]! / (exposure?.most ?? 1);
  const { edges } = followUp;
  const horizon = edges.at(-1)!;
  let [sum, most] = [0, 0];
  exposures.forEach((lived, k) => {
    sum += lived;
    const known = sum - 2 * exposuresStdDev * Math.sqrt(k + 1);
    most = Math.max(most, (known * horizon) / edges[k + 1]!);
  });
  return most;
}

export function regressionFacts(
  study: RegressionStudy,
  { fit, noiseStdDevs }: RegressionResult,
): Record<string, string | number | boolean | null> {
  const { gram, sums, columns } = regressionLayout(study);
  const last = gram ?? sums[Math.min(sums.length, fit.opened.length) - 1]!;
  return {
    masking: `pairwise, in the ring of integers modulo 2^${soundSum(study, last).ringBits}`,
    family: study.parameters.family,
    coefficients: columns,
    sums: Object.keys(noiseStdDevs).length,
    noise: study.privacy === "none" ? "none" : "discrete Gaussian, a share from every site",
    lastNoiseStdDev: noiseStdDevs[last.id]!,
    converged: fit.hasArrived,
    lastChange: fit.score.change,
  };
}

export function regressionNotes(
  study: RegressionStudy,
  result: RegressionResult,
  estimates: readonly Estimate[],
): string[] {
  const { fit } = result;
  const { family } = study.parameters;
  const hasNoise = study.privacy !== "none";
  return [
    coefficientNote(study, result),
    ...eventNotes(study, result),
    ...(family === "linear" && regressionLayout(study).squares === null
      ? [line("regression.equal-variances", {})]
      : []),
    line("regression.intervals", { noise: hasNoise ? 1 : 0 }),
    line("regression.associations", {}),
    ...(study.participation.minimumSites > 1 ? [line("regression.pooled", {})] : []),
    ...(weighsPatients(study) ? [line("regression.weighted-rows", {})] : []),
    ...calibrationNotes(result),
    ...(hasNoise ? [line("regression.predicting", {})] : []),
    ...(family === "linear"
      ? []
      : [
          line("regression.convergence", {
            sums: fit.opened.length,
            change: fit.score.change,
            misfit: fit.score.misfit,
            freedom: regressionLayout(study).parameters,
          }),
        ]),
    ...regressionWarnings(study, result, estimates),
  ];
}

function calibrationNotes({ evaluation }: RegressionResult): string[] {
  if (evaluation === null) return [];
  const calibration = calibrationOf(evaluation);
  return [
    calibration === null
      ? line("regression.not-calibrated", {})
      : line("regression.calibrated", { intercept: calibration.intercept, slope: calibration.slope }),
  ];
}

function coefficientNote(study: RegressionStudy, result: RegressionResult): string {
  const { parameters, label } = study;
  switch (parameters.family) {
    case "logistic":
      return line("regression.log-odds", {
        label: nameOf(label!.name),
        level: nameOf(label!.levels[1]!),
        reference: nameOf(label!.levels[0]!),
      });
    case "linear": {
      const { residualStdDev, rSquared } = fitOf(study, result)!;
      return line("regression.mean", {
        outcome: nameOf(parameters.outcome!),
        residual: residualStdDev,
        rSquared,
      });
    }
    case "poisson":
      return line("regression.log-rate", {
        outcome: nameOf(parameters.outcome!),
        exposure: parameters.exposure === undefined ? null : nameOf(parameters.exposure),
      });
    case "cox":
      return line("regression.log-hazard", {
        label: nameOf(label!.name),
        event: nameOf(parameters.event!),
        time: nameOf(parameters.time!),
      });
  }
}

/** Notes that rest on the counts themselves. */
function eventNotes(study: RegressionStudy, result: RegressionResult): string[] {
  const { events, fit } = result;
  if (events === null) return [];
  const { parameters } = study;
  const { cap } = regressionLayout(study);
  const share = boundedShare(study, result);
  const total = whole(events.total);
  if (parameters.family === "cox")
    return [
      line("regression.events", { events: total, time: nameOf(parameters.time!) }),
      ...(share === null ? [] : [line("regression.cut", { cap, ...share })]),
    ];
  return [
    line("regression.counts", {
      outcome: nameOf(parameters.outcome!),
      total,
      dispersion: fit.dispersion!,
    }),
    ...(share === null ? [] : [line("regression.at-bound", { cap, ...share })]),
  ];
}

const whole = ({ count }: Noisy) => Math.max(0, Math.round(count));

/** Names that a warning lists. */
const namesShown = 8;

/** Warnings that only the released sums show, in the order in which they matter. */
export function regressionWarnings(
  study: RegressionStudy,
  result: RegressionResult,
  estimates: readonly Estimate[],
): string[] {
  const { fit } = result;
  return [
    ...fewOutcomes(study, result),
    ...(fit.isSeparated ? [line("regression.separated", { label: nameOf(study.label!.name) })] : []),
    ...impreciseNotes(study, estimates),
  ];
}

/** So few events are uninformative of any coefficient. */
const eventsLeast = 10;

function fewOutcomes(study: RegressionStudy, { rows, positives, events }: RegressionResult): string[] {
  const { label, parameters } = study;
  if (events !== null) {
    const { count, noiseStdDev } = events.total;
    if (count > Math.max(eventsLeast, 3 * noiseStdDev)) return [];
    const what = nameOf(parameters.family === "cox" ? explainedOf(study) : parameters.outcome!);
    return [line("regression.few-outcomes", { what, count: whole(events.total) })];
  }
  if (positives === null || rows === null) return [];
  const negatives = {
    count: rows.count - positives.count,
    noiseStdDev: Math.hypot(rows.noiseStdDev, positives.noiseStdDev),
  };
  return missingClasses(
    label!,
    [negatives, positives].map(({ count, noiseStdDev }, c) => ({
      level: label!.levels[c]!,
      rows: count,
      noiseStdDev,
    })),
  );
}

/** Which coefficients are too imprecise to interpret, and what would help. */
function impreciseNotes(study: RegressionStudy, estimates: readonly Estimate[]): string[] {
  const termsOf = (reason: Imprecise) => {
    const names = estimates.filter(({ imprecise }) => imprecise === reason).map(({ name }) => nameOf(name));
    return { terms: names.slice(0, namesShown), more: Math.max(0, names.length - namesShown) };
  };
  const [unbounded, few, wide, stopped] = (
    ["unbounded", "few-events", "wide-bounds", "not-arrived"] as const
  ).map(termsOf);
  return [
    ...(stopped!.terms.length > 0 ? [line("regression.not-arrived", {})] : []),
    ...(few!.terms.length > 0 ? [line("regression.few-events", few!)] : []),
    ...(wide!.terms.length > 0 ? [line("regression.wide-bounds", wide!)] : []),
    ...(unbounded!.terms.length > 0
      ? [line("regression.unbounded", { ...unbounded!, noise: study.privacy === "none" ? 0 : 1 })]
      : []),
  ];
}

export function regressionTables(
  study: RegressionStudy,
  result: RegressionResult,
  tested: Tested,
): ResultTable[] {
  const { estimates } = tested;
  const hazards = hazardsOf(study, result, estimates);
  return [
    coefficientsTable(study, result, estimates),
    ...testsTable(tested),
    ...(hazards === null ? [] : [baselineTable(study, hazards)]),
  ];
}

const number = (name: string, description: string) => ({ name, type: "number" as const, description });
const text = (name: string, description: string) => ({ name, type: "text" as const, description });

function coefficientsTable(
  study: RegressionStudy,
  result: RegressionResult,
  estimates: readonly Estimate[],
): ResultTable {
  const words = ratioWords[study.parameters.family];
  return {
    name: "coefficients",
    title: `Factors associated with ${explainedOf(study)}: ${modelName(study, result)}`.slice(0, 300),
    description: `${words === null ? "Differences in the mean" : `${capital(words.ratio)}s and their logarithms`}, adjusted for the other variables, with 95% confidence intervals from sampling${study.privacy === "none" ? "" : " and privacy noise"}. A coefficient that is too imprecise to interpret has a reason in place of numbers.`,
    columns: [
      text("term", "Variable, or variable=level; (intercept)."),
      text("feature", "Variable; empty for the intercept."),
      text("level", "Category's level; empty for a number."),
      text("reference", "Reference level."),
      number("per", "Increase of a number that the coefficient is for; empty for a level."),
      text("unit", "Unit of the number."),
      number(
        "coefficient",
        `Change in ${words === null ? "the outcome" : words.unit} for an increase by \`per\`, or for the level.`,
      ),
      number("std_error", "Standard error (sampling and noise)."),
      number("ci_low", "Lower 95% confidence limit."),
      number("ci_high", "Upper 95% confidence limit."),
      ...(words === null
        ? []
        : [
            number(words.column, "exp(coefficient); empty for the intercept."),
            number(`${words.column}_low`, "Lower 95% confidence limit."),
            number(`${words.column}_high`, "Upper 95% confidence limit."),
          ]),
      number("p_value", "Score test of no effect (sampling and noise); empty for the intercept."),
      text(
        "imprecise",
        "Reason why the coefficient is too imprecise to interpret: `unbounded`, `few-events`, `wide-bounds` or `not-arrived`; empty where it is stated.",
      ),
    ],
    rows: estimates.map(({ name, feature, level, reference, per, unit, found, imprecise }) => [
      name,
      feature,
      level,
      reference,
      per,
      unit,
      found?.coefficient ?? null,
      found?.stdError ?? null,
      found?.low ?? null,
      found?.high ?? null,
      ...(words === null
        ? []
        : [found?.ratio?.value ?? null, found?.ratio?.low ?? null, found?.ratio?.high ?? null]),
      found?.pValue ?? null,
      imprecise,
    ]),
    isShown: true,
  };
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

function testsTable({ categories, whole }: Tested): ResultTable[] {
  const model = whole === null ? [] : [{ feature: null, ...whole }];
  const tests = [...model, ...categories];
  if (tests.length === 0) return [];
  return [
    {
      name: "tests",
      title: "Joint tests",
      description:
        "Score tests that no variable is associated with the outcome (the whole model), and that no level of a category differs from its reference.",
      columns: [
        text("feature", "Category; empty for the whole model."),
        number("degrees_of_freedom", "Number of coefficients tested."),
        number("p_value", "p value (sampling and noise)."),
      ],
      rows: tests.map(({ feature, degreesOfFreedom, pValue }) => [feature, degreesOfFreedom, pValue]),
      isShown: true,
    },
  ];
}

function baselineTable(
  study: RegressionStudy,
  hazards: NonNullable<ReturnType<typeof hazardsOf>>,
): ResultTable {
  const { time } = study.parameters;
  return {
    name: "baseline",
    title: `Baseline hazard of ${explainedOf(study)} by ${time!}`.slice(0, 300),
    description:
      "Hazard where every number is 0 and every category is at its reference; no interval is stated for it. Empty where nobody is at risk, and where a coefficient is too imprecise to interpret.",
    columns: [
      number("from", "Start of the interval."),
      number("to", "End of the interval."),
      number("hazard", `Events per unit of ${time!}.`),
    ],
    rows: hazards.map(({ from, to, hazard }) => [from, to, hazard]),
    isShown: false,
  };
}

/** Step of a number: as declared, or as proposed for its range, so that columns of any unit compare. */
function stepOf({ features }: RegressionStudy, name: string): number | null {
  const declared = features.find((one) => one.name === name);
  if (declared?.type !== "numeric") return null;
  return declared.per ?? proposedStep(declared.max - declared.min);
}

/** A term in a figure: a number with the step, as a line; one that no label has room for is its name alone. */
function termLabel(name: string, step: number | null, unit: string | null): string {
  const said = saidText({
    code: "finding.term" satisfies keyof FindingSays,
    params: { term: nameOf(name), step, unit: unit === null ? null : nameOf(unit) },
  });
  return step === null || said.length > labelMost ? name.slice(0, labelMost) : said;
}

/** A forest plot: each coefficient for a step of its column. */
export function regressionFigures(
  study: RegressionStudy,
  result: RegressionResult,
  estimates: readonly Estimate[],
): Figure[] {
  const words = ratioWords[study.parameters.family];
  const bars = estimates
    .flatMap(({ name, per, unit, found }) => {
      if (found === null || name === interceptName) return [];
      const step = per === null ? null : stepOf(study, name);
      const times = per === null || step === null ? 1 : step / per;
      return [
        {
          label: termLabel(name, step, unit),
          value: found.coefficient * times,
          low: found.low * times,
          high: found.high * times,
        },
      ];
    })
    .slice(0, barsMost);
  const scale = words?.unit ?? `difference in the mean of ${explainedOf(study)}`;
  const forest: Figure = {
    kind: "bars",
    name: "coefficients",
    title: `Factors associated with ${explainedOf(study)}: ${modelName(study, result)}, 95% CI`.slice(0, 300),
    valueLabel: `${scale}, for the increase of a number or of a level against the reference`.slice(0, 300),
    ...(words === null ? {} : { exponential: { label: words.ratio } }),
    bars,
  };
  const { label, parameters } = study;
  const isMeasured = label !== undefined && parameters.family === "logistic";
  return [
    ...(bars.length === 0 ? [] : [forest]),
    ...(isMeasured ? evaluationFigures(label, result.evaluation) : []),
  ];
}

/** @param sites - whose rows are in the last sum */
export function regressionCard(
  study: RegressionStudy,
  result: RegressionResult,
  estimates: readonly Estimate[],
  sites: number,
): ModelCard {
  const { evaluation, family } = study.parameters;
  const limits = regressionWarnings(study, result, estimates);
  if (study.label !== undefined && family === "logistic")
    return modelCard({ study, label: study.label, sites, evaluation, result: result.evaluation, limits });
  return {
    predicts: `${predictedText(study)} for rows like one, from ${regressionLayout(study).design.blocks.length} columns.`,
    trainedOn: `Rows of ${sites} sites as the study declares them. Bounds and levels were declared beforehand, not taken from the rows; a number beyond its bounds counted as the bound, and rows without a value where the study rejects that are not in it.`,
    evaluation: null,
    limits: [...limits, line("regression.elsewhere", {}), line("regression.no-device", {})].slice(0, 20),
  };
}

function predictedText(study: RegressionStudy): string {
  const what = explainedOf(study);
  switch (study.parameters.family) {
    case "cox":
      return `How many times the hazard of ${what} is that of a row at the middle of every number and the reference of every category,`;
    case "poisson":
      return `The expected ${what}${study.parameters.exposure === undefined ? "" : ` in proportion to ${study.parameters.exposure}`}`;
    default:
      return `The mean of ${what}`;
  }
}

const short = (value: number) => String(Number(value.toPrecision(4)));

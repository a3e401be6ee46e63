import type { RegressionPredictor } from "@consilium/core/release/predictor";
import { type Feature, levelsOf } from "@consilium/core/study/features";
import { z } from "zod";
import { evaluationModel, evaluationModelSchema } from "../shared/evaluation/evaluationModel.js";
import { calibrationOf } from "../shared/evaluation/evaluationResult.js";
import { inputColumn } from "../shared/release/treePredictor.js";
import type { RegressionResult } from "./conversation.js";
import { type Estimate, impreciseReasons, inUnits } from "./estimates.js";
import { planRegression, type RegressionStudy, regressionLayout } from "./study.js";

/** `model.json` of a release of a regression: the coefficients with their intervals, and what the noisy sums said beside. */

const finite = z.number();
const counted = z.strictObject({ count: finite, noiseStdDev: finite });
const interval = { low: finite, high: finite };

const jointTest = z.strictObject({ degreesOfFreedom: z.int(), pValue: finite });

export const regressionModelSchema = z.strictObject({
  format: z.literal("consilium-regression-model/2"),
  analysis: z.literal("regression"),
  method: z.literal("regression"),
  variant: z.literal("sound"),
  family: z.enum(["logistic", "linear", "poisson", "cox"]),
  /** The label and its levels, of which the second one or the event is explained; or the column. */
  outcome: z.strictObject({ name: z.string(), levels: z.array(z.string()).nullable() }),
  /** For the declared steps of the columns, the intercept first; a Cox regression has none. */
  coefficients: z
    .array(
      z.strictObject({
        name: z.string(),
        feature: z.string().nullable(),
        level: z.string().nullable(),
        reference: z.string().nullable(),
        unit: z.string().nullable(),
        /** Increase of a number that the coefficient is for; null of a level and the intercept. */
        per: finite.nullable(),
        /** Null where it is too imprecise to interpret. */
        found: z
          .strictObject({
            coefficient: finite,
            stdError: finite,
            ...interval,
            pValue: finite.nullable(),
            ratio: z.strictObject({ value: finite, ...interval }).nullable(),
          })
          .nullable(),
        imprecise: z.enum(impreciseReasons).nullable(),
      }),
    )
    .min(1),
  /** p values of the hypothesis that no level of a category differs; of categories with three levels and more. */
  categories: z.array(z.strictObject({ feature: z.string(), ...jointTest.shape })),
  /** The test of the whole model: that no variable is associated with the outcome; null where the fit did not converge. */
  whole: jointTest.nullable(),
  /** In units of the columns, in the same order: what model.onnx predicts with, drawn to 0 as far as noise hides it. */
  predicting: z.array(finite),
  /** To compute intervals of other contrasts: on the scale that the columns have been put to. Null where a coefficient is too imprecise. */
  scaled: z
    .strictObject({
      /** A column is (value - offset)/range; of a level, value is 0 or 1. */
      columns: z.array(z.strictObject({ name: z.string(), offset: finite, range: finite })),
      coefficients: z.array(finite),
      /** [d × d] the coefficients' covariance, from sampling and noise. */
      covariance: z.array(z.array(finite)),
    })
    .nullable(),
  /** Change of the linear predictor that the last sum still asks for, root mean square, and the score test of no change. */
  convergence: z.strictObject({ sums: z.int(), arrived: z.boolean(), change: finite, misfit: finite }),
  isSeparated: z.boolean(),
  /** Null where sums tell of exposures or times instead. */
  rows: counted.nullable(),
  /** Rows of the second level; null but of a logistic regression. */
  positives: counted.nullable(),
  /** Events of a Poisson or a Cox regression; null of others. */
  events: z
    .strictObject({
      total: counted,
      exposure: counted,
      /** Variance of counts over that of Poisson's, at least 1; null of a Cox regression. */
      dispersion: finite.nullable(),
      /** Rows whose count was as far below its mean as is declared, or patients whose follow-up was cut at `limit`; null without privacy. */
      bounded: counted.extend({ limit: finite }).nullable(),
      /** Hazard of a Cox regression at 0 of every number and the reference of every category; null of others. */
      baseline: z.array(z.strictObject({ from: finite, to: finite, hazard: finite.nullable() })).nullable(),
    })
    .nullable(),
  /** In units of the outcome, with the noise: null but of a linear regression. */
  fit: z.strictObject({ residualStdDev: finite, rSquared: finite, equalVariances: z.boolean() }).nullable(),
  noise: z.strictObject({
    /** Standard deviation in an entry of each stage's sum, on the scale of the columns. */
    stages: z.record(z.string(), finite),
    epsilon: finite.nullable(),
    delta: finite.nullable(),
  }),
  evaluation: evaluationModelSchema.nullable(),
});

export type RegressionModel = z.output<typeof regressionModelSchema>;

export function regressionModel(
  study: RegressionStudy,
  result: RegressionResult,
  { estimates, categories, whole }: Tested,
): RegressionModel {
  const { claim } = planRegression(study);
  const { fit } = result;
  return regressionModelSchema.parse({
    format: "consilium-regression-model/2",
    analysis: study.analysis,
    method: study.method,
    variant: study.variant,
    family: study.parameters.family,
    outcome: outcomeNames(study),
    coefficients: estimates,
    categories,
    whole,
    predicting: Array.from(inUnits(study, result.predicting)),
    scaled: estimates.every(({ found }) => found !== null) ? scaledOf(study, result) : null,
    convergence: {
      sums: fit.opened.length,
      arrived: fit.hasArrived,
      change: fit.score.change,
      misfit: fit.score.misfit,
    },
    isSeparated: fit.isSeparated,
    rows: result.rows,
    positives: result.positives,
    events: eventsOf(study, result, estimates),
    fit: fitOf(study, result),
    noise: { stages: result.noiseStdDevs, epsilon: claim.epsilon, delta: claim.delta },
    evaluation: evaluationModel(result.evaluation),
  });
}

/** Coefficients, and what is tested of several together. */
export interface Tested {
  readonly estimates: readonly Estimate[];
  readonly categories: readonly Category[];
  readonly whole: RegressionModel["whole"];
}

/** Joint test that no level of a category differs from its reference. */
export type Category = RegressionModel["categories"][number];

/** The joint tests of categories of three levels and more, all of which are precise enough. */
export function categoriesOf(
  study: RegressionStudy,
  { fit }: RegressionResult,
  estimates: readonly Estimate[],
): Category[] {
  const { design, parameters: d } = regressionLayout(study);
  return design.blocks.flatMap(({ feature, from, width }) => {
    const own = estimates.slice(from, from + width);
    if (width < 2 || own.some(({ found }) => found === null)) return [];
    const rows = own.map((_, i) => unitVector(d, from + i));
    const pValue = fit.score.pValue(
      rows,
      own.map(() => 0),
    );
    return [{ feature: study.features[feature]!.name, degreesOfFreedom: width, pValue }];
  });
}

function unitVector(d: number, j: number): Float64Array {
  const row = new Float64Array(d);
  row[j] = 1;
  return row;
}

function scaledOf(study: RegressionStudy, { fit }: RegressionResult): RegressionModel["scaled"] {
  const { design, columns, parameters: d } = regressionLayout(study);
  const covariance = fit.score.covariance();
  return {
    columns: design.columns.map(({ name, offset, range }) => ({ name, offset, range })),
    coefficients: Array.from(fit.score.estimate.subarray(0, columns)),
    covariance: Array.from({ length: columns }, (_, i) =>
      Array.from(covariance.subarray(i * d, i * d + columns)),
    ),
  };
}

function eventsOf(
  study: RegressionStudy,
  result: RegressionResult,
  estimates: readonly Estimate[],
): RegressionModel["events"] {
  const { events, bounded, fit } = result;
  if (events === null) return null;
  const limit = regressionLayout(study).cap;
  return {
    ...events,
    dispersion: fit.dispersion,
    bounded: bounded === null || study.privacy === "none" ? null : { ...bounded, limit },
    baseline: hazardsOf(study, result, estimates),
  };
}

/**
 * Hazard by interval of time at 0 of every number and the reference of every category; null of an interval in which nobody is at risk, by the
 * noisy sums, and everywhere where a coefficient is too imprecise to interpret, for it rests on all of them. Null but of a Cox regression.
 */
export function hazardsOf(
  study: RegressionStudy,
  { fit }: Pick<RegressionResult, "fit">,
  estimates: readonly Estimate[],
): { readonly from: number; readonly to: number; readonly hazard: number | null }[] | null {
  const { design, followUp, columns } = regressionLayout(study);
  if (followUp === null) return null;
  const { edges } = followUp;
  const { estimate } = fit.score;
  const { exposures } = fit.start!;
  const isStated = estimates.every(({ found }) => found !== null);
  const horizon = edges.at(-1)!;
  const at = design.columns.reduce((sum, { offset, range }, j) => sum - (offset / range) * estimate[j]!, 0);
  return Array.from(estimate.subarray(columns), (log, k) => ({
    from: edges[k]!,
    to: edges[k + 1]!,
    hazard:
      isStated && exposures[k]! > 0 && !fit.score.isBlank(columns + k)
        ? Math.min(Number.MAX_VALUE, Math.exp(log + at) / horizon)
        : null,
  }));
}

/** Name of the outcome: the label with its levels, or a column. */
export function outcomeNames({ label, parameters }: RegressionStudy): RegressionModel["outcome"] {
  return label === undefined
    ? { name: parameters.outcome!, levels: null }
    : { name: label.name, levels: [...label.levels] };
}

/** Fit of a linear regression, null of others; R² is that of the rows of the fit. */
export function fitOf(study: RegressionStudy, { fit }: RegressionResult): RegressionModel["fit"] {
  if (fit.residuals === null) return null;
  const declared = study.features.find(({ name }) => name === study.parameters.outcome)!;
  const range = declared.type === "numeric" ? declared.max - declared.min : 1;
  const { residualVariance, variance } = fit.residuals;
  return {
    residualStdDev: Math.sqrt(residualVariance) * range,
    rSquared: variance > 0 ? Math.max(0, 1 - residualVariance / variance) : 0,
    equalVariances: regressionLayout(study).squares === null,
  };
}

/** Predictor that a reader runs: calibrated by the held-out rows, where there are some. */
export function regressionPredictor(
  study: RegressionStudy,
  { evaluation, predicting }: Pick<RegressionResult, "evaluation" | "predicting">,
): RegressionPredictor {
  const { design } = regressionLayout(study);
  const { family } = study.parameters;
  const { intercept: level, slope } = calibrationOf(evaluation) ?? { intercept: 0, slope: 1 };
  const inOwnUnits = inUnits(study, predicting);
  const byName = new Map(design.columns.map(({ name }, j) => [name, slope * inOwnUnits[j]!]));
  const used = design.blocks.map(({ feature }) => study.features[feature]!);
  const coefficients = used.flatMap((feature) =>
    feature.type === "numeric"
      ? [byName.get(feature.name)!]
      : levelsOf(feature).map((one, i) => (i === 0 ? 0 : byName.get(`${feature.name}=${one}`)!)),
  );
  return {
    kind: "regression",
    inputs: used.map((feature) => inputColumn(feature, [])),
    output: outputText(study).slice(0, 300),
    // Hazards are stated beside that of a row at the middle of every number and the reference of every category.
    intercept:
      family === "cox"
        ? -used.reduce((sum, feature) => sum + middleOf(feature) * (byName.get(feature.name) ?? 0), 0)
        : level + slope * inOwnUnits[0]!,
    coefficients,
    link: links[family],
  };
}

const links = {
  linear: "identity",
  logistic: "logistic",
  poisson: "exponential",
  cox: "exponential",
} as const;

const middleOf = (feature: Feature) =>
  feature.type === "numeric" ? feature.min + (feature.max - feature.min) / 2 : 0;

function outputText({ parameters, label }: RegressionStudy): string {
  const { family, outcome, exposure, event } = parameters;
  switch (family) {
    case "linear":
      return `the mean of ${outcome!} for rows like it`;
    case "logistic":
      return `the probability of ${label!.name} = ${label!.levels[1]!}`;
    case "poisson":
      return `the expected ${outcome!}${exposure === undefined ? "" : ` for an ${exposure} of 1`} for rows like it`;
    case "cox":
      return `the hazard of ${label!.name} = ${event!} beside that at the middle of every number and the first level of every category`;
  }
}

import type { RegressionPredictor } from "@consilium/core/release/predictor";
import { levelsOf } from "@consilium/core/study/features";
import { z } from "zod";
import { evaluationModel, evaluationModelSchema } from "../shared/evaluation/evaluationModel.js";
import { calibrationOf } from "../shared/evaluation/evaluationResult.js";
import { inputColumn } from "../shared/release/treePredictor.js";
import type { RegressionResult } from "./conversation.js";
import type { Estimate } from "./estimates.js";
import { planRegression, type RegressionStudy, regressionLayout } from "./study.js";

/** `model.json` of a release of a regression: the coefficients with their errors, and what the noisy sums said beside. */

const finite = z.number();
const counted = z.strictObject({ count: finite, noiseStdDev: finite });
const interval = { low: finite, high: finite };

export const regressionModelSchema = z.strictObject({
  format: z.literal("consilium-regression-model/1"),
  analysis: z.literal("regression"),
  method: z.literal("regression"),
  variant: z.literal("sound"),
  family: z.enum(["logistic", "linear"]),
  /** The label and its levels, the second one explained; or the column. */
  outcome: z.strictObject({ name: z.string(), levels: z.array(z.string()).nullable() }),
  /** In units of the columns, the intercept first. */
  coefficients: z
    .array(
      z.strictObject({
        name: z.string(),
        feature: z.string().nullable(),
        level: z.string().nullable(),
        reference: z.string().nullable(),
        unit: z.string().nullable(),
        coefficient: finite,
        stdError: finite,
        ...interval,
        ratio: z.strictObject({ value: finite, ...interval }).nullable(),
        isWide: z.boolean(),
      }),
    )
    .min(1),
  /** To compute intervals of other contrasts: on the scale that the columns have been put to. */
  scaled: z.strictObject({
    /** A column is (value - offset)/range; of a level, value is 0 or 1. */
    columns: z.array(z.strictObject({ name: z.string(), offset: finite, range: finite })),
    /** Of the outcome of a linear regression, the same; 0 and 1 for log-odds. */
    coefficients: z.array(finite),
    /** [d × d] the coefficients' mean squared error. */
    error: z.array(z.array(finite)),
  }),
  /** Around 0 with this standard deviation a scaled coefficient was believed to lie. */
  priorStdDev: finite,
  /** Directions of the coefficients that noise hides, or that no row tells of. */
  hidden: z.int().min(0),
  rows: counted,
  /** Rows of the second level; null of a linear regression. */
  positives: counted.nullable(),
  /** In units of the outcome, with the noise: null of a logistic regression. */
  fit: z.strictObject({ residualStdDev: finite, rSquared: finite }).nullable(),
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
  estimates: readonly Estimate[],
): RegressionModel {
  const { design, columns: d } = regressionLayout(study);
  const { claim } = planRegression(study);
  const { family } = study.parameters;
  return regressionModelSchema.parse({
    format: "consilium-regression-model/1",
    analysis: study.analysis,
    method: study.method,
    variant: study.variant,
    family,
    outcome: outcomeNames(study),
    coefficients: estimates,
    scaled: {
      columns: design.columns.map(({ name, offset, range }) => ({ name, offset, range })),
      coefficients: Array.from(result.coefficients),
      error: Array.from({ length: d }, (_, i) => Array.from(result.error.subarray(i * d, (i + 1) * d))),
    },
    priorStdDev: result.priorStdDev,
    hidden: result.hidden,
    rows: result.rows,
    positives: result.classes?.positives ?? null,
    fit: fitOf(study, result),
    noise: { stages: result.noiseStdDevs, epsilon: claim.epsilon, delta: claim.delta },
    evaluation: evaluationModel(result.evaluation),
  });
}

/** What is explained: the label with its levels, or a column. */
export function outcomeNames({ label, parameters }: RegressionStudy): RegressionModel["outcome"] {
  return parameters.family === "logistic"
    ? { name: label!.name, levels: [...label!.levels] }
    : { name: parameters.outcome!, levels: null };
}

/** Of a linear regression; R² is that of the rows that it was made from. */
export function fitOf(study: RegressionStudy, { fit }: RegressionResult): RegressionModel["fit"] {
  if (fit === null) return null;
  const declared = study.features.find(({ name }) => name === study.parameters.outcome)!;
  const range = declared.type === "numeric" ? declared.max - declared.min : 1;
  const { residualVariance, variance } = fit;
  return {
    residualStdDev: Math.sqrt(residualVariance) * range,
    rSquared: variance > 0 ? Math.max(0, 1 - residualVariance / variance) : 0,
  };
}

/** What a reader runs: calibrated by the held-out rows, where there are some. */
export function regressionPredictor(
  study: RegressionStudy,
  { evaluation }: RegressionResult,
  estimates: readonly Estimate[],
): RegressionPredictor {
  const { outcome } = regressionLayout(study).design;
  const { name, levels } = outcomeNames(study);
  const { intercept: level, slope } = calibrationOf(evaluation) ?? { intercept: 0, slope: 1 };
  const byName = new Map(estimates.map((one) => [one.name, one.coefficient]));
  const used = study.features.filter((_, f) => f !== outcome);
  return {
    kind: "regression",
    inputs: used.map((feature) => inputColumn(feature, [])),
    output: (levels === null
      ? `the mean of ${name} for rows like it`
      : `the probability of ${name} = ${levels[1]!}`
    ).slice(0, 300),
    intercept: level + slope * estimates[0]!.coefficient,
    coefficients: used.flatMap((feature) =>
      feature.type === "numeric"
        ? [slope * byName.get(feature.name)!]
        : levelsOf(feature).map((one, i) => (i === 0 ? 0 : slope * byName.get(`${feature.name}=${one}`)!)),
    ),
    link: levels === null ? "identity" : "logistic",
  };
}

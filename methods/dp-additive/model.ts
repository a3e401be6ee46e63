import type { Curve } from "@consilium/core/release/curves";
import { curveSchema } from "@consilium/core/release/curves";
import { treePredictorSchema } from "@consilium/core/release/predictor";
import { z } from "zod";
import { evaluationModel, evaluationModelSchema } from "../shared/evaluation/evaluationModel.js";
import { treePredictor } from "../shared/release/treePredictor.js";
import type { AdditiveResult } from "./conversation.js";
import { type AdditiveStudy, additiveLayout, learningRate, planAdditive } from "./study.js";

/** `model.json` of a release of additive boosting: all that is needed to predict, and what the noisy sums said of it. */

const finite = z.number();
const { inputs, label, trees, base, probability } = treePredictorSchema.shape;

export const additiveModelSchema = z.strictObject({
  format: z.literal("consilium-additive-model/1"),
  analysis: z.literal("boosted-trees"),
  method: z.literal("dp-additive"),
  variant: z.literal("sound"),
  /** The columns, in the order of the curves. */
  inputs,
  label,
  /** What every row begins with. */
  intercept: finite,
  /** Per feature in the study's order; the rows' mean of each is 0, as the first sum counts them. */
  curves: z.array(curveSchema),
  /** The same curves for whatever runs trees: of each feature one, whose leaves are its bins. */
  trees,
  base,
  /** The outputs' sum F, the log-odds of the second level: predicted where it is positive. */
  link: z.literal("logistic"),
  probability,
  epochs: z.int().min(1),
  /** η of the first update, and after the last: lower where an update overshot. */
  learningRate: z.strictObject({ first: finite, last: finite }),
  lambda: finite,
  /** Per feature, by falling mean over the rows of how far its curve is from 0, with the part of it that noise alone would give. */
  importances: z.array(
    z.strictObject({ feature: z.string(), meanLogOdds: finite, noiseStdDev: finite, byNoise: finite }),
  ),
  /** All rows of training, by level of the label, with their noise. */
  rows: z.array(z.strictObject({ level: z.string(), rows: finite, noiseStdDev: finite })),
  noise: z.strictObject({
    /** Standard deviation in one entry of each epoch's sum, in derivatives of one row. */
    epochs: z.array(finite),
    epsilon: finite.nullable(),
    delta: finite.nullable(),
  }),
  evaluation: evaluationModelSchema.nullable(),
});

export type AdditiveModel = z.output<typeof additiveModelSchema>;

export function additivePredictor(study: AdditiveStudy, { ensemble, evaluation }: AdditiveResult) {
  return treePredictor({
    features: study.features,
    binned: additiveLayout(study).features,
    label: study.label!,
    ensemble,
    derivation:
      "F is the log-odds: each feature's curve adds to it, and the log loss is least there (docs/methods/boosted-trees.md#dp-additive-link).",
    evaluation,
    isXgboost: false,
  });
}

export function additiveModel(study: AdditiveStudy, result: AdditiveResult): AdditiveModel {
  const { evaluation } = result;
  const { epochs, lambda } = study.parameters;
  const { claim } = planAdditive(study);
  const predictor = additivePredictor(study, result);
  return additiveModelSchema.parse({
    format: "consilium-additive-model/1",
    analysis: study.analysis,
    method: study.method,
    variant: study.variant,
    inputs: predictor.inputs,
    label: predictor.label,
    intercept: result.curves.intercept,
    curves: releasedCurves(study, result),
    trees: predictor.trees,
    base: predictor.base,
    link: "logistic",
    probability: predictor.probability,
    epochs,
    learningRate: { first: learningRate(study), last: result.rate },
    lambda,
    importances: importancesOf(study, result),
    rows: classRows(study, result),
    noise: { epochs: result.noiseStdDevs, epsilon: claim.epsilon, delta: claim.delta },
    evaluation: evaluationModel(evaluation),
  });
}

/** Every feature's curve as readers take it: in the study's units and levels. */
export function releasedCurves(study: AdditiveStudy, { curves, stdDevs }: AdditiveResult): Curve[] {
  const { features, offsets } = additiveLayout(study);
  return features.map(({ name, bins, edges, levels }, f) => {
    const declared = study.features[f]!;
    return {
      feature: name,
      bins: Array.from({ length: bins }, (_, b) => {
        const at = offsets[f]! + b;
        const added = { logOdds: curves.values[at]!, stdDev: stdDevs[at]! };
        if (declared.type === "categorical") return { level: levels[b]!, ...added };
        return { from: edges[b - 1] ?? declared.min, to: edges[b] ?? declared.max, ...added };
      }),
    };
  });
}

/** Of every feature, by falling mean. */
export function importancesOf(
  study: AdditiveStudy,
  { curves, stdDevs, counts }: AdditiveResult,
): AdditiveModel["importances"] {
  const { features, offsets } = additiveLayout(study);
  return features
    .map(({ name }, f) => {
      const [from, to] = [offsets[f]!, offsets[f + 1]!];
      const rows = counts.rows.slice(from, to).map((own) => Math.max(0, own));
      const all = rows.reduce((sum, own) => sum + own, 0);
      let [mean, variance, byNoise] = [0, 0, 0];
      rows.forEach((own, b) => {
        // Where noise leaves no rows to weigh with, each bin has the same part.
        const part = all > 0 ? own / all : 1 / rows.length;
        mean += part * Math.abs(curves.values[from + b]!);
        variance += (part * stdDevs[from + b]!) ** 2;
        byNoise += part * stdDevs[from + b]! * Math.sqrt(2 / Math.PI);
      });
      return { feature: name, meanLogOdds: mean, noiseStdDev: Math.sqrt(variance), byNoise };
    })
    .sort((a, b) => b.meanLogOdds - a.meanLogOdds);
}

/** Rows of both classes, which the first epoch counts. */
export function classRows(study: AdditiveStudy, { counts }: AdditiveResult): AdditiveModel["rows"] {
  return counts.classes.map((rows, c) => ({
    level: study.label!.levels[c]!,
    rows,
    noiseStdDev: counts.classStdDev,
  }));
}

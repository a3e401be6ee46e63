import { treePredictorSchema } from "@consilium/core/release/predictor";
import { z } from "zod";
import { evaluationModel, evaluationModelSchema } from "../shared/evaluation/evaluationModel.js";
import { treePredictor } from "../shared/release/treePredictor.js";
import type { HistBoostResult } from "./conversation.js";
import { ensembleOf } from "./ensemble.js";
import { importancesOf } from "./importances.js";
import { type HistBoostStudy, histBoostLayout, planHistBoost } from "./study.js";

/** `model.json` of a release of DP-HistBoost: all that is needed to predict, and what the noisy sums said of it. */

const finite = z.number();
const { inputs, label, trees, base, probability } = treePredictorSchema.shape;

export const histBoostModelSchema = z.strictObject({
  format: z.literal("consilium-boosted-trees-model/2"),
  analysis: z.literal("boosted-trees"),
  method: z.literal("dp-histboost"),
  variant: z.literal("sound"),
  mode: z.enum(["real", "discrete"]),
  /** The columns, in the order of the splits' features. */
  inputs,
  label,
  /** An ordered feature goes left where x < edges[cut], a nominal one where its level's index is cut. */
  trees,
  base,
  /** The outputs' sum F, the log-odds of the second level: predicted where it is positive. */
  link: z.literal("logistic"),
  probability,
  /** What each tree votes with; null in real mode, where leaves are the weights. */
  alphas: z.array(finite).nullable(),
  /** Public: what the nodes' features were drawn from. */
  seed: z.string(),
  featuresPerNode: z.int().min(1),
  /** Per feature, by falling gain. */
  importances: z.array(
    z.strictObject({ feature: z.string(), gain: finite, noiseStdDev: finite, splits: z.int().min(0) }),
  ),
  /** All rows of training that the first tree's leaves hold, by level of the label, with their noise. */
  rows: z.array(z.strictObject({ level: z.string(), rows: finite, noiseStdDev: finite })),
  noise: z.strictObject({
    /** Standard deviation in one entry, in rows: per tree, of its levels and of its leaves. */
    levels: z.array(z.array(finite)),
    leaves: z.array(finite),
    epsilon: finite.nullable(),
    delta: finite.nullable(),
  }),
  evaluation: evaluationModelSchema.nullable(),
});

export type HistBoostModel = z.output<typeof histBoostModelSchema>;

export function histBoostPredictor(study: HistBoostStudy, { trees: grown, evaluation }: HistBoostResult) {
  const { features } = histBoostLayout(study);
  return treePredictor({
    features: study.features,
    binned: features,
    label: study.label!,
    ensemble: ensembleOf(grown),
    derivation:
      "F is the log-odds: weights are min(1, e^(-yF)), the loss whose least is there (docs/methods/boosted-trees.md#dp-histboost-link).",
    evaluation,
    isXgboost: false,
  });
}

export function histBoostModel(study: HistBoostStudy, result: HistBoostResult): HistBoostModel {
  const { trees: grown, evaluation } = result;
  const { mode, seed } = study.parameters;
  const { claim } = planHistBoost(study);
  const predictor = histBoostPredictor(study, result);
  return histBoostModelSchema.parse({
    format: "consilium-boosted-trees-model/2",
    analysis: study.analysis,
    method: study.method,
    variant: study.variant,
    mode,
    inputs: predictor.inputs,
    label: predictor.label,
    trees: predictor.trees,
    base: predictor.base,
    link: "logistic",
    probability: predictor.probability,
    alphas: mode === "real" ? null : grown.map(({ alpha }) => alpha),
    seed,
    featuresPerNode: histBoostLayout(study).featuresPerNode,
    importances: importancesOf(study, grown),
    rows: classRows(study, result),
    noise: {
      levels: grown.map(({ levelStdDevs }) => [...levelStdDevs]),
      leaves: grown.map(({ leafStdDev }) => leafStdDev),
      epsilon: claim.epsilon,
      delta: claim.delta,
    },
    evaluation: evaluationModel(evaluation),
  });
}

/** Rows of both classes: before the first tree every row weighs 1. */
export function classRows(study: HistBoostStudy, { trees: grown }: HistBoostResult): HistBoostModel["rows"] {
  const { totals, leafStdDev } = grown[0]!;
  const noiseStdDev = leafStdDev * Math.sqrt(totals.entries);
  return [totals.negative, totals.positive].map((rows, c) => ({
    level: study.label!.levels[c]!,
    rows,
    noiseStdDev,
  }));
}

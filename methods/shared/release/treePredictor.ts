import type { TreeEnsemble } from "@consilium/core/learning/trees/tree";
import type { InputColumn, TreePredictor } from "@consilium/core/release/predictor";
import { type Feature, type Label, levelsOf, missingConstantOf } from "@consilium/core/study/features";
import type { BinnedFeature } from "../columns/binning.js";
import { calibrationOf, type EvaluationResult } from "../evaluation/evaluationResult.js";

/**
 * A declared column as a predictor takes it in.
 * @param edges - where trees cut it; none for a categorical column
 */
export function inputColumn(feature: Feature, edges: readonly number[]): InputColumn {
  if (feature.type === "categorical") {
    const levels = levelsOf(feature);
    const missing = feature.missing === "own-level" ? levels.length - 1 : null;
    return { name: feature.name, type: "categorical", levels: [...levels], missing };
  }
  const { name, min, max } = feature;
  return {
    name,
    type: "numeric",
    min,
    max,
    missing: missingConstantOf(feature),
    edges: [...edges],
  };
}

/**
 * What a reader runs of an ensemble of trees.
 * @param options.binned - of the features, in their order
 * @param options.derivation - why its outputs stand for probabilities, and where that is derived
 * @param options.evaluation - what its probabilities are calibrated by; null where nothing was measured
 * @param options.isXgboost - whether XGBoost's own JSON is made of it too
 */
export function treePredictor(options: {
  readonly features: readonly Feature[];
  readonly binned: readonly BinnedFeature[];
  readonly label: Label;
  readonly ensemble: TreeEnsemble;
  readonly derivation: string;
  readonly evaluation: EvaluationResult | null;
  readonly isXgboost: boolean;
}): TreePredictor {
  const { features, binned, label, ensemble, derivation, evaluation, isXgboost } = options;
  return {
    kind: "trees",
    inputs: features.map((feature, f) => inputColumn(feature, [...binned[f]!.edges])),
    label: { name: label.name, levels: [...label.levels] },
    trees: ensemble.trees.map(({ nodes }) => ({
      nodes: nodes.map((node) =>
        node.kind === "leaf"
          ? { ...node, values: [...node.values] }
          : { ...node, cut: typeof node.cut === "number" ? node.cut : [...node.cut] },
      ),
    })),
    base: [...ensemble.base],
    link: ensemble.link,
    probability: { derivation, calibration: calibrationOf(evaluation) },
    isXgboost,
  };
}

import type { Figure } from "@consilium/core/release/figures";
import type { ModelCard } from "@consilium/core/release/modelCard";
import type { TreePredictor } from "@consilium/core/release/predictor";
import { planStudy } from "@consilium/core/study/plan";
import { namesText } from "@consilium/core/words";
import { evaluationFigures, modelCard } from "../evaluation/evaluationCard.js";
import { treePredictor } from "../release/treePredictor.js";
import type { CorrelationTree } from "./correlationTree.js";
import type { TreeStudy } from "./treeStudy.js";

/** What a reader gets of a correlation tree: the model, something to run, pictures and a card. */

/**
 * `model.json`. `inputs`, `label`, `trees`, `base`, `link` and `probability` are those of the predictor: an ordered feature goes left
 * where x < edges[cut], a nominal one where its level's index is cut. A split's `gain` is |φ|.
 */
export function correlationTreeModel(study: TreeStudy, tree: CorrelationTree): Record<string, unknown> {
  const { claim } = planStudy(study);
  const { inputs, label, trees, base, link, probability } = predictorOf(study, tree);
  return {
    format: "consilium-correlation-tree-model/1",
    analysis: study.analysis,
    method: study.method,
    variant: study.variant,
    inputs,
    label,
    trees,
    base,
    link,
    probability,
    importance: tree.importance,
    /** On held-out rows; null where the study asked for none. */
    evaluation: tree.evaluation,
    /** Over all leaves, with the noise of their counts. */
    rows: tree.rows,
    privacy: { epsilon: claim.epsilon, delta: claim.delta },
  };
}

const derivation =
  "A leaf's values are the frequencies of the classes among its rows, drawn towards equal ones by as many rows as the noise has standard deviation (docs/methods/correlation-tree.md#leaf-frequencies).";

export function predictorOf(study: TreeStudy, tree: CorrelationTree): TreePredictor {
  const { features, label } = study;
  const { ensemble, evaluation } = tree;
  return treePredictor({
    features,
    binned: tree.features,
    label,
    ensemble,
    derivation,
    evaluation,
    isXgboost: false,
  });
}

const barsMost = 500;

/** @param importanceLabel - what the bars of importance are, of this method */
export function correlationTreeFigures(
  study: TreeStudy,
  tree: CorrelationTree,
  importanceLabel: string,
): Figure[] {
  const bars = [...tree.importance]
    .sort((a, b) => b.value - a.value)
    .slice(0, barsMost)
    .map(({ feature, value, low, high }) => ({ label: feature, value, low, high }));
  const picture: Figure = {
    kind: "tree",
    name: "tree",
    title: `How the tree predicts ${study.label.name}`.slice(0, 300),
    tree: 0,
  };
  const importance: Figure = {
    kind: "bars",
    name: "importance",
    title: `How strongly each feature by itself goes with ${study.label.name}`.slice(0, 300),
    valueLabel: importanceLabel,
    bars,
  };
  return [
    picture,
    ...(bars.length === 0 ? [] : [importance]),
    ...evaluationFigures(study.label, tree.evaluation),
  ];
}

/**
 * @param sites - whose records are in the model
 * @param own - limits of the method
 */
export function correlationTreeCard(
  study: TreeStudy,
  tree: CorrelationTree,
  sites: number,
  own: readonly string[] = [],
): ModelCard {
  const limits = [...treeWarnings(study, tree), ...own];
  const { evaluation } = study.parameters;
  return modelCard({ study, label: study.label, sites, evaluation, result: tree.evaluation, limits });
}

/** What only the released sums tell: that the tree is empty, or never predicts a class. */
export function treeWarnings(study: TreeStudy, tree: CorrelationTree): string[] {
  const warnings: string[] = [];
  if (!tree.isSplit) {
    warnings.push(
      "The tree is a single leaf: no cut stood out. It predicts the same for every row. There may be too few rows for the noise, one class only, or features that say nothing of it.",
    );
  }
  if (tree.unpredicted.length > 0 && tree.isSplit) {
    const never = namesText(tree.unpredicted.map((c) => study.label.levels[c]!));
    warnings.push(`No leaf predicts ${never}.`);
  }
  return warnings;
}

import { cautionOf } from "../../release/caution.js";
import { evaluationFigures, modelCard } from "../../release/evaluationCard.js";
import type { Figure } from "../../release/figures.js";
import type { ModelCard } from "../../release/modelCard.js";
import type { TreePredictor } from "../../release/predictor.js";
import { treePredictor } from "../../release/treePredictor.js";
import type { CorrelationTreeStudy } from "../../study/correlationTree.js";
import { planStudy } from "../../study/plan.js";
import { namesText } from "../../words.js";
import type { CorrelationTree } from "./correlationTree.js";

/** What a reader gets of a correlation tree: the model, something to run, pictures and a card. */

/**
 * `model.json`. `inputs`, `label`, `trees`, `base`, `link` and `probability` are those of the predictor: an ordered feature goes left
 * where x < edges[cut], a nominal one where its level's index is cut. A split's `gain` is |φ|.
 */
export function correlationTreeModel(
  study: CorrelationTreeStudy,
  tree: CorrelationTree,
): Record<string, unknown> {
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

export function predictorOf(study: CorrelationTreeStudy, tree: CorrelationTree): TreePredictor {
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

export function correlationTreeFigures(study: CorrelationTreeStudy, tree: CorrelationTree): Figure[] {
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
    valueLabel: importanceLabels[study.method],
    bars,
  };
  return [
    picture,
    ...(bars.length === 0 ? [] : [importance]),
    ...evaluationFigures(study.label, tree.evaluation),
  ];
}

const importanceLabels: Readonly<Record<CorrelationTreeStudy["method"], string>> = {
  "dp-pcc": "|φ| of the feature's best cut of all rows, from 0 to 1; intervals of 95 % for the noise",
  "dp-pcc-s": "mean over the blocks of their largest |φ|, from 0 to 1; intervals of 95 % for the noise",
  "pearson-tree": "|φ| of the feature's split, from 0 to 1, by the counts in the leaves below it",
};

/** @param sites - whose records are in the model */
export function correlationTreeCard(
  study: CorrelationTreeStudy,
  tree: CorrelationTree,
  sites: number,
): ModelCard {
  const limits = treeWarnings(study, tree);
  if (study.method === "pearson-tree") {
    limits.push(
      "Its cuts are values of records, or means of a few of them: anyone who reads the model reads them, and its privacy is claimed and not proved.",
    );
  }
  const { evaluation } = study.parameters;
  return modelCard({ study, label: study.label, sites, evaluation, result: tree.evaluation, limits });
}

/** Where noise explains the whole result; null where it does not. */
export function correlationTreeCaution({ isSplit, evaluation }: CorrelationTree): string | null {
  return cautionOf(isSplit ? null : "the tree is a single leaf, for no cut stood out.", evaluation);
}

/** What only the released sums tell: that the tree is empty, or never predicts a class. */
export function treeWarnings(study: CorrelationTreeStudy, tree: CorrelationTree): string[] {
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

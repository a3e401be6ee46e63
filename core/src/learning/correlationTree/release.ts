import type { Figure } from "../../release/figures.js";
import type { ModelCard } from "../../release/modelCard.js";
import type { TreePredictor } from "../../release/predictor.js";
import { treePredictor } from "../../release/treePredictor.js";
import { assertNever } from "../../result.js";
import type { CorrelationTreeStudy } from "../../study/correlationTree.js";
import { planStudy } from "../../study/plan.js";
import type { CorrelationTree } from "./correlationTree.js";

/** What a reader gets of a correlation tree: the model, something to run, pictures and a card. */

/**
 * `model.json`. `inputs`, `label`, `trees`, `base` and `link` are those of the predictor: an ordered feature goes left
 * where x < edges[cut], a nominal one where its level's index is cut. A split's `gain` is |φ|.
 */
export function correlationTreeModel(
  study: CorrelationTreeStudy,
  tree: CorrelationTree,
): Record<string, unknown> {
  const { claim } = planStudy(study);
  const { inputs, label, trees, base, link } = predictorOf(study, tree);
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
    importance: tree.importance,
    /** On held-out rows; null where the study asked for none. */
    evaluation: tree.evaluation,
    /** Over all leaves, with the noise of their counts. */
    rows: tree.rows,
    privacy: { epsilon: claim.epsilon, delta: claim.delta },
  };
}

export function predictorOf(study: CorrelationTreeStudy, tree: CorrelationTree): TreePredictor {
  const { features, label } = study;
  return treePredictor({ features, binned: tree.features, label, ensemble: tree.ensemble, isXgboost: false });
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
  if (bars.length === 0) return [picture];
  return [
    picture,
    {
      kind: "bars",
      name: "importance",
      title: `How strongly each feature by itself goes with ${study.label.name}`.slice(0, 300),
      valueLabel: "|φ| of the feature's best cut, from 0 to 1; intervals of 95 % for the noise",
      bars,
    },
  ];
}

export function correlationTreeCard(study: CorrelationTreeStudy, tree: CorrelationTree): ModelCard {
  const { levels, name } = study.label;
  const limits = [
    "It was trained by counting, not tested: how well it predicts on rows of its own has not been measured.",
    "Its splits follow correlation, which is not cause. It is no medical device and must not decide on a patient alone.",
    ...treeWarnings(study, tree),
  ];
  return {
    predicts: `${name}: one of ${levels.join(", ")}, from ${study.features.length} features`.slice(0, 2000),
    trainedOn: trainedOn(study),
    evaluation: null,
    limits: limits.map((limit) => limit.slice(0, 2000)),
  };
}

function trainedOn(study: CorrelationTreeStudy): string {
  const rows = `Rows of the table "${study.table}" of the sites that took part`;
  switch (study.variant) {
    case "sound":
      return study.privacy === "none"
        ? `${rows}, in sums without noise.`
        : `${rows}, in sums that carry noise from every site; no row left a site.`;
    case "paper":
      return `${rows}, in sums without noise; its cuts are values of records, or means of a few of them.`;
    default:
      return assertNever(study);
  }
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
    const never = tree.unpredicted.map((c) => study.label.levels[c]!).join(", ");
    warnings.push(`No leaf predicts ${never}.`);
  }
  return warnings;
}

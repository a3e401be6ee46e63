import { z95 } from "@consilium/core/linalg/z95";
import type { Figure } from "@consilium/core/release/figures";
import type { Finding } from "@consilium/core/release/finding";
import type { ModelCard } from "@consilium/core/release/modelCard";
import { soundSum } from "@consilium/core/study/soundSums";
import { evaluationFigures, modelCard } from "../shared/evaluation/evaluationCard.js";
import { modelFinding } from "../shared/evaluation/finding.js";
import { missingClasses } from "../shared/evaluation/missingClasses.js";
import type { HistBoostResult } from "./conversation.js";
import { importancesOf } from "./importances.js";
import { classRows } from "./model.js";
import { type HistBoostStudy, histBoostLayout, leastStdDev, weightUnits } from "./study.js";

/** What a release of DP-HistBoost says beside its model: facts, notes, pictures and a card. */

const barsMost = 500;

export function histBoostFacts(
  study: HistBoostStudy,
  { trees }: HistBoostResult,
): Record<string, string | number | boolean | null> {
  const { depth, mode, leafShare, guard, pruning } = study.parameters;
  const { stages, featuresPerNode } = histBoostLayout(study);
  return {
    masking: `pairwise, in the ring of integers modulo 2^${soundSum(study, stages[0]!).ringBits}`,
    trees: trees.length,
    depth,
    featuresPerNode,
    mode,
    leafShare,
    guard,
    pruning,
    weightUnits,
    noise: study.privacy === "none" ? "none" : "discrete Gaussian, a share from every site",
    levelNoiseStdDev: leastStdDev(study, stages[0]!),
    leafNoiseStdDev: leastStdDev(study, stages[depth]!),
    splits: splitCount(trees),
  };
}

const splitCount = (trees: HistBoostResult["trees"]) =>
  trees.reduce((sum, { levels }) => sum + levels.flat().filter((split) => split !== null).length, 0);

export function histBoostNotes(study: HistBoostStudy, result: HistBoostResult): string[] {
  const [, second] = study.label!.levels;
  return [
    `The model is ${result.trees.length} trees. A row's number F is the sum of the values of the leaves that it comes to, one in each tree; it is predicted ${study.label!.name} = ${second} where F is positive. F is the log-odds of that by the method's loss${result.evaluation === null ? "." : ", which held-out rows then calibrated."}`,
    study.privacy === "none"
      ? "No noise was added anywhere."
      : "Splits, leaves, gains and numbers of rows are those of the noisy sums. Noise of the same size is in every node, so that what few rows reach is mostly noise.",
    ...histBoostWarnings(study, result),
  ].map((note) => note.slice(0, 2000));
}

/** What only the released sums tell: a class that is not there, trees without a split. */
function histBoostWarnings(study: HistBoostStudy, result: HistBoostResult): string[] {
  const warnings = missingClasses(study.label!, classRows(study, result));
  if (splitCount(result.trees) === 0) {
    warnings.push(
      "No tree has a split: the model predicts the same for every row. There may be too few rows for the noise, or features that say nothing of the label.",
    );
  }
  return warnings;
}

export function histBoostFigures(study: HistBoostStudy, { trees, evaluation }: HistBoostResult): Figure[] {
  const bars = importancesOf(study, trees)
    .filter(({ splits }) => splits > 0)
    .slice(0, barsMost)
    .map(({ feature, gain, noiseStdDev }) => ({
      label: feature,
      value: gain,
      low: noiseStdDev === 0 ? null : gain - z95 * noiseStdDev,
      high: noiseStdDev === 0 ? null : gain + z95 * noiseStdDev,
    }));
  const tree: Figure = {
    kind: "tree",
    name: "first-tree",
    title: `The first of ${trees.length} trees`,
    tree: 0,
  };
  const measured = evaluationFigures(study.label!, evaluation);
  if (bars.length === 0) return [tree, ...measured];
  return [
    {
      kind: "bars",
      name: "importance",
      title: `What each feature gains in telling ${study.label!.name} apart`.slice(0, 300),
      valueLabel: "decrease of the Gini index, times rows, over all splits; 95 % of the noise",
      bars,
    },
    tree,
    ...measured,
  ];
}

/** How well it predicts; where that was not measured, the column that its splits gain most by. */
export function histBoostFinding(study: HistBoostStudy, { trees, evaluation }: HistBoostResult): Finding {
  const strongest = splitCount(trees) === 0 ? null : importancesOf(study, trees)[0]!.feature;
  return modelFinding(study.label!, evaluation, strongest);
}

/** @param sites - whose rows are in the last sum */
export function histBoostCard(study: HistBoostStudy, result: HistBoostResult, sites: number): ModelCard {
  const { evaluation } = study.parameters;
  return modelCard({
    study,
    label: study.label!,
    sites,
    evaluation,
    result: result.evaluation,
    limits: histBoostWarnings(study, result),
  });
}

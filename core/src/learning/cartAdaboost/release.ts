import type { Figure } from "../../release/figures.js";
import type { Predictor } from "../../release/predictor.js";
import { treePredictor } from "../../release/treePredictor.js";
import { type CartAdaboostStudy, cartAdaboostLayout } from "../../study/cartAdaboost.js";
import type { CartAdaboostResult } from "./conversation.js";

/** What a release of CART-DPsAdaBoost holds, from the result alone. */

/** Becomes model.json. */
export function cartAdaboostModel(
  study: CartAdaboostStudy,
  result: CartAdaboostResult,
): Record<string, unknown> {
  const { features } = cartAdaboostLayout(study);
  return {
    method: study.method,
    classes: study.label!.levels,
    features: features.map(({ name, kind, edges, levels }) =>
      kind === "ordered" ? { name, edges: [...edges] } : { name, levels },
    ),
    rows: result.rows,
    ended: result.ended,
    base: result.ensemble.base,
    link: result.ensemble.link,
    trees: result.trees.map(({ tree, alpha, error, epsilon }) => ({
      alpha,
      trainingError: error,
      epsilon,
      nodes: tree.nodes,
    })),
    importance: features.map(({ name }, f) => ({ name, value: result.importance[f]! })),
  };
}

/** Null where there is no tree to run. */
export function cartAdaboostPredictor(
  study: CartAdaboostStudy,
  { ensemble }: CartAdaboostResult,
): Predictor | null {
  if (ensemble.trees.length === 0) return null;
  const { features } = cartAdaboostLayout(study);
  return treePredictor({
    features: study.features,
    binned: features,
    label: study.label!,
    ensemble,
    isXgboost: false,
  });
}

export function cartAdaboostFigures(study: CartAdaboostStudy, result: CartAdaboostResult): Figure[] {
  if (result.trees.length === 0) return [];
  const bars = study.features
    .map(({ name }, f) => ({ label: name, value: result.importance[f]!, low: null, high: null }))
    .sort((a, b) => b.value - a.value)
    .slice(0, barsMost);
  return [
    {
      kind: "bars",
      name: "importance",
      title: "Importance of the features",
      valueLabel: "decrease of the Gini index by their splits, weighted by rows and α",
      bars,
    },
    { kind: "tree", name: "first-tree", title: "The first tree", tree: 0 },
  ];
}

const barsMost = 40;

/** Facts of the run for the certificate. */
export function cartAdaboostFacts(
  study: CartAdaboostStudy,
  result: CartAdaboostResult,
): Record<string, string | number | boolean | null> {
  const { privacy, parameters } = study;
  return {
    masking: "pairwise, in the ring of integers modulo 2^64",
    noise: privacy === "none" ? "none" : "Laplace noise and the exponential mechanism, at the aggregator",
    trees: result.trees.length,
    depth: parameters.depth,
    rows: result.rows,
    ended: result.ended,
    budget: privacy === "none" ? null : parameters.budget,
    epsilonOfTrees: privacy === "none" ? null : result.trees.reduce((sum, { epsilon }) => sum + epsilon!, 0),
  };
}

export function cartAdaboostNotes(study: CartAdaboostStudy, result: CartAdaboostResult): string[] {
  const [first, second] = study.label!.levels;
  const notes = [
    `A row's score is the sum over the trees of the value of the leaf that it comes to. Above 0 it is ${second}, otherwise ${first}; twice the score is the logarithm of the odds.`,
    `The run grew ${result.trees.length} ${result.trees.length === 1 ? "tree" : "trees"}: ${result.ended}.`,
  ];
  if (result.trees.length === 0) {
    notes.push("There is no model: look at the sites' tables, at the label, or at the budget of each tree.");
  }
  if (study.privacy !== "none") {
    notes.push(
      "The noise is the authors'. Choices that they make from exact counts were made from exact counts: the certificate lists them.",
    );
  }
  return notes;
}

import type { Figure } from "@consilium/core/release/figures";
import type { ModelCard } from "@consilium/core/release/modelCard";
import type { Predictor, TreePredictor } from "@consilium/core/release/predictor";
import { evaluationFigures, modelCard } from "@consilium/methods/shared/evaluation/evaluationCard";
import { treePredictor } from "@consilium/methods/shared/release/treePredictor";
import type { CartAdaboostResult } from "./conversation.js";
import { type CartAdaboostStudy, cartAdaboostLayout, planCartAdaboost } from "./study.js";

/** What a release of CART-DPsAdaBoost holds, from the result alone. */

/**
 * Becomes model.json. `inputs`, `label`, `trees`, `base`, `link` and `probability` are those of the predictor: an ordered feature goes
 * left where x < edges[cut], a nominal one where its level's index is in cut.
 */
export function cartAdaboostModel(
  study: CartAdaboostStudy,
  result: CartAdaboostResult,
): Record<string, unknown> {
  const { inputs, label, trees, base, link, probability } = predictorOf(study, result);
  const { claim } = planCartAdaboost(study);
  return {
    format: "consilium-cart-adaboost-model/1",
    analysis: study.analysis,
    method: study.method,
    variant: study.variant,
    inputs,
    label,
    trees,
    base,
    link,
    probability,
    /** Per tree: α, weighted training error, and the ε it was grown with. */
    alphas: result.trees.map(({ alpha }) => alpha),
    trainingErrors: result.trees.map(({ error }) => error),
    epsilons: result.trees.map(({ epsilon }) => epsilon),
    rows: result.rows,
    ended: result.ended,
    importance: study.features.map(({ name }, f) => ({ feature: name, value: result.importance[f]! })),
    evaluation: result.evaluation,
    privacy: { epsilon: claim.epsilon, delta: claim.delta },
  };
}

/** Null where there is no tree to run. */
export function cartAdaboostPredictor(
  study: CartAdaboostStudy,
  result: CartAdaboostResult,
): Predictor | null {
  return result.trees.length === 0 ? null : predictorOf(study, result);
}

function predictorOf(study: CartAdaboostStudy, { ensemble, evaluation }: CartAdaboostResult): TreePredictor {
  return treePredictor({
    features: study.features,
    binned: cartAdaboostLayout(study).features,
    label: study.label!,
    ensemble,
    derivation:
      "Twice the score is the log-odds: weights are e^(-yF), the exponential loss (docs/methods/boosted-trees.md#cart-dps-adaboost-link).",
    evaluation,
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
    ...evaluationFigures(study.label!, result.evaluation),
  ];
}

/**
 * @param sites - whose rows are in the last sum
 * @returns null where there is no tree to run
 */
export function cartAdaboostCard(
  study: CartAdaboostStudy,
  result: CartAdaboostResult,
  sites: number,
): ModelCard | null {
  if (result.trees.length === 0) return null;
  const claimed =
    "Its privacy is claimed by the method's authors and not proven; exact counts went into it, of the held-out rows too.";
  return modelCard({
    study,
    label: study.label!,
    sites,
    evaluation: study.parameters.evaluation,
    result: result.evaluation,
    limits: study.privacy === "none" ? [] : [claimed],
  });
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
    `A row's score is the sum over the trees of the value of the leaf that it comes to. Above 0 it is ${second}, otherwise ${first}; twice the score is the log-odds by the method's loss.`,
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

import { simulateSums } from "@consilium/core/learning/sums";
import type { TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { planStudy } from "@consilium/core/study/plan";
import { openSystemKernels } from "@consilium/kernels/openSystem";
import { cartAdaboostConversation } from "@consilium/methods-paper/cart-dps-adaboost/conversation";
import {
  asCartAdaboost,
  type CartAdaboostStudy,
  cartAdaboostLayout,
} from "@consilium/methods-paper/cart-dps-adaboost/study";
import { cartAdaboostVector } from "@consilium/methods-paper/cart-dps-adaboost/vector";
import { osRandom } from "@consilium/runtime/random";
import {
  accuracyOf,
  areaUnderRoc,
  type BinnedTable,
  dealt,
  type Predictions,
  predictions,
  studyOf,
} from "./tables.js";

/** T of the article. */
const trees = 10;

/** A study of CART-DPsAdaBoost over the table's sites. @param epsilon - null without privacy */
export function cartStudy(
  table: BinnedTable,
  epsilon: number | null,
  parameters: Readonly<Record<string, unknown>>,
): CartAdaboostStudy {
  return asCartAdaboost(
    studyOf(table, {
      analysis: "boosted-trees",
      variant: "paper",
      method: "cart-dps-adaboost",
      privacy: epsilon === null ? "none" : { epsilon, delta: 1e-5 },
      parameters: { trees, evaluation: "none", ...parameters },
    }),
  );
}

/** Trains over the sites, all in this process. */
export async function trained(study: CartAdaboostStudy, table: BinnedTable): Promise<TreeEnsemble> {
  const kernels = await openSystemKernels();
  try {
    const { ensemble } = await simulateSums({
      plan: planStudy(study),
      tables: dealt(table),
      kernels,
      random: osRandom,
      vector: (id, input) => cartAdaboostVector(study, id, input),
      run: (conversation) => cartAdaboostConversation(study, conversation, osRandom),
    });
    return ensemble;
  } finally {
    await kernels.close();
  }
}

/** What an ensemble makes of the table's test rows. */
export function cartPredictions(
  study: CartAdaboostStudy,
  ensemble: TreeEnsemble,
  table: BinnedTable,
): Predictions {
  return predictions(ensemble, cartAdaboostLayout(study).features, table);
}

export type CartMetric = "accuracy" | "AUC" | "precision" | "recall" | "F1";

/** The published figures take the first class for the positive one. A part of nothing is 0. */
export function cartScores(
  { predicted, scores }: Predictions,
  labels: readonly number[],
): Readonly<Record<CartMetric, number>> {
  const both = predicted.filter((one, r) => one === 0 && labels[r] === 0).length;
  const part = (of: number) => (of === 0 ? 0 : both / of);
  const precision = part(predicted.filter((one) => one === 0).length);
  const recall = part(labels.filter((one) => one === 0).length);
  return {
    accuracy: accuracyOf(predicted, labels),
    AUC: areaUnderRoc(scores, labels),
    precision,
    recall,
    F1: both === 0 ? 0 : (2 * precision * recall) / (precision + recall),
  };
}

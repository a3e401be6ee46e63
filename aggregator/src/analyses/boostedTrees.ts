import { assertNever } from "@consilium/core/result";
import type { BoostedTreesStudy } from "@consilium/core/study/boostedTrees";
import { additive } from "./additive.js";
import type { AggregatorAnalysis } from "./analysis.js";
import { cartAdaboost } from "./cartAdaboost.js";
import { histBoost } from "./histBoost.js";

/** The analysis of a study of boosted trees, by its method. */
export function boostedTrees({ method }: BoostedTreesStudy): AggregatorAnalysis {
  switch (method) {
    case "dp-histboost":
      return histBoost;
    case "dp-additive":
      return additive;
    case "cart-dps-adaboost":
      return cartAdaboost;
    default:
      return assertNever(method);
  }
}

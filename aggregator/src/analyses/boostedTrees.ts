import type { BoostedTreesStudy } from "@consilium/core/study/boostedTrees";
import { additive } from "./additive.js";
import type { AggregatorAnalysis } from "./analysis.js";
import { cartAdaboost } from "./cartAdaboost.js";
import { histBoost } from "./histBoost.js";

/** The analyses of boosted trees, by method. */
export const boostedTrees: Readonly<Record<BoostedTreesStudy["method"], AggregatorAnalysis>> = {
  "dp-histboost": histBoost,
  "dp-additive": additive,
  "cart-dps-adaboost": cartAdaboost,
};

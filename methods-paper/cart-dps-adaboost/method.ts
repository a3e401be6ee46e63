import type { Method } from "@consilium/core/method/method";
import { withParameters } from "@consilium/methods/shared/trees/twoClasses";
import {
  type CartAdaboostStudy,
  cartAdaboostIssues,
  cartAdaboostSection,
  planCartAdaboost,
} from "./study.js";

/** CART-DPsAdaBoost [JQM21]: docs/methods/boosted-trees.md#cart-dps-adaboost. */
export const cartDpsAdaboost: Method<CartAdaboostStudy> = {
  sections: [cartAdaboostSection],
  withDefaults: withParameters,
  issues: cartAdaboostIssues,
  plan: planCartAdaboost,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
};

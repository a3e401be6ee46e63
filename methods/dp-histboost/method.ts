import type { Method } from "@consilium/core/method/method";
import { withParameters } from "../shared/trees/twoClasses.js";
import { type HistBoostStudy, histBoostIssues, histBoostSection, planHistBoost } from "./study.js";

/** Boosted trees of noisy weighted histograms: docs/methods/boosted-trees.md#dp-histboost. */
export const method: Method<HistBoostStudy> = {
  sections: [histBoostSection],
  weighsPatients: true,
  withDefaults: withParameters,
  issues: histBoostIssues,
  plan: planHistBoost,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
  precision: async () => (await import("./precision.js")).precision,
};

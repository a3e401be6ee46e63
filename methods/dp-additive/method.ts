import type { Method } from "@consilium/core/method/method";
import { withParameters } from "../shared/trees/twoClasses.js";
import { type AdditiveStudy, additiveIssues, additiveSection, planAdditive } from "./study.js";

/** Additive boosting, one curve for each feature: docs/methods/boosted-trees.md#dp-additive. */
export const method: Method<AdditiveStudy> = {
  sections: [additiveSection],
  weighsPatients: true,
  withDefaults: withParameters,
  issues: additiveIssues,
  plan: planAdditive,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
  precision: async () => (await import("./precision.js")).precision,
};

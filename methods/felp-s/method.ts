import type { Method } from "@consilium/core/method/method";
import { type FelpSStudy, felpSIssues, felpSSection, planFelpS } from "./study.js";

/** Feature selection by sample and aggregate: docs/methods/feature-selection.md#felp-s. */
export const method: Method<FelpSStudy> = {
  sections: [felpSSection],
  answersByBlocks: true,
  issues: felpSIssues,
  plan: planFelpS,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
};

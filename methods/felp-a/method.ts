import type { Method } from "@consilium/core/method/method";
import { type FelpAStudy, felpAIssues, felpASection, planFelpA } from "./study.js";

/** Feature selection by noisy prototypes: docs/methods/feature-selection.md#felp-a. */
export const method: Method<FelpAStudy> = {
  sections: [felpASection],
  weighsPatients: true,
  issues: felpAIssues,
  plan: planFelpA,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
};

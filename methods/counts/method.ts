import type { Method } from "@consilium/core/method/method";
import { withMissingCounted } from "../shared/counts/missing.js";
import { type CountsStudy, countsIssues, countsSection, planCounts } from "./study.js";

/** How many records meet each of a few conditions: docs/methods/describe.md#counts. */
export const method: Method<CountsStudy> = {
  sections: [countsSection],
  weighsPatients: true,
  countsMissing: true,
  withNewDefaults: withMissingCounted,
  issues: countsIssues,
  plan: planCounts,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
  precision: async () => (await import("./precision.js")).precision,
};

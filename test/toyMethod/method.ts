import type { Method } from "@consilium/core/method/method";
import { planToy, type ToyStudy, toyIssues, toySection } from "./study.js";

export const method: Method<ToyStudy> = {
  sections: [toySection],
  issues: toyIssues,
  plan: planToy,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
};

import type { Method } from "@consilium/core/method/method";
import {
  planSurvival,
  type SurvivalStudy,
  survivalIssues,
  survivalSection,
  withTimesRefused,
} from "./study.js";

/** Survival by grouped times, cumulative hazards and incidences, restricted means and the log-rank test: docs/methods/survival.md. */
export const method: Method<SurvivalStudy> = {
  sections: [survivalSection],
  withNewDefaults: withTimesRefused,
  issues: survivalIssues,
  plan: planSurvival,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
  precision: async () => (await import("./precision.js")).precision,
};

import type { Method } from "@consilium/core/method/method";
import { withDpKaDefaults } from "./defaults.js";
import { type DpKaStudy, dpKaIssues, dpKaSection, planDpKa } from "./study.js";

/** K-anonymous selection with a proof: docs/methods/k-anonymous-selection.md#dp-ka. */
export const method: Method<DpKaStudy> = {
  sections: [dpKaSection],
  weighsPatients: true,
  withNoiseDefaults: withDpKaDefaults,
  issues: dpKaIssues,
  plan: planDpKa,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
  precision: async () => (await import("./precision.js")).precision,
};

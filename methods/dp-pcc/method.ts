import type { Method } from "@consilium/core/method/method";
import { withDpPccDefaults } from "./defaults.js";
import { type DpPccStudy, dpPccIssues, dpPccSection, planDpPcc } from "./study.js";

/** A correlation tree of noisy histograms: docs/methods/correlation-tree.md#dp-pcc. */
export const method: Method<DpPccStudy> = {
  sections: [dpPccSection],
  weighsPatients: true,
  withNoiseDefaults: withDpPccDefaults,
  issues: dpPccIssues,
  plan: planDpPcc,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
  precision: async () => (await import("./precision.js")).precision,
};

import type { Method } from "@consilium/core/method/method";
import { withDpPccSDefaults } from "./defaults.js";
import { type DpPccSStudy, dpPccSIssues, dpPccSSection, planDpPccS } from "./study.js";

/** A correlation tree by sample and aggregate: docs/methods/correlation-tree.md#dp-pcc-s. */
export const method: Method<DpPccSStudy> = {
  sections: [dpPccSSection],
  answersByBlocks: true,
  withNoiseDefaults: withDpPccSDefaults,
  issues: dpPccSIssues,
  plan: planDpPccS,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
  precision: async () => (await import("./precision.js")).precision,
};

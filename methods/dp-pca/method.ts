import type { Method } from "@consilium/core/method/method";
import { withBallDefault } from "./ball.js";
import { type DpPcaStudy, dpPcaIssues, dpPcaSection, planDpPca } from "./study.js";

/** Federated PCA with a proof: docs/methods/pca.md#dp-pca. */
export const method: Method<DpPcaStudy> = {
  sections: [dpPcaSection],
  weighsPatients: true,
  withNewDefaults: withBallDefault,
  issues: dpPcaIssues,
  plan: planDpPca,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
};

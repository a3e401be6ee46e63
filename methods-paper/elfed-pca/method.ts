import type { Method } from "@consilium/core/method/method";
import { type PaperPcaStudy, paperPcaIssues, paperPcaSection, planPaperPca } from "./study.js";

/** ELFedPCA [ZY22] and its baseline DPdisPCA [IS18]: docs/methods/pca.md#pca. */
export const elfedPca: Method<PaperPcaStudy> = {
  sections: [paperPcaSection],
  issues: paperPcaIssues,
  plan: planPaperPca,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
};

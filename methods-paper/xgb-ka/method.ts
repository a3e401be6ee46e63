import type { Method } from "@consilium/core/method/method";
import {
  greedyHamdistSection,
  type PaperKaStudy,
  paperKaIssues,
  planPaperKa,
  xgbKaSection,
} from "./study.js";

/** XGB-KA and its baseline Greedy-Hamdist: docs/methods/k-anonymous-selection.md#xgb-ka. */
export const xgbKa: Method<PaperKaStudy> = {
  sections: [xgbKaSection, greedyHamdistSection],
  issues: paperKaIssues,
  plan: planPaperKa,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
};

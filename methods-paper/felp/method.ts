import type { Method } from "@consilium/core/method/method";
import { type PaperFelpStudy, paperFelpIssues, paperFelpSection, planPaperFelp } from "./study.js";

/** FELP, FPLE, FWELL and FWELL-EN [LYJ16]: docs/methods/feature-selection.md#felp. */
export const felp: Method<PaperFelpStudy> = {
  sections: [paperFelpSection],
  issues: paperFelpIssues,
  plan: planPaperFelp,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
};

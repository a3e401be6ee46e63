import type { Method } from "@consilium/core/method/method";
import { type PearsonTreeStudy, pearsonIssues, pearsonTreeSection, planPearsonTree } from "./study.js";

/** The decision tree by Pearson's correlation [MLW18]: docs/methods/correlation-tree.md#pearson-tree. */
export const pearsonTree: Method<PearsonTreeStudy> = {
  sections: [pearsonTreeSection],
  issues: pearsonIssues,
  plan: planPearsonTree,
  togetherBy: ({ parameters }) => parameters.mapTasks ?? null,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
};

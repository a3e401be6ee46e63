import { wardStudy } from "@consilium/site-agent/testing/data/asWritten";
import { sites } from "./observedHospital.js";
import { rowsAllowed } from "./tables.js";

/**
 * A small study of every sound method. What dp-ka asks next follows from noisy sums that are released: here its noise and
 * its tests are such that every set of features that is small enough passes, whatever is wrong with one table of three.
 */
export const methods = {
  // A private ball has more stages, and those of a declared one too.
  "dp-pca": { analysis: "pca", parameters: { components: 1, ball: "private" } },
  "felp-a": { analysis: "feature-selection", parameters: { select: 1 } },
  "felp-s": { analysis: "feature-selection", parameters: { select: 1, blocks: 3 } },
  "dp-histboost": { analysis: "boosted-trees", parameters: { trees: 1, depth: 1 } },
  "dp-additive": { analysis: "boosted-trees", parameters: { epochs: 2 } },
  "dp-ka": {
    analysis: "k-anonymous-selection",
    parameters: { k: 2, kappa: 0.9, trees: 1, depth: 1, maxCells: 4 },
  },
  survival: {
    analysis: "survival",
    features: [
      { name: "a", type: "numeric", min: 0, max: 100 },
      { name: "sex", type: "categorical", levels: ["f", "m"] },
    ],
    parameters: { event: "poor" },
  },
  "dp-pcc": { analysis: "correlation-tree", parameters: { depth: 1, bins: 4 } },
  describe: { analysis: "describe", parameters: { bins: 4, tables: [["a", "sex"]] } },
  "synthetic-table": { analysis: "synthetic-table", label: undefined, parameters: { bins: 4, coarse: 3 } },
  counts: {
    analysis: "describe",
    parameters: { conditions: [{ name: "large", all: [{ column: "a", atLeast: 50 }] }] },
  },
  regression: { analysis: "regression", parameters: { steps: 3 } },
  "dp-pcc-s": { analysis: "correlation-tree", parameters: { depth: 1, bins: 4, blocks: 3 } },
} as const;
export type Method = keyof typeof methods;

export function soundStudy(method: Method, table: string): Record<string, unknown> {
  // A sum larger than the study allows would end it, and that a noisy sum tells too.
  const [epsilon, maxRowsPerSite] = method === "dp-ka" ? [20, 5 * rowsAllowed] : [5, rowsAllowed];
  const edges = method === "dp-ka";
  return {
    name: "frames",
    table,
    method,
    variant: "sound",
    features: [
      { name: "a", type: "numeric", min: 0, max: 100, ...(edges && { edges: [50] }) },
      { name: "b", type: "numeric", min: 0, max: 10, ...(edges && { edges: [5] }) },
      { name: "sex", type: "categorical", levels: ["f", "m"] },
    ],
    label: { name: "outcome", levels: ["good", "poor"] },
    privacy: { epsilon, delta: 1e-5 },
    participation: {
      sites,
      minimumSites: 3,
      maxRowsPerSite,
      phaseDeadline: "5m",
    },
    // A method of its own columns has them here.
    ...methods[method],
  };
}

/** The same of the table that is written as hospitals write theirs. */
export function writtenStudy(method: Method, table: string): Record<string, unknown> {
  const conditions = [{ name: "old", all: [{ column: "age", atLeast: 50 }] }];
  const study = { ...soundStudy(method, table), ...wardStudy };
  return method === "counts" ? { ...study, parameters: { conditions } } : study;
}

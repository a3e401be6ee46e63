import { sites } from "./observedHospital.js";
import { rowsAllowed } from "./tables.js";

/** A small study of every sound method. */
export const methods = {
  "dp-pca": { analysis: "pca", parameters: { components: 1 } },
  "felp-a": { analysis: "feature-selection", parameters: { select: 1 } },
  "felp-s": { analysis: "feature-selection", parameters: { select: 1, blocks: 3 } },
  "dp-histboost": { analysis: "boosted-trees", parameters: { trees: 1, depth: 1 } },
  "dp-ka": { analysis: "k-anonymous-selection", parameters: { k: 2, trees: 1, depth: 1, maxCells: 4 } },
  "dp-pcc": { analysis: "correlation-tree", parameters: { depth: 1, bins: 4 } },
  "dp-pcc-s": { analysis: "correlation-tree", parameters: { depth: 1, bins: 4, blocks: 3 } },
} as const;
export type Method = keyof typeof methods;

export function soundStudy(method: Method, table: string): Record<string, unknown> {
  const edges = method === "dp-ka";
  return {
    name: "frames",
    table,
    method,
    variant: "sound",
    ...methods[method],
    features: [
      { name: "a", type: "numeric", min: 0, max: 100, ...(edges && { edges: [50] }) },
      { name: "b", type: "numeric", min: 0, max: 10, ...(edges && { edges: [5] }) },
      { name: "sex", type: "categorical", levels: ["f", "m"] },
    ],
    label: { name: "outcome", levels: ["good", "poor"] },
    privacy: { epsilon: 5, delta: 1e-5 },
    participation: {
      sites,
      minimumSites: 3,
      maxRowsPerSite: rowsAllowed,
      phaseDeadline: "5m",
    },
  };
}

/** Of a method whose next step noisy sums decide: what left for the steps that both studies had. */
export function inCommonSteps(own: readonly string[], other: readonly string[]): [string[], string[]] {
  const stepOf = (line: string) => /"step":"([^"]*)"/.exec(line)?.[1] ?? "";
  const shared = (lines: readonly string[], steps: ReadonlySet<string>) =>
    lines.filter((line) => steps.has(stepOf(line)));
  return [shared(own, new Set(other.map(stepOf))), shared(other, new Set(own.map(stepOf)))];
}

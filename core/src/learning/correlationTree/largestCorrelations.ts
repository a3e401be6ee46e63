import { oneVersusRest } from "./phi.js";

/** The best cut of one attribute in every node, among the values that rows have, by one pass over them in order. */
export interface LargestCorrelations {
  /** [nodeCount] the largest |φ| of a cut and one class against the rest; 0 where there is none. */
  readonly correlations: Float64Array;
  /** [nodeCount] c, of equal ones the smallest: rows with x ≤ c are on one side. Only where the correlation is not 0. */
  readonly cuts: Float64Array;
}

/**
 * @param options.values - of the attribute, by row
 * @param options.rows - that take part
 * @param options.nodes - by row, each below nodeCount
 * @param options.labels - by row
 */
export function largestCorrelations(options: {
  readonly values: Float64Array;
  readonly rows: Uint32Array;
  readonly nodes: Uint16Array;
  readonly labels: Uint16Array;
  readonly nodeCount: number;
  readonly classes: number;
}): LargestCorrelations {
  const { values, nodes, labels, nodeCount, classes } = options;
  const order = options.rows.slice().sort((a, b) => values[a]! - values[b]!);
  const part = (of: Float64Array, node: number) => of.subarray(node * classes, (node + 1) * classes);
  const left = new Float64Array(nodeCount * classes);
  const right = new Float64Array(nodeCount * classes);
  for (const row of order) part(right, nodes[row]!)[labels[row]!]!++;
  const last = new Float64Array(nodeCount);
  const seen = new Uint8Array(nodeCount);
  const correlations = new Float64Array(nodeCount);
  const cuts = new Float64Array(nodeCount);
  for (const row of order) {
    const node = nodes[row]!;
    const value = values[row]!;
    if (seen[node] === 1 && value !== last[node]) {
      const correlation = oneVersusRest(part(left, node), part(right, node));
      if (correlation > correlations[node]!) {
        correlations[node] = correlation;
        cuts[node] = last[node]!;
      }
    }
    seen[node] = 1;
    last[node] = value;
    left[node * classes + labels[row]!]!++;
    right[node * classes + labels[row]!]!--;
  }
  return { correlations, cuts };
}

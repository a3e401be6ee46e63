import type { BinnedFeature } from "../../study/binning.js";
import { type LevelSplits, treeOfLevels } from "../trees/levels.js";
import type { LeafNode, SplitNode, TreeEnsemble } from "../trees/tree.js";
import type { Importance } from "./importance.js";

/** What a node's split is worth, |φ|, and the rows that it had, as the aggregator saw them. */
export type Worth = Pick<SplitNode, "gain" | "cover">;

/** A correlation tree with what its cuts are of. */
export interface CorrelationTree {
  /** One tree, one output for each class: their frequencies in the leaf, drawn towards equal ones. */
  readonly ensemble: TreeEnsemble;
  readonly features: readonly BinnedFeature[];
  /** In the order of the features. */
  readonly importance: readonly Importance[];
  /** Whether the root was split. */
  readonly isSplit: boolean;
  /** Rows over all leaves, with the noise of their counts. */
  readonly rows: number;
  /** Classes that no leaf predicts, by their index. */
  readonly unpredicted: readonly number[];
}

/**
 * The tree of a study's levels and leaves.
 *
 * A leaf with counts N_c, noise clipped at 0, has for class c the value (N_c + b/L)/(N + b), b the noise's standard
 * deviation but at least 1. So of two classes the second's value less the first's is (P - N)/(P + N + b), and a leaf of
 * noise says nothing strongly.
 * @param options.worths - per level and node
 * @param options.leaves - counts [2^h × L]
 */
export function correlationTree(options: {
  readonly features: readonly BinnedFeature[];
  readonly levels: readonly LevelSplits[];
  readonly worths: readonly (readonly Worth[])[];
  readonly leaves: { readonly counts: Float64Array; readonly stdDev: number };
  readonly importance: readonly Importance[];
}): CorrelationTree {
  const { features, levels, worths, leaves, importance } = options;
  const classes = leaves.counts.length / 2 ** levels.length;
  const made: LeafNode[] = [];
  const leafAt = (node: number): Pick<LeafNode, "values" | "cover"> => {
    const counts = leaves.counts.subarray(node * classes, (node + 1) * classes);
    const leaf = leafOf(counts, Math.max(leaves.stdDev, 1));
    made.push({ kind: "leaf", ...leaf });
    return leaf;
  };
  const tree = treeOfLevels(levels, (level, node) => worths[level]![node]!, leafAt);
  const predicted = new Set(made.map(({ values }) => values.indexOf(Math.max(...values))));
  return {
    ensemble: { trees: [tree], base: new Array<number>(classes).fill(0), link: "classes" },
    features,
    importance,
    isSplit: tree.nodes.length > 1,
    rows: made.reduce((sum, { cover }) => sum + cover, 0),
    unpredicted: Array.from({ length: classes }, (_, c) => c).filter((c) => !predicted.has(c)),
  };
}

function leafOf(counts: Float64Array, balance: number): Pick<LeafNode, "values" | "cover"> {
  const clipped = Array.from(counts, (count) => Math.max(0, count));
  const cover = clipped.reduce((sum, count) => sum + count, 0);
  return { cover, values: clipped.map((count) => (count + balance / counts.length) / (cover + balance)) };
}

import {
  classOf,
  type LeafNode,
  type SplitNode,
  type TreeEnsemble,
} from "@consilium/core/learning/trees/tree";
import type { BinnedFeature } from "../columns/binning.js";
import type { EvaluationResult } from "../evaluation/evaluationResult.js";
import { type LevelSplits, treeOfLevels } from "../trees/levels.js";
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
  /** On held-out rows; null where the study asked for none. */
  readonly evaluation: EvaluationResult | null;
}

/**
 * What a row that ends in a leaf adds to each class's output, [2^h × L], in multiples of 2^-24.
 *
 * A leaf with counts N_c, noise clipped at 0, has for class c the value (N_c + b/L)/(N + b), b the noise's standard
 * deviation but at least 1. So of two classes the second's value less the first's is (P - N)/(P + N + b), and a leaf of
 * noise says nothing strongly.
 * @param counts - [2^h × L]
 */
export function leafValues(counts: Float64Array, classes: number, stdDev: number): Float64Array {
  return valuesTowards(new Array<number>(classes).fill(1 / classes), counts, Math.max(stdDev, 1));
}

/**
 * The same, drawn towards the parts that the classes have in the whole tree: what a leaf's noise hides is as it is elsewhere, and
 * not even. One standard deviation of the noise is believed beforehand, so that a leaf seldom says another class for its
 * noise alone. The whole tree's parts are drawn towards even ones, by the noise in a sum over all leaves.
 */
export function noisyLeafValues(counts: Float64Array, classes: number, stdDev: number): Float64Array {
  if (stdDev === 0) return leafValues(counts, classes, stdDev);
  const leaves = counts.length / classes;
  const totals = Float64Array.from({ length: classes }, (_, c) => {
    let total = 0;
    for (let leaf = 0; leaf < leaves; leaf++) total += counts[leaf * classes + c]!;
    return Math.max(0, total);
  });
  const balance = Math.max(stdDev * Math.sqrt(leaves), 1);
  const all = rowsIn(totals) + balance;
  const parts = [...totals].map((total) => (total + balance / classes) / all);
  return valuesTowards(parts, counts, Math.max(stdDev, 1));
}

/** @param belief - rows that are believed beforehand to lie in each leaf as `parts` says */
function valuesTowards(parts: readonly number[], counts: Float64Array, belief: number): Float64Array {
  const classes = parts.length;
  const values = new Float64Array(counts.length);
  for (let at = 0; at < counts.length; at += classes) {
    const rows = rowsIn(counts.subarray(at, at + classes));
    for (let c = 0; c < classes; c++) {
      const value = (Math.max(0, counts[at + c]!) + belief * parts[c]!) / (rows + belief);
      values[at + c] = Math.round(value * valueUnit) / valueUnit;
    }
  }
  return values;
}

const valueUnit = 2 ** 24;

const rowsIn = (counts: Float64Array) => counts.reduce((sum, count) => sum + Math.max(0, count), 0);

/** A tree as it was grown. */
interface GrownLeaves {
  readonly levels: readonly LevelSplits[];
  /** Of the leaves, [2^h × L]. */
  readonly counts: Float64Array;
  /** As `leafValues` or `noisyLeafValues`. */
  readonly values: Float64Array;
}

/** One tree, one output for each class. @param worths - per level and node; 0 where nobody asks */
export function ensembleOfLeaves(
  { levels, counts, values }: GrownLeaves,
  worths: readonly (readonly Worth[])[] = [],
): TreeEnsemble {
  const classes = counts.length / 2 ** levels.length;
  const tree = treeOfLevels(
    levels,
    (level, node) => worths[level]?.[node] ?? { gain: 0, cover: 0 },
    (node) => {
      const own = [node * classes, (node + 1) * classes] as const;
      return { values: Array.from(values.subarray(...own)), cover: rowsIn(counts.subarray(...own)) };
    },
  );
  return { trees: [tree], base: new Array<number>(classes).fill(0), link: "classes" };
}

/**
 * The tree of a study's levels and leaves.
 * @param options.worths - per level and node
 */
export function correlationTree(
  options: GrownLeaves & {
    readonly features: readonly BinnedFeature[];
    readonly worths: readonly (readonly Worth[])[];
    readonly importance: readonly Importance[];
    readonly evaluation: EvaluationResult | null;
  },
): CorrelationTree {
  const { features, importance, evaluation } = options;
  const ensemble = ensembleOfLeaves(options, options.worths);
  const { nodes } = ensemble.trees[0]!;
  const leaves = nodes.filter((node): node is LeafNode => node.kind === "leaf");
  const predicted = new Set(leaves.map((leaf) => classOf(Float64Array.from(leaf.values), "classes")));
  return {
    ensemble,
    features,
    importance,
    isSplit: nodes.length > 1,
    rows: leaves.reduce((sum, { cover }) => sum + cover, 0),
    unpredicted: ensemble.base.map((_, c) => c).filter((c) => !predicted.has(c)),
    evaluation,
  };
}

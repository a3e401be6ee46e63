import {
  goesLeft,
  type LeafNode,
  type Split,
  type SplitNode,
  singleCut,
  type Tree,
  type TreeNode,
} from "@consilium/core/learning/trees/tree";
import type { BinColumn } from "@consilium/core/linalg/histograms";
import type { BinnedFeature } from "../columns/binning.js";

/**
 * Trees that grow level by level, as they are broadcast. Level ℓ of a tree has the nodes 0..2^ℓ-1; children of node v are
 * 2v (left) and 2v+1 (right). A node without a split sends all of its rows left, so that every row has a node at every
 * level and vectors keep their planned length.
 */

/** A level's splits, one per node; null where a node is not split. */
export type LevelSplits = readonly (Split | null)[];

/**
 * [2 × nodes] feature and cut of each node, -1 for no split: how a level is broadcast by methods that split by no sets.
 * @throws RangeError for a set of levels
 */
export function encodeSplits(splits: LevelSplits): Float64Array {
  return Float64Array.from(
    splits.flatMap((split) => (split === null ? [-1, -1] : [split.feature, singleCut(split)])),
  );
}

/**
 * A level's splits from a broadcast, which may come from anybody.
 * @throws RangeError when one asks for what is not there
 */
export function decodeSplits(values: Float64Array, features: readonly BinnedFeature[]): (Split | null)[] {
  if (values.length % 2 !== 0) throw new RangeError("a level's splits are pairs of feature and cut");
  return Array.from({ length: values.length / 2 }, (_, v) => {
    const [feature, cut] = [values[2 * v]!, values[2 * v + 1]!];
    if (feature === -1 && cut === -1) return null;
    const binned = features[feature];
    if (binned === undefined) throw new RangeError(`node ${v} is split by no feature of the study`);
    const cuts = binned.kind === "ordered" ? binned.bins - 1 : binned.bins;
    if (!Number.isInteger(cut) || cut < 0 || cut >= cuts)
      throw new RangeError(`node ${v} is cut where feature "${binned.name}" has no bin`);
    return { feature, cut };
  });
}

/** Moves each row's node one level down, in place. @param bins - per feature, the rows' bins */
export function descend(
  nodes: Uint16Array,
  splits: LevelSplits,
  features: readonly BinnedFeature[],
  bins: readonly BinColumn[],
): void {
  const sets = splits.map((split) => (split === null ? null : leftLevels(split)));
  for (let r = 0; r < nodes.length; r++) {
    const node = nodes[r]!;
    const split = splits[node]!;
    nodes[r] = 2 * node;
    if (split === null) continue;
    const bin = bins[split.feature]![r]!;
    const isLeft = sets[node]?.has(bin) ?? goesLeft(split, features[split.feature]!.kind, bin);
    if (!isLeft) nodes[r]! += 1;
  }
}

/** The levels of a set, to look rows up in: it may be long. Null for a single cut. */
function leftLevels({ cut }: Split): ReadonlySet<number> | null {
  return typeof cut === "number" ? null : new Set(cut);
}

/**
 * The tree of all levels. Nodes without a split pass straight on to the leaf at the end of their left children.
 * @param levels - from the root down
 * @param splitNode - gain and cover of a node
 * @param leaf - of a node after the last level
 */
export function treeOfLevels(
  levels: readonly LevelSplits[],
  about: (level: number, node: number) => Pick<SplitNode, "gain" | "cover">,
  leaf: (node: number) => Pick<LeafNode, "values" | "cover">,
): Tree {
  const nodes: TreeNode[] = [];
  const grow = (level: number, node: number): number => {
    const split = levels[level]?.[node];
    if (split === null) return grow(level + 1, 2 * node);
    const at = nodes.length;
    if (split === undefined) {
      nodes.push({ kind: "leaf", ...leaf(node) });
      return at;
    }
    nodes.push({ kind: "leaf", values: [], cover: 0 });
    const left = grow(level + 1, 2 * node);
    const right = grow(level + 1, 2 * node + 1);
    nodes[at] = { kind: "split", ...split, ...about(level, node), left, right };
    return at;
  };
  grow(0, 0);
  return { nodes };
}

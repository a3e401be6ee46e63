import type { LeafNode, Tree, TreeEnsemble, TreeNode } from "@consilium/core/learning/trees/tree";
import type { BinnedFeature } from "../shared/columns/binning.js";
import type { Curves } from "./curves.js";
import type { AdditiveLayout } from "./study.js";

/**
 * The curves as trees: of each feature one whose leaves are its bins. A row's output is the same sum, and whatever runs,
 * exports or evaluates trees takes it.
 * @param covers - [Σ bins] rows of each bin as the noisy sums show them, for nodes' covers
 */
export function ensembleOf(
  { intercept, values }: Curves,
  { features, offsets }: Pick<AdditiveLayout, "features" | "offsets">,
  covers: Float64Array,
): TreeEnsemble {
  return {
    trees: features.map((feature, f) => {
      const leaves = Array.from({ length: feature.bins }, (_, b): LeafNode => {
        const at = offsets[f]! + b;
        return { kind: "leaf", values: [values[at]!], cover: Math.max(0, covers[at]!) };
      });
      return curveTree(feature, f, leaves);
    }),
    base: [intercept],
    link: "logistic",
  };
}

/** A balanced tree of an ordered feature's bins; of a nominal one a chain that takes out level after level. */
function curveTree({ kind }: BinnedFeature, feature: number, leaves: readonly LeafNode[]): Tree {
  const nodes: TreeNode[] = [];
  const place = (node: TreeNode) => nodes.push(node) - 1;
  /** Puts the bins from `from` to before `to` behind what is there, and returns where their root is. */
  const grow = (from: number, to: number): number => {
    if (to - from === 1) return place(leaves[from]!);
    const middle = Math.ceil((from + to) / 2);
    const at = place(leaves[from]!);
    const [left, right] = [grow(from, middle), grow(middle, to)];
    nodes[at] = splitNode(feature, middle - 1, coverOf(leaves, from, to), left, right);
    return at;
  };
  if (kind === "ordered") {
    grow(0, leaves.length);
    return { nodes };
  }
  // Without recursion: a category may have very many levels.
  let cover = coverOf(leaves, 0, leaves.length);
  for (let level = 0; level < leaves.length - 1; level++) {
    const at = nodes.length;
    place(splitNode(feature, level, cover, at + 1, at + 2));
    place(leaves[level]!);
    cover -= leaves[level]!.cover;
  }
  place(leaves.at(-1)!);
  return { nodes };
}

function splitNode(feature: number, cut: number, cover: number, left: number, right: number): TreeNode {
  return { kind: "split", feature, cut, gain: 0, cover, left, right };
}

function coverOf(leaves: readonly LeafNode[], from: number, to: number): number {
  return leaves.slice(from, to).reduce((sum, { cover }) => sum + cover, 0);
}

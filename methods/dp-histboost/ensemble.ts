import type { Split, TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { treeOfLevels } from "../shared/trees/levels.js";
import type { FinishedTree } from "./broadcastTrees.js";
import type { ChosenSplit } from "./splits.js";

/** A finished tree, and what the aggregator knows beside it. */
interface DescribedTree extends FinishedTree {
  readonly chosen?: readonly (readonly (ChosenSplit | null)[])[];
  readonly covers?: Float64Array;
}

/** Without what the aggregator knows beside it. */
const splitAlone = (split: Split | null): Split | null =>
  split === null ? null : { feature: split.feature, cut: split.cut };

/**
 * F as one ensemble: the second class where it is positive. F is the log-odds, for weights are cut at 1
 * (docs/methods/boosted-trees.md#dp-histboost-link). Gains and covers are 0 at sites.
 */
export function ensembleOf(trees: readonly DescribedTree[]): TreeEnsemble {
  return {
    trees: trees.map(({ levels, leaves, chosen, covers }) =>
      treeOfLevels(
        levels.map((splits) => splits.map(splitAlone)),
        (level, node) => {
          const split = chosen?.[level]?.[node];
          return { gain: split?.gain ?? 0, cover: split?.cover ?? 0 };
        },
        (leaf) => ({ values: [leaves[leaf]!], cover: covers?.[leaf] ?? 0 }),
      ),
    ),
    base: [0],
    link: "logistic",
  };
}

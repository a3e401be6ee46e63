import { treeOfLevels } from "../trees/levels.js";
import type { TreeEnsemble } from "../trees/tree.js";
import type { FinishedTree } from "./broadcastTrees.js";
import type { ChosenSplit } from "./splits.js";

/** A finished tree, and what the aggregator knows beside it. */
interface DescribedTree extends FinishedTree {
  readonly chosen?: readonly (readonly (ChosenSplit | null)[])[];
  readonly covers?: Float64Array;
}

/** F as one ensemble: the second class where it is positive, and twice it as log-odds. Gains and covers are 0 at sites. */
export function ensembleOf(trees: readonly DescribedTree[]): TreeEnsemble {
  return {
    trees: trees.map(({ levels, leaves, chosen, covers }) =>
      treeOfLevels(
        levels,
        (level, node) => {
          const split = chosen?.[level]?.[node];
          return { gain: split?.gain ?? 0, cover: split?.cover ?? 0 };
        },
        (leaf) => ({ values: [leaves[leaf]!], cover: covers?.[leaf] ?? 0 }),
      ),
    ),
    base: [0],
    link: "margin",
  };
}

import { singleCut } from "@consilium/core/learning/trees/tree";
import type { BinnedFeature } from "../columns/binning.js";
import type { LevelSplits } from "../trees/levels.js";

/**
 * A tree's way down for one record, by its values: the same node as `descend` gives by bins. Nodes are flat: node v of level l
 * stands at 2^l - 1 + v.
 */
export interface Route {
  readonly depth: number;
  /** -1 where a node is not split: its records go left. */
  readonly features: Int32Array;
  /** A number below this goes left; of a nominal feature this level does. */
  readonly cuts: Float64Array;
  readonly nominal: Uint8Array;
}

/** @throws RangeError for splits by sets of levels */
export function routeOf(levels: readonly LevelSplits[], features: readonly BinnedFeature[]): Route {
  const nodes = 2 ** levels.length - 1;
  const route = {
    depth: levels.length,
    features: new Int32Array(nodes).fill(-1),
    cuts: new Float64Array(nodes),
    nominal: new Uint8Array(nodes),
  };
  levels.forEach((splits, level) => {
    splits.forEach((split, v) => {
      if (split === null) return;
      const at = 2 ** level - 1 + v;
      const { kind, edges } = features[split.feature]!;
      const cut = singleCut(split);
      route.features[at] = split.feature;
      route.nominal[at] = kind === "nominal" ? 1 : 0;
      // Bins up to the cut go left, and the next one begins at edges[cut].
      route.cuts[at] = kind === "nominal" ? cut : edges[cut]!;
    });
  });
  return route;
}

/** The node below the last level that a record comes to. */
export function nodeOf({ depth, features, cuts, nominal }: Route, values: Float64Array): number {
  let node = 0;
  for (let level = 0; level < depth; level++) {
    const at = 2 ** level - 1 + node;
    const feature = features[at]!;
    node *= 2;
    if (feature === -1) continue;
    const value = values[feature]!;
    if (nominal[at] === 1 ? value !== cuts[at] : value >= cuts[at]!) node++;
  }
  return node;
}

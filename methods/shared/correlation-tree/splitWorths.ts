import { oneVersusRest, sumOf } from "@consilium/core/linalg/phi";
import type { BinnedFeature } from "../columns/binning.js";
import type { LevelSplits } from "../trees/levels.js";
import type { Worth } from "./correlationTree.js";
import type { Importance } from "./importance.js";

/**
 * What each split is worth by the counts in the leaves below it, which are released anyway: |φ| of the rows that go left and
 * right, and their number.
 * @param counts - of the leaves, [2^h × L]; noise is clipped at 0
 * @returns per level and node
 */
export function splitWorths(
  levels: readonly LevelSplits[],
  counts: Float64Array,
  classes: number,
): Worth[][] {
  let below = counts.map((count) => Math.max(0, count));
  const worths: Worth[][] = [];
  for (let level = levels.length - 1; level >= 0; level--) {
    const nodes = 2 ** level;
    const own = new Float64Array(nodes * classes);
    worths.unshift(
      Array.from({ length: nodes }, (_, node): Worth => {
        const left = below.subarray(2 * node * classes, (2 * node + 1) * classes);
        const right = below.subarray((2 * node + 1) * classes, (2 * node + 2) * classes);
        for (let c = 0; c < classes; c++) own[node * classes + c] = left[c]! + right[c]!;
        return { gain: oneVersusRest(left, right), cover: sumOf(left) + sumOf(right) };
      }),
    );
    below = own;
  }
  return worths;
}

/** The features that the tree asks, each by its best split. */
export function usedFeatures(
  features: readonly BinnedFeature[],
  levels: readonly LevelSplits[],
  worths: readonly (readonly Worth[])[],
): Importance[] {
  const best = new Map<number, number>();
  for (const [level, splits] of levels.entries()) {
    for (const [node, split] of splits.entries()) {
      if (split === null) continue;
      const { gain } = worths[level]![node]!;
      best.set(split.feature, Math.max(gain, best.get(split.feature) ?? 0));
    }
  }
  return [...best].map(([feature, value]) => ({
    feature: features[feature]!.name,
    value,
    low: null,
    high: null,
  }));
}

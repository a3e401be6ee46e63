import { oneVersusRest } from "@consilium/core/linalg/phi";
import type { BinnedFeature } from "../columns/binning.js";
import type { Cut } from "./bestCut.js";

/** How strongly an attribute by itself goes with the class: |φ| of its best cut of all rows. */
export interface Importance {
  readonly feature: string;
  /** From 0 to 1; 0 where no cut could be looked at. */
  readonly value: number;
  /** 95 % of what the noise alone makes of it; null where there is none, or no cut. */
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * |φ| of a cut and how far the noise in its counts may have moved it: to first order, from the slope of |φ| in each of the
 * counts. That a cut was chosen because it looked best is not in the interval.
 * @param stdDev - of the noise of one bin and class; 0 without noise
 */
export function importanceOf(feature: BinnedFeature, cut: Cut | null, stdDev: number): Importance {
  if (cut === null) return { feature: feature.name, value: 0, low: null, high: null };
  const value = cut.correlation;
  if (stdDev === 0) return { feature: feature.name, value, low: null, high: null };
  const leftBins = feature.kind === "ordered" ? cut.cut + 1 : 1;
  const variance = (bins: number) => bins * stdDev ** 2;
  let squares = 0;
  for (let c = 0; c < cut.left.length; c++) {
    squares += slope(cut, c, "left") ** 2 * variance(leftBins);
    squares += slope(cut, c, "right") ** 2 * variance(feature.bins - leftBins);
  }
  const spread = 1.96 * Math.sqrt(squares);
  return {
    feature: feature.name,
    value,
    low: Math.max(0, value - spread),
    high: Math.min(1, value + spread),
  };
}

function slope(cut: Cut, c: number, side: "left" | "right"): number {
  const at = (by: number) => {
    const moved = { left: cut.left.slice(), right: cut.right.slice() };
    moved[side][c] = moved[side][c]! + by;
    return oneVersusRest(moved.left, moved.right);
  };
  const step = 1e-3 * Math.max(1, cut[side][c]!);
  return (at(step) - at(0)) / step;
}

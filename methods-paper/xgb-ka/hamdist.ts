import type { HistogramLayout } from "@consilium/methods/shared/trees/histograms";
import { binsOf } from "@consilium/methods/shared/trees/histograms";

/**
 * What a feature adds to the Hamming distances between records of different class [ZMDH17]: of all pairs of records of
 * different class, those that differ in the feature. Σ_{c<c'} (n_c·n_c' - Σ_v n_{c,v}·n_{c',v}).
 * @param counts - [bins × classes], whole numbers below 2^53
 */
export function hamDistScore(counts: ArrayLike<number>, classes: number): bigint {
  const bins = counts.length / classes;
  const exact = Array.from({ length: counts.length }, (_, i) => BigInt(counts[i]!));
  const totals = Array.from({ length: classes }, (_, c) => {
    let total = 0n;
    for (let v = 0; v < bins; v++) total += exact[v * classes + c]!;
    return total;
  });
  let score = 0n;
  for (let a = 0; a < classes; a++) {
    for (let b = a + 1; b < classes; b++) {
      score += totals[a]! * totals[b]!;
      for (let v = 0; v < bins; v++) score -= exact[v * classes + a]! * exact[v * classes + b]!;
    }
  }
  return score;
}

/** The score of every feature. @param sums - of a layout of one node with a channel for each class */
export function hamDistScores(sums: Float64Array, layout: HistogramLayout): bigint[] {
  return layout.features.map((_, f) => hamDistScore(binsOf(sums, layout, 0, f), layout.channels));
}

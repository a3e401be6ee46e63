import type { BinnedFeature } from "../../study/binning.js";
import type { Split } from "../trees/tree.js";

/** Counts of both classes. */
export type Counts = readonly [negative: number, positive: number];

const total = (counts: Counts) => counts[0] + counts[1];

/** n·(1 - Σ p_c²): the Gini index times the number of rows; 0 of none. */
export function giniCount(counts: Counts): number {
  const n = total(counts);
  return n === 0 ? 0 : n - (counts[0] ** 2 + counts[1] ** 2) / n;
}

/** The Gini index after a split: of both sides, each by its share of the rows. */
export function giniAfter(left: Counts, right: Counts): number {
  const n = total(left) + total(right);
  return n === 0 ? 0 : (giniCount(left) + giniCount(right)) / n;
}

/** A cut of a feature with the rows on both sides of it. */
export interface Candidate extends Split {
  readonly left: Counts;
  readonly right: Counts;
}

/**
 * Every cut of a feature in a node.
 * @param bins - [bins × 2] counts by bin and class
 */
export function candidatesOf(feature: number, binned: BinnedFeature, bins: Float64Array): Candidate[] {
  const counts = (bin: number): Counts => [bins[2 * bin]!, bins[2 * bin + 1]!];
  const all = Array.from({ length: binned.bins }, (_, bin) => counts(bin)).reduce(added, [0, 0]);
  let below: Counts = [0, 0];
  const cuts = binned.kind === "ordered" ? binned.bins - 1 : binned.bins;
  return Array.from({ length: cuts }, (_, cut) => {
    const own = counts(cut);
    below = added(below, own);
    const left = binned.kind === "ordered" ? below : own;
    return { feature, cut, left, right: [all[0] - left[0], all[1] - left[1]] as const };
  });
}

export function added(a: Counts, b: Counts): Counts {
  return [a[0] + b[0], a[1] + b[1]];
}

/**
 * Of candidates the first with the least Gini index among those that part the rows; null where none does. Differences below
 * 1e-12 are none: they come from rounding.
 */
export function leastGini(candidates: readonly Candidate[]): Candidate | null {
  let best: Candidate | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    if (total(candidate.left) === 0 || total(candidate.right) === 0) continue;
    const gini = giniAfter(candidate.left, candidate.right);
    if (gini < least - 1e-12) [best, least] = [candidate, gini];
  }
  return best;
}

/**
 * The cut of an ordered feature by the exponential mechanism over its intervals R_i: probability ∝
 * |R_i|·exp(ε''·q/(2Δq)), q = -Gini of the cut at the interval's upper end, Δq = 2.
 * @param widths - |R_i| of every candidate
 * @param uniform - in (0, 1)
 */
export function exponentialCut(
  candidates: readonly Candidate[],
  options: {
    readonly widths: readonly number[];
    readonly epsilon: number;
    readonly gini: "unnormalised" | "normalised";
    readonly uniform: number;
  },
): Candidate {
  const { widths, epsilon, gini, uniform } = options;
  const logs = candidates.map(({ left, right }, i) => {
    const impurity = gini === "normalised" ? giniAfter(left, right) : giniCount(left) + giniCount(right);
    return Math.log(widths[i]!) - (epsilon * impurity) / (2 * giniSensitivity);
  });
  const largest = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - largest));
  let left = uniform * weights.reduce((sum, weight) => sum + weight, 0);
  const drawn = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return candidates[drawn === -1 ? candidates.length - 1 : drawn]!;
}

/** Δq as printed: Friedman and Schuster's for the index by counts [FS10]. */
const giniSensitivity = 2;

/** |R_i| of each candidate of an ordered feature: the interval that ends at its cut. */
export function intervalWidths(binned: BinnedFeature, min: number): number[] {
  return Array.from(binned.edges, (edge, i) => edge - (i === 0 ? min : binned.edges[i - 1]!));
}

import type { Split } from "@consilium/core/learning/trees/tree";
import type { BinnedFeature } from "@consilium/methods/shared/columns/binning";

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

/** The rows on both sides of a cut. */
interface Sides {
  readonly left: Counts;
  readonly right: Counts;
}

/** A cut of a feature with the rows on both sides of it. */
export interface Candidate extends Split, Sides {}

/**
 * Every cut of an ordered feature in a node.
 * @param bins - [bins × 2] counts by bin and class
 */
export function orderedCandidates(feature: number, bins: Float64Array): Candidate[] {
  return prefixesOf(byBin(bins)).map((sides, cut) => ({ feature, cut, ...sides }));
}

/** Every cut of a nominal feature that takes one level out. @param bins - as `orderedCandidates` */
export function oneLevelCandidates(feature: number, bins: Float64Array): Candidate[] {
  const counts = byBin(bins);
  const all = counts.reduce(added, [0, 0]);
  return counts.map((own, level) => ({ feature, cut: [level], left: own, right: without(all, own) }));
}

/**
 * Of all 2^(v-1)-1 partings of a nominal feature's v levels one with the least Gini index. For two classes one of the v-1 cuts
 * of the levels in the order of their share of the second class is [BFOS84, theorem 4.5]. The side with fewer levels goes
 * left; levels without rows in the node, which no count can place, go right.
 * @param bins - as `orderedCandidates`
 * @returns null where fewer than two levels have rows
 */
export function bestSubset(feature: number, bins: Float64Array): Candidate | null {
  const counts = byBin(bins);
  const order = [...counts.keys()]
    .filter((level) => total(counts[level]!) > 0)
    .sort((a, b) => byShare(counts[a]!, counts[b]!) || a - b);
  const cuts = prefixesOf(order.map((level) => counts[level]!)).map((sides, i) => ({
    ...sides,
    size: i + 1,
  }));
  const best = leastGini(cuts);
  if (best === null) return null;
  const { left, right, size } = best;
  const ascending = (levels: readonly number[]) => [...levels].sort((a, b) => a - b);
  return 2 * size <= order.length
    ? { feature, cut: ascending(order.slice(0, size)), left, right }
    : { feature, cut: ascending(order.slice(size)), left: right, right: left };
}

/** Below 0 where the second class has a smaller share of a than of b: exact, without dividing. */
function byShare(a: Counts, b: Counts): number {
  return a[1] * b[0] - b[1] * a[0];
}

function byBin(bins: Float64Array): Counts[] {
  return Array.from({ length: bins.length / 2 }, (_, bin) => [bins[2 * bin]!, bins[2 * bin + 1]!]);
}

/** All cuts of a sequence in two parts that are not empty: the beginning is left. */
function prefixesOf(counts: readonly Counts[]): Sides[] {
  const all = counts.reduce(added, [0, 0]);
  let left: Counts = [0, 0];
  return counts.slice(0, -1).map((own) => {
    left = added(left, own);
    return { left, right: without(all, left) };
  });
}

function without(all: Counts, part: Counts): Counts {
  return [all[0] - part[0], all[1] - part[1]];
}

export function added(a: Counts, b: Counts): Counts {
  return [a[0] + b[0], a[1] + b[1]];
}

/**
 * Of candidates the first with the least Gini index among those that part the rows; null where none does. Differences below
 * 1e-12 are none: they come from rounding.
 */
export function leastGini<C extends Sides>(candidates: readonly C[]): C | null {
  let best: C | null = null;
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

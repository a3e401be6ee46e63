import type { BinnedFeature } from "../shared/columns/binning.js";

/**
 * How a feature goes with the label, from noisy counts by bin and class alone (docs/methods/k-anonymous-selection.md#dp-ka-order).
 *
 * With p_c the part of class c among all rows, R_bc = n_bc - n_b·p_c is what bin b has of the class beyond its part. If feature
 * and label say nothing of each other, its mean is 0 and its variance, sampling and noise,
 *
 *   V_bc = n_b·(1 - n_b/n)·p_c(1 - p_c) + σ²·((1 - p_c)² + (L - 1)·p_c²),
 *
 * so R²/V - 1 has mean 0 whatever the noise is: debiased. The association is Σ_c (1 - p_c)·Σ_b (R_bc²/V_bc - 1), of an ordered
 * feature on average over its bins by ones, twos, fours and so on. Without noise and at one resolution it is Pearson's χ²
 * less what chance makes of it, each bin weighted by n/(n - n_b).
 */
export interface Association {
  /** 0 on average where feature and label say nothing of each other; may be negative. */
  readonly value: number;
  /** Of the noise in it to first order, parts that share noise as if they moved together: rather too large. */
  readonly stdDev: number;
  /** What chance and noise alone exceed in one of twenty studies at most, over all features, to the χ² approximation. */
  readonly threshold: number;
}

/** Over all features: how often one without any association may be taken for one that has some. */
const falseAlarms = 0.05;

/** A bin, or some neighbours together. */
export interface BinGroup {
  /** By class, noisy. */
  readonly counts: Float64Array;
  /** Bins in it: so often its noise is that of one entry. */
  readonly bins: number;
}

/** What a feature's group of bins has of a class. */
export interface Residual {
  /** R. */
  readonly value: number;
  /** V; 0 where there is neither noise nor a row. */
  readonly variance: number;
  /** The noise in V. */
  readonly noiseVariance: number;
}

/**
 * Rows by class: the mean of all features' totals, each weighted by the inverse of its noise; at least 1 of each.
 * @param counts - of each feature [bins × classes]
 */
export function pooledTotals(counts: readonly Float64Array[], classes: number): Float64Array {
  const totals = new Float64Array(classes);
  let weights = 0;
  for (const own of counts) {
    const weight = classes / own.length;
    weights += weight;
    own.forEach((count, i) => {
      totals[i % classes]! += weight * count;
    });
  }
  return totals.map((total) => Math.max(total / weights, 1));
}

/** @param totals - rows by class @param stdDev - of the noise in one count */
export function residualOf(group: BinGroup, c: number, totals: Float64Array, stdDev: number): Residual {
  const all = sumOf(totals);
  const part = totals[c]! / all;
  const rows = sumOf(group.counts);
  const inside = Math.min(Math.max(rows, 0), all);
  const noiseVariance = group.bins * stdDev ** 2 * ((1 - part) ** 2 + (totals.length - 1) * part ** 2);
  return {
    value: group.counts[c]! - rows * part,
    variance: inside * (1 - inside / all) * part * (1 - part) + noiseVariance,
    noiseVariance,
  };
}

/**
 * @param counts - [bins × classes], noisy
 * @param features - how many are compared
 */
export function associationOf(options: {
  readonly counts: Float64Array;
  readonly kind: BinnedFeature["kind"];
  readonly totals: Float64Array;
  readonly stdDev: number;
  readonly features: number;
}): Association {
  const { counts, kind, totals, stdDev, features } = options;
  const all = resolutions(counts, kind, totals.length);
  // A χ² of k degrees of freedom exceeds k by 2√(kx) + 2x with probability e^-x at most [LM00]; their mean exceeds the mean of
  // such bounds only where one of them exceeds its own.
  const x = Math.log((features * all.length) / falseAlarms);
  const sums = { value: 0, stdDev: 0, threshold: 0 };
  for (const groups of all) {
    const one = atResolution(groups, totals, stdDev);
    sums.value += one.value / all.length;
    sums.stdDev += one.stdDev / all.length;
    sums.threshold += (2 * Math.sqrt(one.freedom * x) + 2 * x) / all.length;
  }
  return sums;
}

/** An ordered feature's bins by ones, twos, fours and so on, as long as there are two groups; a nominal one's as they are. */
export function resolutions(
  counts: Float64Array,
  kind: BinnedFeature["kind"],
  classes: number,
): BinGroup[][] {
  const bins = counts.length / classes;
  let groups = Array.from(
    { length: bins },
    (_, b): BinGroup => ({ counts: counts.slice(b * classes, (b + 1) * classes), bins: 1 }),
  );
  const all = [groups];
  while (kind === "ordered" && groups.length > 2) {
    groups = pairsOf(groups);
    all.push(groups);
  }
  return all;
}

function pairsOf(groups: readonly BinGroup[]): BinGroup[] {
  return Array.from({ length: Math.ceil(groups.length / 2) }, (_, i) => {
    const [first, second] = [groups[2 * i]!, groups[2 * i + 1]];
    if (second === undefined) return first;
    return {
      counts: first.counts.map((count, c) => count + second.counts[c]!),
      bins: first.bins + second.bins,
    };
  });
}

function atResolution(
  groups: readonly BinGroup[],
  totals: Float64Array,
  stdDev: number,
): { readonly value: number; readonly stdDev: number; readonly freedom: number } {
  const all = sumOf(totals);
  let [value, noise, freedom] = [0, 0, 0];
  for (const group of groups) {
    let [own, spread] = [0, 0];
    totals.forEach((total, c) => {
      const residual = residualOf(group, c, totals, stdDev);
      if (!(residual.variance > 0)) return;
      const weight = 1 - total / all;
      const square = residual.value ** 2 / residual.variance;
      const part = residual.noiseVariance / residual.variance;
      own += weight * (square - 1);
      // Of (z + √part·N)², N normal: 4z²·part + 2·part².
      spread += weight * Math.sqrt(4 * square * part + 2 * part ** 2);
      freedom += weight;
    });
    value += own;
    noise += spread ** 2;
  }
  return { value, stdDev: Math.sqrt(noise), freedom };
}

const sumOf = (values: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
};

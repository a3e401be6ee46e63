import { z95 } from "@consilium/core/linalg/z95";
import type { CountTable } from "./consistent.js";
import type { NumberSections, NumberSums } from "./numbers.js";

/** Σz by everything that tells it (docs/methods/describe.md#joined-sum). */
export interface JoinedSum {
  readonly value: number;
  /** Variance of its noise, and the covariance of that with the noise in the number of records with a value. */
  readonly noise: { readonly top: number; readonly both: number };
  /** At most so much of the mean of z comes from where in their cells the records lie. */
  readonly within: number;
}

/**
 * The moment, joined with what the counts tell: of each record the mean of z over its interval by the counts of intervals, as far as those are
 * the less noisy ones, and how far it is from that by the small cells. All are linear in the sums, so that the noise is known; a
 * record may lie anywhere in its small cell, so that more of the counts is taken only while it lowers noise and that together.
 * @param rows - with a value, as the noisy counts have them
 */
export function joinedSum(
  sections: NumberSections,
  sums: NumberSums,
  table: CountTable,
  rows: number,
): JoinedSum {
  const moment = sums.noise.sum ** 2;
  const cells = byCells(sections, sums, table);
  const { widest } = cells;
  const weight = weightOfCells(moment, cells.noise.top, (widest / 2) * Math.max(0, rows));
  return {
    value: sums.sum + weight * (cells.value - sums.sum),
    noise: {
      top: (1 - weight) ** 2 * moment + weight ** 2 * cells.noise.top,
      both: weight * cells.noise.both,
    },
    within: (weight * widest) / 2,
  };
}

/** Σz by the counts alone, each record at the middle of its small cell. */
function byCells(
  { min, max, cells: { edges, declared }, root }: NumberSections,
  { counts, noise }: NumberSums,
  { noisy, cellVariance, totalVariance }: CountTable,
) {
  const z = (value: number) => (value - min) / (max - min) - 1 / 2;
  // C⁻ᵀ of z of the small cells, and of its means over the intervals.
  const [own, means] = [new Float64Array(root.run), new Float64Array(root.run)];
  let [sum, byMeans, byIntervals, widest] = [0, 0, 0, 0];
  let [squares, total] = [0, 0];
  for (let k = 0; k + 1 < declared.length; k++) {
    const [from, end] = [declared[k]!, declared[k + 1]!];
    let [middles, counted] = [0, 0];
    for (let b = from; b < end; b++) {
      const [low, high] = [z(edges[b]!), z(edges[b + 1]!)];
      const middle = (low + high) / 2;
      middles += middle;
      counted += counts[b]!;
      sum += counts[b]! * middle;
      widest = Math.max(widest, high - low);
      root.addCell(own, b, middle);
    }
    const mean = middles / (end - from);
    root.addCells(means, from, end, mean);
    byMeans += mean * counted;
    byIntervals += mean * noisy[k]!;
    squares += mean ** 2;
    total += mean;
  }
  const run = noise.run ** 2;
  const flat =
    cellVariance * (squares - total ** 2 / noisy.length) + totalVariance * (total / noisy.length) ** 2;
  const bottom = flat + run * dot(means, means);
  const part = bottom === 0 ? 0 : (run * dot(own, means)) / bottom;
  const left = own.map((one, i) => one - part * means[i]!);
  const share = (declared.length - 1) / noisy.length;
  return {
    value: sum + part * (byIntervals - byMeans),
    noise: {
      top: part ** 2 * flat + run * dot(left, left),
      both: part * total * (cellVariance * (1 - share) + (totalVariance * share) / noisy.length),
    },
    widest,
  };
}

const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, one, i) => sum + one * b[i]!, 0);

/** Weight κ of two with variances v and c for which 1.96·√((1 - κ)²v + κ²c) + κ·within is least: the slope ascends. */
function weightOfCells(v: number, c: number, within: number): number {
  const slope = (k: number) =>
    (z95 * (k * c - (1 - k) * v)) / Math.sqrt((1 - k) ** 2 * v + k ** 2 * c) + within;
  if (!(v > 0) || slope(0) >= 0) return 0;
  let [low, high] = [0, 1];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (slope(middle) < 0) low = middle;
    else high = middle;
  }
  return low;
}

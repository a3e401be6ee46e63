import { z95 } from "@consilium/core/linalg/z95";
import { countEstimate } from "../shared/counts/noisyCount.js";
import type { Estimate } from "../shared/evaluation/estimate.js";
import type { CountTable } from "./consistent.js";
import { joinedSum } from "./joinedSum.js";
import type { NumberSections, NumberSums } from "./numbers.js";
import { Distribution, varianceOf } from "./quantiles.js";

/**
 * What the noisy sums say of a column. Counts are of the sites' records, and their intervals cover the noise; shares,
 * means, standard deviations and quantiles are of the population that the records are drawn from, and their intervals cover that
 * too. Derivations: docs/methods/describe.md#describe-intervals.
 */
export interface ColumnStatistics extends CellStatistics {
  /** Null of a category. */
  readonly numbers: NumberStatistics | null;
}

export interface CellStatistics {
  /** Of each cell. */
  readonly counts: readonly Estimate[];
  /** Of each cell among the records with a value; of missing values among all records. */
  readonly shares: readonly Estimate[];
}

export interface NumberStatistics {
  readonly mean: Estimate;
  /** Null where its interval is too wide for a number to be read off it. */
  readonly stdDev: { readonly value: number | null; readonly low: number; readonly high: number };
  readonly lowerQuartile: Estimate;
  readonly median: Estimate;
  readonly upperQuartile: Estimate;
}

/**
 * @param missing - the cell of missing values, where there is one
 * @param number - null of a category
 */
export function columnStatistics(
  table: CountTable,
  missing: number | null,
  number: { readonly sections: NumberSections; readonly sums: NumberSums } | null,
): ColumnStatistics {
  const cells = cellStatistics(table, missing);
  return { ...cells, numbers: number && numberStatistics(number.sections, number.sums, table) };
}

/** @param missing - the cell of missing values, where there is one */
export function cellStatistics(table: CountTable, missing: number | null): CellStatistics {
  const cells = table.noisy.length;
  const present = missing === null ? cells : cells - 1;
  const sumOf = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
  const [all, counted] = [sumOf(table.noisy), sumOf(table.counts)];
  const cellNoise = varianceOf(table, 1, 1);
  const counts = Array.from(table.noisy, (noisy, b) =>
    including(countEstimate(noisy, Math.sqrt(cellNoise)), table.counts[b]!),
  );
  const shares = Array.from(table.noisy, (noisy, b) => {
    const isMissing = b === missing || missing === null;
    const without = isMissing ? 0 : 1;
    const bottom = isMissing ? cells : present;
    // Missing values are the last cell.
    const [n, kept] = [all - without * table.noisy[cells - 1]!, counted - without * table.counts[cells - 1]!];
    return ratio({
      // As for counts: cutting brings it no further from what is not negative.
      top: Math.max(0, noisy),
      bottom: n,
      // Of y_b, of n, and of both: Σa·b over cells is 1, since n counts the cell.
      noise: {
        top: cellNoise,
        bottom: varianceOf(table, bottom, bottom),
        both: covarianceOf(table, bottom),
      },
      sampling: [0, 1, -1],
      range: [0, 1],
      value: kept > 0 ? table.counts[b]! / kept : 1 / 2,
    });
  });
  return { counts, shares };
}

/** Covariance of the noise in one cell's count and in the sum of several cells' counts, that cell among them. */
function covarianceOf({ noisy, cellVariance, totalVariance }: CountTable, cells: number): number {
  const mean = cells / noisy.length;
  return cellVariance * (1 - mean) + (totalVariance * mean) / noisy.length;
}

interface Ratio {
  /** T and n, noisy. */
  readonly top: number;
  readonly bottom: number;
  /** Variances of the noise in T and n, and their covariance. */
  readonly noise: { readonly top: number; readonly bottom: number; readonly both: number };
  /** What one record drawn at random adds to the variance of T - r·n: q₀ + q₁r + q₂r². */
  readonly sampling: readonly [number, number, number];
  /** Where r can lie. */
  readonly range: readonly [number, number];
  /** What is released of it. */
  readonly value: number;
}

/**
 * Every r for which T - r·n is at most z of its standard deviations from 0: without noise
 * of a share that is Wilson's interval [Wil27], without sampling Fieller's [Fie54]. All of the range where n is lost in the noise.
 */
function ratio({ top: t, bottom: n, noise, sampling, range, value: released }: Ratio): Estimate {
  const [low, high] = range;
  const value = clip(released, range);
  const drawn = Math.max(n, 0);
  const [q0, q1, q2] = sampling;
  const z2 = z95 ** 2;
  const a = n ** 2 - z2 * (drawn * q2 + noise.bottom);
  const b = -2 * t * n - z2 * (drawn * q1 - 2 * noise.both);
  const c = t ** 2 - z2 * (drawn * q0 + noise.top);
  const discriminant = b ** 2 - 4 * a * c;
  if (!(n > 0 && a > 0 && discriminant >= 0)) return { value, low, high };
  const root = Math.sqrt(discriminant);
  const ends = { low: clip((-b - root) / (2 * a), range), high: clip((-b + root) / (2 * a), range) };
  return including({ value, ...ends }, value);
}

/** With the released value in its interval. */
function including({ low, high }: Estimate, value: number): Estimate {
  return { value, low: Math.min(low, value), high: Math.max(high, value) };
}

/** Half of the interval of a standard deviation that is told is at most such a part of it. */
const toldWithin = 1 / 4;

function numberStatistics(sections: NumberSections, sums: NumberSums, table: CountTable): NumberStatistics {
  const { min, max } = sections;
  const intervals = sections.cells.declared.length - 1;
  const n = table.noisy.subarray(0, intervals).reduce((sum, count) => sum + count, 0);
  const counted = varianceOf(table, intervals, intervals);
  const [ofSum, ofSquares] = [sums.noise.sum ** 2, sums.noise.squares ** 2];
  const rows = Math.max(n, 0);
  const m = rows > 0 ? clip(sums.sum / rows, [-1 / 2, 1 / 2]) : 0;
  const v = rows > 0 ? clip(sums.squares / rows + 1 / 8 - m ** 2, [0, 1 / 4]) : 0;
  const joined = joinedSum(sections, sums, table, n);
  const halves = [-1 / 2, 1 / 2] as const;
  const mean = ratio({
    top: joined.value,
    bottom: n,
    noise: { top: joined.noise.top, bottom: counted, both: joined.noise.both },
    sampling: [v, 0, 0],
    range: halves,
    value: rows > 0 ? joined.value / rows : 0,
  });
  const { within } = joined;
  // Σ(z - m)², m as it is: how far it is off enters squared.
  const offset = 1 / 8 + m ** 2;
  const distribution = new Distribution(sections, sums, table);
  const range = max - min;
  // A quarter of what lies between the outer tenths: no standard deviation is below .89 of it, and its noise is not that of the sums, so that
  // none is told because noise made it large (docs/methods/describe.md#told).
  const [low10, high90] = [0.1, 0.9].map((q) => distribution.quantile(q).value);
  const spread = (high90! - low10!) / (4 * range);
  const ofVariance = ofSquares + 4 * m ** 2 * ofSum + (offset - v) ** 2 * counted;
  const isClear = z95 * Math.sqrt(ofVariance) <= 2 * toldWithin * spread ** 2 * rows;
  const fourth = fourthMoment(sections, sums, m) / Math.max(rows, 1);
  const drawn = Math.max(0, fourth - v ** 2);
  const variance = ratio({
    top: sums.squares - 2 * m * sums.sum + offset * n,
    bottom: n,
    noise: {
      top: ofSquares + 4 * m ** 2 * ofSum + offset ** 2 * counted,
      bottom: counted,
      both: offset * counted,
    },
    // In proportion to the variance squared where that is clear of noise: a sample that lacks the tail has a small one of both.
    sampling: isClear && v > 0 ? [0, 0, drawn / v ** 2] : [drawn, 0, 0],
    range: [0, 1 / 4],
    value: v,
  });
  const scaled = (z: number) => min + (z + 1 / 2) * range;
  const deviation = (of: number) => Math.sqrt(of) * range;
  const [low, high] = [deviation(variance.low), deviation(variance.high)];
  const stdDev = deviation(variance.value);
  return {
    mean: {
      value: scaled(mean.value),
      low: scaled(clip(mean.low - within, halves)),
      high: scaled(clip(mean.high + within, halves)),
    },
    stdDev: { value: isClear && (high - low) / 2 <= toldWithin * stdDev ? stdDev : null, low, high },
    lowerQuartile: distribution.quantile(0.25),
    median: distribution.quantile(0.5),
    upperQuartile: distribution.quantile(0.75),
  };
}

/**
 * Σ(z - m)⁴ by the small cells, each record at the middle of its own, and what its noise may hide: for sampling alone, which a sum that
 * noise made small would not cover.
 */
function fourthMoment(
  { min, max, cells: { edges }, root }: NumberSections,
  { counts, noise }: NumberSums,
  m: number,
): number {
  const slope = new Float64Array(root.run);
  const sum = counts.reduce((total, count, b) => {
    const z = ((edges[b]! + edges[b + 1]!) / 2 - min) / (max - min) - 1 / 2;
    const square = (z - m) ** 2;
    const fourth = square * square;
    root.addCell(slope, b, fourth);
    return total + count * fourth;
  }, 0);
  return sum + z95 * noise.run * Math.hypot(...slope);
}

const clip = (x: number, [low, high]: readonly [number, number]) => Math.min(high, Math.max(low, x));

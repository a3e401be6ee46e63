import type { Feature, NumericFeature } from "@consilium/core/study/features";
import type { CountedFeature } from "../shared/columns/counted.js";
import { countEstimate } from "../shared/counts/noisyCount.js";
import type { Estimate } from "../shared/evaluation/estimate.js";
import { z95 } from "../shared/evaluation/normal.js";
import type { CountTable } from "./consistent.js";

/**
 * What a table of noisy counts says of its column. Counts are of the sites' records, and their intervals cover the noise; shares,
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
  /** Interval of each cell but that of missing values: from edges[b] to edges[b + 1]. */
  readonly edges: readonly number[];
  readonly mean: Rounded;
  readonly stdDev: Rounded;
  readonly lowerQuartile: Estimate;
  readonly median: Estimate;
  readonly upperQuartile: Estimate;
}

/** An estimate from intervals, which the records' own numbers could differ from by so much. */
export interface Rounded extends Estimate {
  readonly discretisation: number;
}

export function columnStatistics(
  feature: Feature,
  counted: CountedFeature,
  table: CountTable,
): ColumnStatistics {
  const cells = cellStatistics(table, counted.missing);
  const numbers = feature.type === "numeric" ? numberStatistics(feature, counted, table) : null;
  return { ...cells, numbers };
}

/** @param missing - the cell of missing values, where there is one */
export function cellStatistics(table: CountTable, missing: number | null): CellStatistics {
  const noise = noiseOf(table);
  const cells = table.noisy.length;
  const present = presentIn(cells, missing);
  const all = new Float64Array(cells).fill(1);
  const at = (cell: number) => Float64Array.from({ length: cells }, (_, b) => (b === cell ? 1 : 0));
  const counts = Array.from({ length: cells }, (_, b) => {
    const inside = at(b);
    return including(countEstimate(table.noisy[b]!, Math.sqrt(noise(inside, inside))), table.counts[b]!);
  });
  const shares = Array.from({ length: cells }, (_, b) =>
    ratio(table, noise, {
      top: at(b),
      bottom: b === missing ? all : present,
      sampling: [0, 1, -1],
      range: [0, 1],
    }),
  );
  return { counts, shares };
}

/** 1 for each cell but that of missing values. */
const presentIn = (cells: number, missing: number | null) =>
  Float64Array.from({ length: cells }, (_, b) => (b === missing ? 0 : 1));

/** Covariance of the noise in Σ a_b·y_b and in Σ b_b·y_b: each cell's own, but for what all have in common, which the total decides. */
type Noise = (a: Float64Array, b: Float64Array) => number;

function noiseOf({ noisy, cellVariance, totalVariance }: CountTable): Noise {
  const cells = noisy.length;
  return (a, b) => {
    const means = (sum(a) * sum(b)) / cells;
    return cellVariance * (dot(a, b) - means) + (totalVariance * means) / cells;
  };
}

interface Ratio {
  /** a and b of Σ a_b·y_b / Σ b_b·y_b. */
  readonly top: Float64Array;
  readonly bottom: Float64Array;
  /** What one record drawn at random adds to the variance of Σ a_b·y_b - r·Σ b_b·y_b: q₀ + q₁r + q₂r². */
  readonly sampling: readonly [number, number, number];
  /** Where r can lie. */
  readonly range: readonly [number, number];
}

/**
 * Every r for which T - r·n is at most z of its standard deviations from 0, T and n the noisy sums above and below: without noise
 * of a share that is Wilson's interval [Wil27], without sampling Fieller's [Fie54]. All of the range where n is lost in the noise.
 */
function ratio(table: CountTable, noise: Noise, { top, bottom, sampling, range }: Ratio): Estimate {
  const [low, high] = range;
  const rows = dot(bottom, table.counts);
  const value = rows > 0 ? clip(dot(top, table.counts) / rows, range) : (low + high) / 2;
  const t = dot(top, table.noisy);
  const n = dot(bottom, table.noisy);
  const drawn = Math.max(n, 0);
  const [q0, q1, q2] = sampling;
  const z2 = z95 ** 2;
  const a = n ** 2 - z2 * (drawn * q2 + noise(bottom, bottom));
  const b = -2 * t * n - z2 * (drawn * q1 - 2 * noise(top, bottom));
  const c = t ** 2 - z2 * (drawn * q0 + noise(top, top));
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

interface NumericTable {
  readonly table: CountTable;
  readonly noise: Noise;
  readonly present: Float64Array;
}

function numberStatistics(
  feature: NumericFeature,
  { binned, missing }: CountedFeature,
  table: CountTable,
): NumberStatistics {
  const noise = noiseOf(table);
  const present = presentIn(table.noisy.length, missing);
  const edges = [feature.min, ...binned.edges, feature.max];
  const cells = present.length;
  const widths = Float64Array.from({ length: cells }, (_, b) =>
    b < binned.bins ? edges[b + 1]! - edges[b]! : 0,
  );
  // From the middle of the range, so that large numbers of little spread keep their digits.
  const centre = (feature.min + feature.max) / 2;
  const middles = Float64Array.from({ length: cells }, (_, b) =>
    b < binned.bins ? (edges[b]! + edges[b + 1]!) / 2 - centre : 0,
  );
  const shape = shapeOf(table.counts, middles, widths, present);
  const half = (feature.max - feature.min) / 2;
  const mean = ratio(table, noise, {
    top: middles,
    bottom: present,
    sampling: [shape.variance, 0, 0],
    range: [-half, half],
  });
  const squares = middles.map((middle, b) =>
    present[b] === 0 ? 0 : (middle - shape.mean) ** 2 + widths[b]! ** 2 / 12,
  );
  const variance = ratio(table, noise, {
    top: squares,
    bottom: present,
    sampling: [Math.max(0, shape.fourth - shape.variance ** 2), 0, 0],
    range: [0, half ** 2],
  });
  const quantile = (q: number) => quantileOf(edges, q, { table, noise, present });
  return {
    edges,
    mean: {
      value: mean.value + centre,
      low: mean.low + centre,
      high: mean.high + centre,
      discretisation: shape.meanError,
    },
    stdDev: {
      value: Math.sqrt(variance.value),
      low: Math.sqrt(variance.low),
      high: Math.sqrt(variance.high),
      discretisation: shape.stdDevError,
    },
    lowerQuartile: quantile(0.25),
    median: quantile(0.5),
    upperQuartile: quantile(0.75),
  };
}

/** Moments of the released counts, each interval's records spread evenly over it, and how far they can be from those of the records. */
function shapeOf(counts: Float64Array, middles: Float64Array, widths: Float64Array, present: Float64Array) {
  const rows = dot(counts, present);
  const expected = (of: (cell: number) => number) => {
    if (!(rows > 0)) return 0;
    let total = 0;
    for (let b = 0; b < counts.length; b++) if (present[b] === 1) total += (counts[b]! / rows) * of(b);
    return total;
  };
  const mean = expected((b) => middles[b]!);
  const between = expected((b) => (middles[b]! - mean) ** 2);
  const variance = between + expected((b) => widths[b]! ** 2 / 12);
  const fourth = expected((b) => {
    const [distance, width] = [(middles[b]! - mean) ** 2, widths[b]! ** 2];
    return distance ** 2 + distance * (width / 2) + width ** 2 / 80;
  });
  // A record is at most half a width from its interval's middle; standard deviations obey the triangle inequality.
  const meanError = expected((b) => widths[b]! / 2);
  const reach = Math.sqrt(expected((b) => widths[b]! ** 2 / 4));
  const [own, ofMiddles] = [Math.sqrt(variance), Math.sqrt(between)];
  const stdDevError = Math.max(own - Math.max(0, ofMiddles - reach), ofMiddles + reach - own);
  return { mean, variance, fourth, meanError, stdDevError };
}

/**
 * A quantile: from the released counts, evenly within its interval. Its confidence interval ends at declared edges, of which the
 * counts tell whether more or less than q of the population lies below: so it supposes nothing of what lies between edges [Woo52].
 */
function quantileOf(edges: readonly number[], q: number, { table, noise, present }: NumericTable): Estimate {
  const bins = edges.length - 1;
  const rows = Math.max(0, dot(present, table.noisy));
  /** How far the part below an edge is from q, in standard deviations. */
  const deviations = (edge: number) => {
    const apart = present.map((one, b) => one * ((b < edge ? 1 : 0) - q));
    const spread = Math.sqrt(noise(apart, apart) + rows * q * (1 - q));
    return spread > 0 ? dot(apart, table.noisy) / spread : 0;
  };
  let low = 0;
  while (low + 1 < bins && deviations(low + 1) < -z95) low++;
  let high = bins;
  while (high - 1 > low && deviations(high - 1) > z95) high--;
  const value = clip(evenQuantile(edges, q, table.counts), [edges[low]!, edges[high]!]);
  return { value, low: edges[low]!, high: edges[high]! };
}

function evenQuantile(edges: readonly number[], q: number, counts: Float64Array): number {
  const bins = edges.length - 1;
  let rows = 0;
  for (let b = 0; b < bins; b++) rows += counts[b]!;
  let left = q * rows;
  for (let b = 0; b < bins; b++) {
    const own = counts[b]!;
    if (own > 0 && left <= own) return edges[b]! + (left / own) * (edges[b + 1]! - edges[b]!);
    left -= own;
  }
  return (edges[0]! + edges[bins]!) / 2;
}

const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);

function dot(a: Float64Array, b: Float64Array): number {
  let total = 0;
  for (let i = 0; i < a.length; i++) total += a[i]! * b[i]!;
  return total;
}

const clip = (x: number, [low, high]: readonly [number, number]) => Math.min(high, Math.max(low, x));

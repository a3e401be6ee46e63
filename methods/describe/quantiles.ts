import { z95 } from "@consilium/core/linalg/z95";
import { rising } from "../shared/counts/rising.js";
import type { Root } from "../shared/counts/root.js";
import type { Estimate } from "../shared/evaluation/estimate.js";
import type { CountTable } from "./consistent.js";
import type { NumberSections, NumberSums } from "./numbers.js";

/**
 * How many records lie below each edge of a column's small cells (docs/methods/describe.md#quantiles): from the prefix sums of the small
 * cells, moved at declared edges to what the counts of intervals say as well, by the inverse variances, and in proportion between them.
 * Quantiles are those of the likeliest such numbers, intervals are from unbiased ones.
 */
export class Distribution {
  readonly #sections: NumberSections;
  readonly #table: CountTable;
  readonly #runVariance: number;
  /** Records with a value. */
  readonly #records: number;
  /** [intervals + 1] how far prefix sums are moved towards the counts, from 0 to 1. */
  readonly #trust: Float64Array;
  /** [cells + 1] unbiased. */
  readonly #below: Float64Array;
  /** [cells] records of each, not negative: an interval's spread evenly over it, but for what stands out of the noise. */
  readonly #likely: Float64Array;
  readonly #noise: PrefixNoise;

  constructor(sections: NumberSections, { counts, noise }: NumberSums, table: CountTable) {
    const { declared } = sections.cells;
    this.#sections = sections;
    this.#table = table;
    this.#runVariance = noise.run ** 2;
    this.#noise = prefixNoise(sections);
    const intervals = declared.length - 1;
    const below = new Float64Array(counts.length + 1);
    for (let i = 0; i < counts.length; i++) below[i + 1] = below[i]! + counts[i]!;
    this.#trust = new Float64Array(intervals + 1);
    const moved = new Float64Array(intervals + 1);
    let records = 0;
    for (let k = 1; k <= intervals; k++) {
      records += table.noisy[k - 1]!;
      const own = this.#runVariance * this.#noise.ofEdge[k]!;
      const counted = varianceOf(table, k, k);
      this.#trust[k] = own > 0 ? own / (own + counted) : 0;
      moved[k] = this.#trust[k]! * (records - below[declared[k]!]!);
    }
    this.#records = records;
    for (let k = 0; k < intervals; k++) {
      const [from, to] = [declared[k]!, declared[k + 1]!];
      for (let e = from + 1; e <= to; e++) {
        const part = (e - from) / (to - from);
        below[e]! += (1 - part) * moved[k]! + part * moved[k + 1]!;
      }
    }
    this.#below = below;
    this.#likely = this.#likelyCounts();
  }

  /**
   * Where an interval of c records has them is unknown, as if what lies below an edge differed from an even spread by c/4: so far it is taken to
   * differ as that is more than the noise.
   */
  #likelyCounts(): Float64Array {
    const { declared, edges } = this.#sections.cells;
    const below = this.#below;
    const likely = below.slice();
    for (let k = 0; k + 1 < declared.length; k++) {
      const [from, to] = [declared[k]!, declared[k + 1]!];
      const unknown = (this.#table.counts[k]! / 4) ** 2;
      const width = edges[to]! - edges[from]!;
      for (let e = from + 1; e < to; e++) {
        const part = width > 0 ? (edges[e]! - edges[from]!) / width : 0;
        const even = (1 - part) * below[from]! + part * below[to]!;
        const noise = this.#runVariance * this.#runNoise(e, k, [1 - part, part]);
        const clear = noise > 0 ? unknown / (unknown + noise) : 1;
        likely[e] = even + clear * (below[e]! - even);
      }
    }
    return rising(likely.subarray(1).map((one, i) => one - likely[i]!));
  }

  /** Variance, for noise of 1, of a prefix sum less a part of those at the declared edges around it. */
  #runNoise(e: number, k: number, [a, b]: readonly [number, number]): number {
    const { own, left, right, ofEdge, ofNext } = this.#noise;
    const variance =
      own[e]! -
      2 * (a * left[e]! + b * right[e]!) +
      a ** 2 * ofEdge[k]! +
      b ** 2 * ofEdge[k + 1]! +
      2 * a * b * ofNext[k]!;
    return Math.max(0, variance);
  }

  /** Variance of the noise in the records below an edge less q of all. */
  #variance(e: number, k: number, q: number): number {
    const { declared } = this.#sections.cells;
    const part = (e - declared[k]!) / (declared[k + 1]! - declared[k]!);
    const [a, b] = [(1 - part) * this.#trust[k]!, part * this.#trust[k + 1]!];
    const intervals = declared.length - 1;
    const first = a + b - q;
    const sum = k * first + (b - q) - (intervals - k - 1) * q;
    const squares = k * first ** 2 + (b - q) ** 2 + (intervals - k - 1) * q ** 2;
    return this.#runVariance * this.#runNoise(e, k, [a, b]) + varianceOf(this.#table, sum, squares);
  }

  /**
   * A quantile: where the likeliest counts pass q of all records, evenly within a small cell. Its confidence interval ends at edges
   * of which the sums tell whether more or less than q of the population lies below, and supposes nothing of what lies between [Woo52]: at the
   * last declared edge below which there is less, each before it as well, and so on among the small cells from there.
   */
  quantile(q: number): Estimate {
    const { edges, declared } = this.#sections.cells;
    const intervals = declared.length - 1;
    const rows = Math.max(0, this.#records);
    /** How far the part below an edge of an interval k is from q, in standard deviations. */
    const deviations = (e: number, k: number) => {
      const spread = Math.sqrt(this.#variance(e, k, q) + rows * q * (1 - q));
      return spread > 0 ? (this.#below[e]! - q * this.#records) / spread : 0;
    };
    const atDeclared = (k: number) => deviations(declared[k]!, k - 1);
    let first = 0;
    while (first + 1 < intervals && atDeclared(first + 1) < -z95) first++;
    let last = intervals;
    while (last - 1 > first && atDeclared(last - 1) > z95) last--;
    let [low, high] = [declared[first]!, declared[last]!];
    while (low + 1 < declared[first + 1]! && deviations(low + 1, first) < -z95) low++;
    while (high - 1 > Math.max(low, declared[last - 1]!) && deviations(high - 1, last - 1) > z95) high--;
    const ends = { low: edges[low]!, high: edges[high]! };
    return { value: Math.min(ends.high, Math.max(ends.low, this.#passed(q))), ...ends };
  }

  #passed(q: number): number {
    const { edges } = this.#sections.cells;
    let left = q * Math.max(0, this.#records);
    for (let b = 0; b < this.#likely.length; b++) {
      const own = this.#likely[b]!;
      if (own > 0 && left <= own) return edges[b]! + (left / own) * (edges[b + 1]! - edges[b]!);
      left -= own;
    }
    return this.#records > 0 ? edges.at(-1)! : (edges[0]! + edges.at(-1)!) / 2;
  }
}

/** Variance of the noise in Σ a_b·y_b of a table's counts, from Σa and Σa². */
export function varianceOf(
  { noisy, cellVariance, totalVariance }: CountTable,
  sum: number,
  squares: number,
): number {
  const mean = sum ** 2 / noisy.length;
  return cellVariance * Math.max(0, squares - mean) + (totalVariance * mean) / noisy.length;
}

/** Covariances of the noise in prefix sums of small cells, for noise of 1. */
interface PrefixNoise {
  /** [cells + 1] variance at each edge. */
  readonly own: Float64Array;
  /** [cells + 1] covariance with that at the next declared edge before, and at the next one from it on. */
  readonly left: Float64Array;
  readonly right: Float64Array;
  /** [intervals + 1] variance at each declared edge. */
  readonly ofEdge: Float64Array;
  /** [intervals] covariance at a declared edge and the next one. */
  readonly ofNext: Float64Array;
}

const noises = new WeakMap<NumberSections, PrefixNoise>();

function prefixNoise(sections: NumberSections): PrefixNoise {
  const known = noises.get(sections);
  if (known !== undefined) return known;
  const { root, cells } = sections;
  const { declared } = cells;
  const intervals = declared.length - 1;
  const [own, left, right] = Array.from({ length: 3 }, () => new Float64Array(root.run + 1));
  const ofEdge = new Float64Array(intervals + 1);
  const ofNext = new Float64Array(intervals);
  let before = slopeBelow(root, 0);
  for (let k = 0; k < intervals; k++) {
    const after = slopeBelow(root, declared[k + 1]!);
    for (let e = declared[k]! + 1; e <= declared[k + 1]!; e++) {
      const slope = slopeBelow(root, e);
      own![e] = dot(slope, slope);
      left![e] = dot(slope, before);
      right![e] = dot(slope, after);
    }
    ofEdge[k + 1] = dot(after, after);
    ofNext[k] = dot(before, after);
    before = after;
  }
  const noise = { own: own!, left: left!, right: right!, ofEdge, ofNext };
  noises.set(sections, noise);
  return noise;
}

/** By the noise in each number of a run: of the records below an edge. */
function slopeBelow(root: Root, edge: number): Float64Array {
  const slope = new Float64Array(root.run);
  root.addCells(slope, 0, edge, 1);
  return slope;
}

function dot(a: Float64Array, b: Float64Array): number {
  let total = 0;
  for (let i = 0; i < a.length; i++) total += a[i]! * b[i]!;
  return total;
}

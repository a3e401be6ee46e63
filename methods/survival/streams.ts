import { rootOf } from "@consilium/gate/root";

/**
 * Counts whose prefix sums have little noise (docs/methods/survival.md#survival-sum): a run x of counts is sent as Cx + z, C the lower
 * triangular Toeplitz matrix of integers that the gate applies, near the square root of the matrix that sums prefixes
 * [FHU23, section 3; DMRST22], z independent noise of one variance. Then C⁻¹(Cx + z) has the noise C⁻¹z, which is correlated.
 */
export class Root {
  /** First column of C. */
  readonly column: Float64Array;
  /** First column of C⁻¹. */
  readonly #inverse: Float64Array;
  /** [run + 1]: sums of the first entries of it. */
  readonly #sums: Float64Array;

  /** @param run - cells of a run, at least 1 */
  constructor(run: number, exponent: number) {
    this.column = rootOf(run, exponent);
    this.#inverse = this.counts(Float64Array.from({ length: run }, (_, i) => (i === 0 ? 1 : 0)));
    this.#sums = new Float64Array(run + 1);
    for (let i = 0; i < run; i++) this.#sums[i + 1] = this.#sums[i]! + this.#inverse[i]!;
  }

  get run(): number {
    return this.column.length;
  }

  /** C⁻¹y: without noise the integers that were counted, exactly. @param sums - y, [run] */
  counts(sums: Float64Array): Float64Array {
    const column = this.column;
    const counts = new Float64Array(column.length);
    for (let i = 0; i < counts.length; i++) {
      let left = sums[i]!;
      for (let j = 0; j < i; j++) left -= column[i - j]! * counts[j]!;
      counts[i] = left / column[0]!;
    }
    return counts;
  }

  /** Adds by·C⁻ᵀe to `to`, e the unit vector of a cell. */
  addCell(to: Float64Array, cell: number, by: number): void {
    const inverse = this.#inverse;
    for (let j = 0; j <= cell; j++) to[j]! += by * inverse[cell - j]!;
  }

  /** Adds by·C⁻ᵀ(e_from + … + e_(end-1)) to `to`. */
  addCells(to: Float64Array, from: number, end: number, by: number): void {
    const sums = this.#sums;
    for (let j = 0; j < end; j++) to[j]! += by * (sums[end - j]! - sums[Math.max(0, from - j)]!);
  }
}

/**
 * Derivatives of a statistic, to first order, by each of a group's counts and by each coordinate of the noise. Runs are those censored,
 * whose last cell holds those beyond the horizon, then those of each cause, whose last cell is empty.
 */
export class Slope {
  readonly #root: Root;
  /** [streams × run] */
  readonly #byCount: Float64Array;
  readonly #byNoise: Float64Array;

  constructor(root: Root, streams: number) {
    this.#root = root;
    this.#byCount = new Float64Array(streams * root.run);
    this.#byNoise = new Float64Array(streams * root.run);
  }

  /** Adds `by` times another's. */
  add(other: Slope, by: number): void {
    if (by === 0) return;
    const [count, noise] = [other.#byCount, other.#byNoise];
    for (let i = 0; i < count.length; i++) {
      this.#byCount[i]! += by * count[i]!;
      this.#byNoise[i]! += by * noise[i]!;
    }
  }

  /** Adds to the slope by one count. */
  addCell(stream: number, cell: number, by: number): void {
    if (by === 0) return;
    const { run } = this.#root;
    this.#byCount[stream * run + cell]! += by;
    this.#root.addCell(this.#byNoise.subarray(stream * run, (stream + 1) * run), cell, by);
  }

  /** Adds to the slopes by all counts of a stream, or of all, from an interval on. */
  addFrom(cell: number, by: number, only?: number): void {
    if (by === 0) return;
    const { run } = this.#root;
    for (let at = 0; at < this.#byCount.length; at += run) {
      if (only !== undefined && at !== only * run) continue;
      const end = at === 0 ? run : run - 1;
      for (let i = cell; i < end; i++) this.#byCount[at + i]! += by;
      this.#root.addCells(this.#byNoise.subarray(at, at + run), cell, end, by);
    }
  }

  /** Variance of drawing the records: Σ count·slope². @param counts - [streams × run] */
  sampling(counts: Float64Array): number {
    return this.#byCount.reduce((sum, slope, i) => sum + Math.max(0, counts[i]!) * slope ** 2, 0);
  }

  /** Standard deviation of the noise in the statistic, for z of standard deviation 1. */
  get noise(): number {
    return Math.sqrt(this.#byNoise.reduce((sum, slope) => sum + slope ** 2, 0));
  }
}

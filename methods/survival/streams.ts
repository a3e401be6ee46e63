import type { Root } from "../shared/counts/root.js";

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

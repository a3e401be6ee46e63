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

  /** Cx, as the gate makes it. @param counts - x, [run] */
  sums(counts: Float64Array): Float64Array {
    const column = this.column;
    const sums = new Float64Array(column.length);
    counts.forEach((count, cell) => {
      if (count === 0) return;
      for (let i = 0; cell + i < sums.length; i++) sums[cell + i]! += column[i]! * count;
    });
    return sums;
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

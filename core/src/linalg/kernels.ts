import type { CorrelationSearch, RowGroups } from "./correlations.js";
import type { HistogramAccumulator, HistogramShape } from "./histograms.js";

/**
 * The numeric kernels that `core/` needs and `kernels/` provides (WASM, optionally OpenBLAS). `plain.ts` is the
 * reference implementation, used as the oracle in tests and wherever matrices are small.
 */
export interface NumericKernels {
  /**
   * Starts an accumulation of XᵀX over row blocks of `d` columns.
   * @throws RangeError if d is not a positive integer, or more than the implementation can hold
   */
  gram(d: number): GramAccumulator;
  /**
   * Eigen-decomposition of a symmetric matrix.
   * @param a - [d × d] row-major, symmetric; only the upper triangle is read
   * @param k - how many eigenvectors, those of the k eigenvalues of largest magnitude, 1 ≤ k ≤ d
   * @returns `values`: all d eigenvalues, ordered by descending magnitude, ties by descending value;
   *   `vectors`: [k × d] row-major, orthonormal rows, row i belongs to values[i]
   *   and is signed so that its entry of largest magnitude is positive, the first such on ties
   * @throws RangeError if an entry is not finite or k is out of range
   */
  symmetricEigen(a: Float64Array, d: number, k: number): Promise<SymmetricEigen>;
  /**
   * Starts histograms of binned features over blocks of rows: for each node of a level of a tree, each feature it asks
   * for and each bin, the sum of the rows' weights.
   * @throws RangeError if the shape is out of range, or more than the implementation can hold
   */
  histograms(shape: HistogramShape): HistogramAccumulator;
  /**
   * Starts a search for the cuts of columns with the largest correlation, in each group of rows. The result's bits depend on
   * the rows of each group alone.
   * @throws RangeError as `checkGroups`, or if the implementation cannot hold so many rows
   */
  correlations(groups: RowGroups): CorrelationSearch;
  /** Others that give the same bits on every machine; left out: these do. */
  readonly portable?: NumericKernels;
  /** What runs underneath, for logs and benches: `wasm`, `openblas` or `plain`. */
  readonly name: string;
  /** Ends worker threads. */
  close(): Promise<void>;
}

export interface SymmetricEigen {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
}

export interface GramAccumulator {
  /**
   * Adds a block of rows. The block is copied before the promise resolves, so the caller may reuse it.
   * Calls need not wait for each other; they are taken in order.
   * @param block - [rows × d] row-major, finite; more entries than rows·d are ignored
   * @throws RangeError if the block has fewer entries, or the accumulation has ended
   */
  add(block: Float64Array, rows: number): Promise<void>;
  /**
   * The sum over all blocks so far: [d × d] row-major, both triangles filled; exact for integers while every sum is
   * below 2^53. Ends the accumulation.
   * @throws RangeError naming the column, if a value was not finite or a sum of squares overflows
   */
  finish(): Promise<Float64Array>;
}

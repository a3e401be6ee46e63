/**
 * Multiplies each run of `sums` with the matrix of the C_i, exactly modulo 2^64, in place: y_j = Σ_{b ≤ j} C_{j-b} x_b.
 * @param sums - whole runs
 */
export function multiplyByRoot(sums: BigUint64Array, root: Float64Array): void {
  const integers = Array.from(root, BigInt);
  for (let from = 0; from < sums.length; from += root.length) {
    // From the last cell on: what a cell adds to comes at it or after it, where everything has been read.
    for (let cell = root.length - 1; cell >= 0; cell--) {
      const sum = sums[from + cell]!;
      if (sum === 0n) continue;
      sums[from + cell] = 0n;
      for (let i = 0, at = from + cell; cell + i < root.length; i++, at++)
        sums[at] = sums[at]! + sum * integers[i]!;
    }
  }
}

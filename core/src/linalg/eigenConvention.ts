/**
 * What every symmetric eigensolver of Consilium shares: the checks of its input, the scale it works at, the order
 * of its eigenvalues and the signs of its eigenvectors. Two solvers that follow it agree to rounding wherever the
 * eigenvalues are distinct in magnitude.
 */

/** Entries whose magnitudes differ by less than this fraction of the largest count as equal when signs are chosen. */
const signTieTolerance = 1e-10;

/** Powers of two beyond this cannot be multiplied with without leaving the range of a double. */
const scaleExponentLimit = 1000;

/**
 * Checks a symmetric eigenproblem and chooses the scale to solve it at, so that no intermediate square overflows
 * or vanishes however large or small the matrix is.
 * @param a - [d × d] row-major; only the upper triangle is looked at
 * @param k - number of eigenvectors asked for
 * @returns a power of two s: solve s·A and divide its eigenvalues by s. Multiplying by it loses nothing but
 *   entries more than 2^950 times smaller than the largest
 * @throws RangeError if d, k or the length of `a` is wrong, or an entry is not finite
 */
export function checkEigenproblem(a: Float64Array, d: number, k: number): number {
  if (!Number.isInteger(d) || d < 1) throw new RangeError(`matrix order ${d} is not a positive integer`);
  if (a.length !== d * d)
    throw new RangeError(`a matrix of order ${d} has ${d * d} entries, got ${a.length}`);
  if (!Number.isInteger(k) || k < 1 || k > d) {
    throw new RangeError(`cannot compute ${k} eigenvectors of a matrix of order ${d}: ask for 1 to ${d}`);
  }
  let largest = 0;
  for (let i = 0; i < d; i++) {
    const end = (i + 1) * d;
    for (let p = i * d + i; p < end; p++) {
      const magnitude = Math.abs(a[p]!);
      if (magnitude > largest) largest = magnitude;
      else if (Number.isNaN(magnitude)) largest = Number.POSITIVE_INFINITY;
    }
    if (largest === Number.POSITIVE_INFINITY) {
      throw new RangeError(`row ${i} of the matrix holds an entry that is not finite`);
    }
  }
  if (largest === 0) return 1;
  const exponent = Math.floor(Math.log2(largest));
  return 2 ** -Math.max(-scaleExponentLimit, Math.min(scaleExponentLimit, exponent));
}

/**
 * Undoes the scale of `checkEigenproblem` in place.
 * @throws RangeError if an eigenvalue of the unscaled matrix is beyond the range of a double
 */
export function unscaleEigenvalues(values: Float64Array, scale: number): void {
  for (let i = 0; i < values.length; i++) {
    values[i] = values[i]! / scale;
    if (!Number.isFinite(values[i])) {
      throw new RangeError("an eigenvalue is beyond the range of a double: scale the matrix down");
    }
  }
}

/** Positions of `values` by descending magnitude, ties by descending value, then by position. */
export function eigenvalueOrder(values: Float64Array): Uint32Array {
  const order = Uint32Array.from(values, (_, i) => i);
  return order.sort((i, j) => {
    const x = values[i]!;
    const y = values[j]!;
    return Math.abs(y) - Math.abs(x) || y - x || i - j;
  });
}

/**
 * Chooses the sign of each eigenvector in place: its entry of largest magnitude is positive, the first such on ties.
 * Magnitudes within 1e-10 of the largest, relatively, are ties, so that rounding does not decide.
 * @param vectors - [rows × d] row-major
 */
export function orientEigenvectors(vectors: Float64Array, d: number): void {
  for (let start = 0; start < vectors.length; start += d) {
    const row = vectors.subarray(start, start + d);
    let largest = 0;
    for (const x of row) largest = Math.max(largest, Math.abs(x));
    const leading = row.find((x) => Math.abs(x) >= largest * (1 - signTieTolerance));
    if (leading !== undefined && leading < 0) for (let i = 0; i < d; i++) row[i] = 0 - row[i]!;
  }
}

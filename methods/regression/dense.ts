/** Symmetric positive definite matrices, row-major [d × d]: as much algebra as a few hundred coefficients need. */

/**
 * The lower triangle L of Cholesky's factorisation LL'.
 * @throws RangeError where the matrix is not positive definite
 */
export function cholesky(matrix: Float64Array, d: number): Float64Array {
  const lower = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * d + j]!;
      for (let k = 0; k < j; k++) sum -= lower[i * d + k]! * lower[j * d + k]!;
      if (i !== j) lower[i * d + j] = sum / lower[j * d + j]!;
      else if (sum > 0) lower[i * d + i] = Math.sqrt(sum);
      else throw new RangeError("the matrix is not positive definite");
    }
  }
  return lower;
}

/** Solves LL'x = b. */
export function solved(lower: Float64Array, d: number, b: ArrayLike<number>): Float64Array {
  const x = new Float64Array(b);
  for (let i = 0; i < d; i++) {
    let sum = x[i]!;
    for (let k = 0; k < i; k++) sum -= lower[i * d + k]! * x[k]!;
    x[i] = sum / lower[i * d + i]!;
  }
  for (let i = d - 1; i >= 0; i--) {
    let sum = x[i]!;
    for (let k = i + 1; k < d; k++) sum -= lower[k * d + i]! * x[k]!;
    x[i] = sum / lower[i * d + i]!;
  }
  return x;
}

/** (LL')⁻¹B for a row-major [d × d] matrix B. */
export function solvedMatrix(lower: Float64Array, d: number, b: Float64Array): Float64Array {
  const out = new Float64Array(d * d);
  for (let j = 0; j < d; j++) {
    const column = solved(
      lower,
      d,
      Float64Array.from({ length: d }, (_, i) => b[i * d + j]!),
    );
    for (let i = 0; i < d; i++) out[i * d + j] = column[i]!;
  }
  return out;
}

/** [d] the diagonal of (LL')⁻¹: of each column of L⁻¹ the squared length. */
export function inverseDiagonal(lower: Float64Array, d: number): Float64Array {
  const out = new Float64Array(d);
  const column = new Float64Array(d);
  for (let j = 0; j < d; j++) {
    for (let i = j; i < d; i++) {
      let sum = i === j ? 1 : 0;
      for (let k = j; k < i; k++) sum -= lower[i * d + k]! * column[k]!;
      column[i] = sum / lower[i * d + i]!;
      out[j] = out[j]! + column[i]! ** 2;
    }
  }
  return out;
}

/** log |LL'|. */
export function logDeterminant(lower: Float64Array, d: number): number {
  let sum = 0;
  for (let i = 0; i < d; i++) sum += 2 * Math.log(lower[i * d + i]!);
  return sum;
}

export function product(a: Float64Array, b: Float64Array, d: number): Float64Array {
  const out = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let k = 0; k < d; k++) {
      const left = a[i * d + k]!;
      if (left === 0) continue;
      for (let j = 0; j < d; j++) out[i * d + j] = out[i * d + j]! + left * b[k * d + j]!;
    }
  }
  return out;
}

export function transposed(a: Float64Array, d: number): Float64Array {
  return Float64Array.from(a, (_, p) => a[(p % d) * d + Math.floor(p / d)]!);
}

export function times(a: Float64Array, x: ArrayLike<number>): Float64Array {
  const d = x.length;
  const out = new Float64Array(a.length / d);
  for (let i = 0; i < out.length; i++) {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += a[i * d + j]! * x[j]!;
    out[i] = sum;
  }
  return out;
}

/** x'Ax. */
export function quadratic(a: Float64Array, x: ArrayLike<number>): number {
  const ax = times(a, x);
  let sum = 0;
  for (let i = 0; i < ax.length; i++) sum += ax[i]! * x[i]!;
  return sum;
}

/** The mean of the matrix and its transpose: what rounding left unequal. */
export function symmetric(a: Float64Array, d: number): Float64Array {
  return Float64Array.from(a, (value, p) => (value + a[(p % d) * d + Math.floor(p / d)]!) / 2);
}

/** The symmetric matrix of an upper triangle, row by row. */
export function fromTriangle(triangle: ArrayLike<number>, d: number): Float64Array {
  const matrix = new Float64Array(d * d);
  for (let i = 0, t = 0; i < d; i++) {
    for (let j = i; j < d; j++, t++) {
      matrix[i * d + j] = triangle[t]!;
      matrix[j * d + i] = triangle[t]!;
    }
  }
  return matrix;
}

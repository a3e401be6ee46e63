import { EigenvalueDecomposition, Matrix } from "ml-matrix";

/** Eigenvalues, ascending, and eigenvectors of a symmetric [d × d] matrix: vector k is column k of `vectors`, row-major. */
export function symmetricEigen(matrix: Float64Array, d: number) {
  if (!matrix.every(Number.isFinite)) throw new RangeError("a matrix has an entry that is not finite");
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(
    Matrix.from1DArray(d, d, matrix),
    { assumeSymmetric: true },
  );
  return { values: realEigenvalues, vectors: Float64Array.from(eigenvectorMatrix.to1DArray()) };
}

/** Σ f(λ_k) v_k v_k' of a symmetric matrix. */
export function spectral(matrix: Float64Array, d: number, f: (value: number) => number): Float64Array {
  const { values, vectors } = symmetricEigen(matrix, d);
  const out = new Float64Array(d * d);
  values.forEach((value, k) => {
    const scaled = f(value);
    if (scaled === 0) return;
    for (let i = 0; i < d; i++) {
      const left = scaled * vectors[i * d + k]!;
      for (let j = 0; j < d; j++) out[i * d + j] = out[i * d + j]! + left * vectors[j * d + k]!;
    }
  });
  return out;
}

/** The nearest positive semidefinite matrix: negative eigenvalues are noise. */
export const semidefinite = (matrix: Float64Array, d: number): Float64Array =>
  spectral(matrix, d, (value) => Math.max(0, value));

/**
 * A generalised inverse of a symmetric matrix, positive semidefinite but for rounding: columns are brought to their own scale first, so
 * that a rare level's direction is small and no rounding.
 * @returns inverse [d × d], symmetric; untold: unit vectors that the matrix takes to 0; d less their number is the rank
 */
export function generalisedInverse(matrix: Float64Array, d: number) {
  const scale = Float64Array.from({ length: d }, (_, j) =>
    matrix[j * (d + 1)]! > 0 ? 1 / Math.sqrt(matrix[j * (d + 1)]!) : 1,
  );
  const scaled = matrix.map((value, p) => value * scale[Math.floor(p / d)]! * scale[p % d]!);
  const { values, vectors } = symmetricEigen(scaled, d);
  const least = 1e-9 * Math.max(...values, 0);
  const untold: Float64Array[] = [];
  const inverse = new Float64Array(d * d);
  values.forEach((value, k) => {
    const own = scale.map((one, i) => one * vectors[i * d + k]!);
    if (!(value > least)) {
      const length = Math.sqrt(dot(own, own));
      untold.push(own.map((entry) => entry / length));
      return;
    }
    for (let i = 0; i < d; i++)
      for (let j = 0; j < d; j++) inverse[i * d + j] = inverse[i * d + j]! + (own[i]! * own[j]!) / value;
  });
  return { inverse, untold };
}

/** a'M⁺a, without directions whose eigenvalue is below 1e-10 of the largest. */
export function inverseQuadratic(matrix: Float64Array, d: number, a: Float64Array): number {
  const { values, vectors } = symmetricEigen(matrix, d);
  const least = 1e-10 * Math.max(...values.map(Math.abs));
  return values.reduce((sum, value, k) => {
    if (Math.abs(value) <= least) return sum;
    let along = 0;
    for (let i = 0; i < d; i++) along += a[i]! * vectors[i * d + k]!;
    return sum + along ** 2 / value;
  }, 0);
}

/**
 * An orthonormal basis of what is orthogonal to `rows`.
 * @param rows - m orthonormal vectors of length d
 * @returns [d × (d - m)] row-major
 */
export function complement(rows: readonly Float64Array[], d: number): Float64Array {
  const basis: Float64Array[] = [...rows];
  const found: Float64Array[] = [];
  // Unit vectors that are least within the span so far give a basis without loss of digits.
  const left = Float64Array.from(
    { length: d },
    (_, i) => 1 - rows.reduce((sum, row) => sum + row[i]! ** 2, 0),
  );
  while (found.length < d - rows.length) {
    const at = left.indexOf(Math.max(...left));
    const vector = new Float64Array(d);
    vector[at] = 1;
    for (let turn = 0; turn < 2; turn++)
      for (const one of basis) {
        const along = dot(one, vector);
        for (let i = 0; i < d; i++) vector[i] = vector[i]! - along * one[i]!;
      }
    const length = Math.sqrt(dot(vector, vector));
    for (let i = 0; i < d; i++) vector[i] = vector[i]! / length;
    for (let i = 0; i < d; i++) left[i] = left[i]! - vector[i]! ** 2;
    left[at] = -1;
    basis.push(vector);
    found.push(vector);
  }
  const out = new Float64Array(d * found.length);
  for (const [k, vector] of found.entries())
    for (let i = 0; i < d; i++) out[i * found.length + k] = vector[i]!;
  return out;
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** N'x of N [d × m]. */
export function transposedTimes(n: Float64Array, x: ArrayLike<number>, m: number): Float64Array {
  const out = new Float64Array(m);
  for (let i = 0; i < x.length; i++) for (let k = 0; k < m; k++) out[k] = out[k]! + n[i * m + k]! * x[i]!;
  return out;
}

/** N'HN of N [d × m] and a symmetric H [d × d]. */
export function within(n: Float64Array, h: Float64Array, d: number, m: number): Float64Array {
  const hn = new Float64Array(d * m);
  for (let i = 0; i < d; i++)
    for (let k = 0; k < d; k++) {
      const left = h[i * d + k]!;
      if (left !== 0) for (let j = 0; j < m; j++) hn[i * m + j] = hn[i * m + j]! + left * n[k * m + j]!;
    }
  const out = new Float64Array(m * m);
  for (let k = 0; k < d; k++)
    for (let i = 0; i < m; i++) {
      const left = n[k * m + i]!;
      if (left !== 0) for (let j = 0; j < m; j++) out[i * m + j] = out[i * m + j]! + left * hn[k * m + j]!;
    }
  return out;
}

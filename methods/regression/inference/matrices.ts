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

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** V'MV of a symmetric matrix. */
export function turnedMatrix(matrix: Float64Array, v: Float64Array, d: number): Float64Array {
  const right = new Float64Array(d * d);
  for (let i = 0; i < d; i++)
    for (let k = 0; k < d; k++) {
      const left = matrix[i * d + k]!;
      if (left !== 0) for (let j = 0; j < d; j++) right[i * d + j] = right[i * d + j]! + left * v[k * d + j]!;
    }
  const out = new Float64Array(d * d);
  for (let k = 0; k < d; k++)
    for (let i = 0; i < d; i++) {
      const left = v[k * d + i]!;
      if (left !== 0)
        for (let j = 0; j <= i; j++) out[i * d + j] = out[i * d + j]! + left * right[k * d + j]!;
    }
  for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) out[j * d + i] = out[i * d + j]!;
  return out;
}

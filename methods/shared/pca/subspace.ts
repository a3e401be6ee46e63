import {
  checkEigenproblem,
  eigenvalueOrder,
  orientEigenvectors,
  unscaleEigenvalues,
} from "@consilium/core/linalg/eigenConvention";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { EigenvalueDecomposition, Matrix, SingularValueDecomposition } from "ml-matrix";

/** The leading subspace of a covariance, and how much of it the subspace holds. */

export interface PrincipalSubspace {
  /** [k × d] row-major, orthonormal rows; in each the entry of largest magnitude is positive. */
  readonly loadings: Float64Array;
  /** [k] signed eigenvalues, by descending magnitude (as singular values order them, [ZY22, step 6]). */
  readonly eigenvalues: Float64Array;
  /** [k] max(λ, 0). */
  readonly explainedVariance: Float64Array;
  /** [k] max(λ, 0) over the sum of max(λ, 0) of all d eigenvalues; all 0 when that sum is 0. */
  readonly explainedVarianceRatio: Float64Array;
  /** What computed it: `ml-matrix` or the kernels' name. */
  readonly solver: string;
}

/** Up to this order ml-matrix decomposes; above, it is too slow and the kernels do. */
export const largestSvdOrder = 300;

/** Singular values closer than this fraction of the largest are taken as one group. */
const groupTolerance = 1e-9;

/**
 * The k leading components of a symmetric matrix.
 * @param covariance - [d × d] row-major, symmetric and finite; it may have negative eigenvalues
 * @param k - 1 to d
 * @throws RangeError if k is out of range or an entry is not finite
 */
export async function principalSubspace(
  covariance: Float64Array,
  d: number,
  k: number,
  kernels: NumericKernels,
): Promise<PrincipalSubspace> {
  const small = d <= largestSvdOrder;
  const { values, vectors } = small
    ? singularSubspace(covariance, d, k)
    : await kernels.symmetricEigen(covariance, d, k);
  const total = values.reduce((sum, value) => sum + Math.max(value, 0), 0);
  const eigenvalues = values.slice(0, k);
  const explainedVariance = eigenvalues.map((value) => Math.max(value, 0));
  return {
    loadings: vectors,
    eigenvalues,
    explainedVariance,
    explainedVarianceRatio: explainedVariance.map((value) => (total > 0 ? value / total : 0)),
    solver: small ? "ml-matrix" : kernels.name,
  };
}

/**
 * Eigenvalues and eigenvectors of a symmetric matrix by its singular value decomposition A = U S Vᵀ.
 *
 * A singular vector of a symmetric matrix is an eigenvector unless λ and -λ both occur: their singular value is one,
 * and the decomposition may hand out any mixture of the two. The span of equal singular values is invariant under A
 * in any case, so within each group of (nearly) equal ones the eigenproblem of VᵀAV is solved again (Rayleigh-Ritz),
 * which gives eigenvectors and signed eigenvalues.
 */
function singularSubspace(
  covariance: Float64Array,
  d: number,
  k: number,
): { values: Float64Array; vectors: Float64Array } {
  const scale = checkEigenproblem(covariance, d, k);
  const matrix = Matrix.zeros(d, d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      const entry = covariance[i * d + j]! * scale;
      matrix.set(i, j, entry);
      matrix.set(j, i, entry);
    }
  }
  const decomposition = new SingularValueDecomposition(matrix);
  const singular = decomposition.diagonal;
  const right = decomposition.rightSingularVectors;
  const unordered = new Float64Array(d);
  const columns = Matrix.zeros(d, d);
  for (let start = 0; start < d; ) {
    let end = start + 1;
    while (end < d && singular[end - 1]! - singular[end]! <= groupTolerance * singular[0]!) end++;
    const basis = right.subMatrix(0, d - 1, start, end - 1);
    const inner = basis.transpose().mmul(matrix.mmul(basis));
    if (end - start === 1) {
      unordered[start] = inner.get(0, 0);
      columns.setSubMatrix(basis, 0, start);
    } else {
      const symmetric = Matrix.add(inner, inner.transpose()).mul(0.5);
      const ritz = new EigenvalueDecomposition(symmetric, { assumeSymmetric: true });
      unordered.set(ritz.realEigenvalues, start);
      columns.setSubMatrix(basis.mmul(ritz.eigenvectorMatrix), 0, start);
    }
    start = end;
  }
  const order = eigenvalueOrder(unordered);
  const values = Float64Array.from(order, (position) => unordered[position]!);
  unscaleEigenvalues(values, scale);
  const vectors = new Float64Array(k * d);
  for (let i = 0; i < k; i++) vectors.set(columns.getColumn(order[i]!), i * d);
  orientEigenvectors(vectors, d);
  return { values, vectors };
}

/**
 * tr(V A Vᵀ): how much of the covariance A the rows of V hold (CE, q in [IS18]).
 * @param loadings - V, [k × d] row-major, orthonormal rows
 * @param covariance - A, [d × d] row-major, symmetric
 */
export function capturedEnergy(loadings: Float64Array, covariance: Float64Array): number {
  const d = Math.sqrt(covariance.length);
  if (!Number.isInteger(d) || loadings.length % d !== 0) {
    throw new RangeError(
      `loadings of ${loadings.length} entries do not fit a covariance of ${covariance.length}`,
    );
  }
  let energy = 0;
  for (let start = 0; start < loadings.length; start += d) {
    for (let i = 0; i < d; i++) {
      let product = 0;
      for (let j = 0; j < d; j++) product += covariance[i * d + j]! * loadings[start + j]!;
      energy += loadings[start + i]! * product;
    }
  }
  return energy;
}

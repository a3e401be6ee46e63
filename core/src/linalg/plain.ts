import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import {
  checkEigenproblem,
  eigenvalueOrder,
  orientEigenvectors,
  unscaleEigenvalues,
} from "./eigenConvention.js";
import { checkBlock, checkGramDiagonal } from "./gramChecks.js";
import type { GramAccumulator, NumericKernels, SymmetricEigen } from "./kernels.js";
import { plainCorrelations } from "./plainCorrelations.js";
import { plainHistograms } from "./plainHistograms.js";

/**
 * The reference implementation of the numeric kernels: plain loops for XᵀX, histograms and correlations, ml-matrix for eigenvectors. The oracle
 * of the fast kernels, and good enough by itself up to a few hundred columns.
 */
export function plainKernels(): NumericKernels {
  return {
    name: "plain",
    gram: plainGram,
    symmetricEigen: plainEigen,
    histograms: plainHistograms,
    correlations: plainCorrelations,
    close: async () => {},
  };
}

function plainGram(d: number): GramAccumulator {
  if (!Number.isInteger(d) || d < 1) throw new RangeError(`number of columns ${d} is not a positive integer`);
  const sum = new Float64Array(d * d);
  let finished = false;
  return {
    async add(block, rows) {
      if (finished) throw new RangeError("this accumulation has ended: start another with gram()");
      checkBlock(block, rows, d);
      for (let row = 0; row < rows * d; row += d) {
        for (let i = 0; i < d; i++) {
          const x = block[row + i]!;
          for (let j = i; j < d; j++) sum[i * d + j]! += x * block[row + j]!;
        }
      }
    },
    async finish() {
      if (finished) throw new RangeError("this accumulation has ended: start another with gram()");
      finished = true;
      for (let i = 0; i < d; i++) {
        for (let j = 0; j < i; j++) sum[i * d + j] = sum[j * d + i]!;
      }
      checkGramDiagonal(sum, d);
      return sum;
    },
  };
}

/** ml-matrix's solver returns NaN when squares underflow; what is this much smaller than the largest entry is zero. */
const negligible = 1e-120;

async function plainEigen(a: Float64Array, d: number, k: number): Promise<SymmetricEigen> {
  const scale = checkEigenproblem(a, d, k);
  const matrix = Matrix.zeros(d, d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      const scaled = a[i * d + j]! * scale;
      const x = Math.abs(scaled) < negligible ? 0 : scaled;
      matrix.set(i, j, x);
      matrix.set(j, i, x);
    }
  }
  const decomposition = new EigenvalueDecomposition(matrix, { assumeSymmetric: true });
  const unordered = Float64Array.from(decomposition.realEigenvalues);
  const order = eigenvalueOrder(unordered);
  const values = Float64Array.from(order, (position) => unordered[position]!);
  unscaleEigenvalues(values, scale);
  const vectors = new Float64Array(k * d);
  for (let i = 0; i < k; i++) vectors.set(decomposition.eigenvectorMatrix.getColumn(order[i]!), i * d);
  orientEigenvectors(vectors, d);
  return { values, vectors };
}

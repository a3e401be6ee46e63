import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { RegressionDesign } from "./columns.js";

/*
 * Estimate of a sum of second derivatives from its noisy matrix: post-processing alone. Noise has variance s² on the diagonal
 * and s²/2 off it, so that the noise matrix has a spectrum within ±s√(2d), as for any symmetric matrix of such entries.
 * Both give a positive definite [d × d]: the matrix as far as it stands out of the noise, and at least a floor in every direction.
 */

/** Without noise directions of less than this part of the largest eigenvalue are rounding. */
const relativeFloor = 1e-12;

/**
 * The matrix as it came, by its eigenvalues. One below the edge s√(2d) may be noise. Of one above it noise of this kind makes λ + s²d/(2λ)
 * in the limit of many columns [BGN11], which is undone: at the edge s√(d/2) is left, which is the floor.
 */
export async function plainCurvature(
  matrix: Float64Array,
  d: number,
  stdDev: number,
  kernels: NumericKernels,
): Promise<Float64Array> {
  const edge = stdDev * Math.sqrt(2 * d);
  return byEigenvalues(matrix, d, kernels, edge / 2, (value) =>
    value > edge ? (value + Math.sqrt(value ** 2 - edge ** 2)) / 2 : 0,
  );
}

/**
 * A sum of xx' with weights, from what else is known of it. Levels of one category exclude each other, so that what their columns
 * have in common follows from the weight of each level, which the intercept's products hold. A covariance of columns of two
 * features counts where it is 3.5 deviations of its noise, and 0 otherwise. What noise is left lies in few entries, so that eigenvalues
 * from about one deviation on mean something.
 */
export async function structuredCurvature(
  matrix: Float64Array,
  design: Pick<RegressionDesign, "columns" | "blocks">,
  stdDev: number,
  kernels: NumericKernels,
): Promise<Float64Array> {
  const d = design.columns.length;
  const structured = stdDev === 0 ? matrix : structuredMatrix(matrix, design, stdDev);
  return byEigenvalues(structured, d, kernels, stdDev, (value) => value);
}

const deviations = 3.5;

function structuredMatrix(
  matrix: Float64Array,
  { columns, blocks }: Pick<RegressionDesign, "columns" | "blocks">,
  stdDev: number,
): Float64Array {
  const d = columns.length;
  const weight = Math.max(matrix[0]!, stdDev);
  // Of each column the mean, no further from 0 than any value.
  const means = Float64Array.from(columns, (_, j) =>
    j === 0 ? 1 : Math.min(1, Math.max(-1, matrix[j]! / weight)),
  );
  const covariances = new Float64Array(d * d);
  const least = (deviations * stdDev) / Math.SQRT2;
  for (let i = 1; i < d; i++) {
    for (let j = i + 1; j < d; j++) {
      const covariance = matrix[i * d + j]! - weight * means[i]! * means[j]!;
      const kept = Math.abs(covariance) > least ? covariance : 0;
      covariances[i * d + j] = kept;
      covariances[j * d + i] = kept;
    }
  }
  for (const { from, width } of blocks) {
    if (columns[from]!.level === null) {
      const variance = matrix[from * d + from]! - weight * means[from]! ** 2;
      covariances[from * d + from] = Math.min(weight / 4, Math.max(stdDev, variance));
      continue;
    }
    const parts = levelParts(columns, means, from, width);
    for (let i = 0; i < width; i++) {
      for (let j = 0; j < width; j++)
        covariances[(from + i) * d + from + j] = weight * ((i === j ? parts[i]! : 0) - parts[i]! * parts[j]!);
    }
  }
  const out = new Float64Array(d * d);
  for (let i = 0; i < d; i++)
    for (let j = 0; j < d; j++) out[i * d + j] = covariances[i * d + j]! + weight * means[i]! * means[j]!;
  return out;
}

/** Share of each level but the reference in the weight: none below 0, and together no more than all. */
function levelParts(
  columns: RegressionDesign["columns"],
  means: Float64Array,
  from: number,
  width: number,
): Float64Array {
  const parts = Float64Array.from({ length: width }, (_, i) =>
    Math.max(0, means[from + i]! + columns[from + i]!.offset),
  );
  const total = parts.reduce((sum, part) => sum + part, 0);
  return total > 1 ? parts.map((part) => part / total) : parts;
}

/** @param resolvedOf - of an eigenvalue what it stands for; 0 where noise may be all of it */
async function byEigenvalues(
  matrix: Float64Array,
  d: number,
  kernels: NumericKernels,
  floor: number,
  resolvedOf: (value: number) => number,
): Promise<Float64Array> {
  const { values, vectors } = await kernels.symmetricEigen(matrix, d, d);
  const largest = values.reduce((most, value) => Math.max(most, value), 0);
  const least = Math.max(floor, largest * relativeFloor, Number.MIN_VALUE);
  return composed(
    vectors,
    d,
    Array.from(values, (value) => Math.max(least, resolvedOf(value))),
  );
}

/** Σ λ_k v_k v_k'. @param vectors - [d × d] row-major, a vector a row */
function composed(vectors: Float64Array, d: number, values: readonly number[]): Float64Array {
  const out = new Float64Array(d * d);
  values.forEach((value, k) => {
    if (value === 0) return;
    for (let i = 0; i < d; i++) {
      const left = value * vectors[k * d + i]!;
      for (let j = 0; j < d; j++) out[i * d + j] = out[i * d + j]! + left * vectors[k * d + j]!;
    }
  });
  return out;
}

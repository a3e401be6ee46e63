import { signedNumbers } from "@consilium/core/learning/exactSums";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { roundedDirections } from "./records.js";
import type { DpPcaLayout, DpPcaStage } from "./study.js";

/**
 * What follows from the noisy sums of dp-pca, and needs no record any more: post-processing, free of privacy cost.
 * Lengths are in units of the clipped rows, y = (u - c0)/R.
 */

/** Eigenvalues of a reduced covariance below the first are noise; rows of length at most 1 have none above the second. */
const varianceLeast = 1e-6;
const varianceMost = 1;

/** Number of rows, mean and covariance of a class or of all rows, with noise in them. */
export interface NoisyMoments {
  /** As it came, so possibly negative. */
  readonly rows: number;
  /** [order] of length at most 1. */
  readonly mean: Float64Array;
  /** [order × order] symmetric; noise may make it indefinite. */
  readonly covariance: Float64Array;
}

/** The leading directions of a noisy covariance. */
export interface NoisySubspace {
  /** [k × d] orthonormal rows; in each the entry of largest magnitude is positive. */
  readonly loadings: Float64Array;
  /** [k] signed, descending. */
  readonly eigenvalues: Float64Array;
  /** [k] max(λ, 0) over the sum of max(λ, 0) of all eigenvalues; null where not all are known. */
  readonly ratio: Float64Array | null;
}

/** A class as it is released: normal in the reduced coordinates. */
export interface ReducedClass {
  /** Noisy, possibly negative. */
  readonly rows: number;
  /** [k] */
  readonly mean: Float64Array;
  /** [k × k] with eigenvalues from 1e-6 to 1. */
  readonly covariance: Float64Array;
  /** [k × k] row-major F with FF' the covariance: what standard normals are multiplied with. */
  readonly factor: Float64Array;
}

/**
 * The integers of a stage's sum.
 * @throws RangeError when an entry is beyond what honest sites and 12 standard deviations of noise can give
 */
export function plausibleSum(sum: BigUint64Array, layout: DpPcaLayout, stage: DpPcaStage): Float64Array {
  if (sum.length !== stage.length)
    throw new RangeError(`a sum of ${sum.length} numbers where the stage has ${stage.length}`);
  const values = signedNumbers(sum);
  if (!values.every((value) => Math.abs(value) <= layout.entryLimit)) {
    throw new RangeError("the sum is larger than the study's sites can make it");
  }
  return values;
}

/**
 * The second moments of a stage of triangles.
 * @returns per block the symmetric matrix [order × order] in integers
 */
export function blockMatrices(values: Float64Array, stage: DpPcaStage): Float64Array[] {
  const order = stage.rows;
  let next = 0;
  return Array.from({ length: stage.blocks }, () => {
    const matrix = new Float64Array(order * order);
    for (let i = 0; i < order; i++) {
      for (let j = i; j < order; j++) {
        const entry = values[next++]!;
        matrix[i * order + j] = entry;
        matrix[j * order + i] = entry;
      }
    }
    return matrix;
  });
}

/**
 * n = e/K² with e the last diagonal entry, μ = v/(K·n) with v the last column, C = S/n - μμ'. For n below 1, which is
 * noise, 1 stands in the divisions.
 * @param matrix - Σ ãã' in integers, [(order + 1) × (order + 1)], with its noise
 */
export function momentsOf(matrix: Float64Array, layout: DpPcaLayout): NoisyMoments {
  const width = Math.sqrt(matrix.length);
  const order = width - 1;
  const unit = 2 ** -layout.gridExponent;
  const rows = matrix[matrix.length - 1]! / layout.kappaUnits ** 2;
  const divisor = Math.max(rows, 1);
  const mean = new Float64Array(order);
  for (let j = 0; j < order; j++) {
    mean[j] = (matrix[j * width + order]! * unit) / (layout.kappaUnits * divisor);
  }
  clipToBall(mean);
  const covariance = new Float64Array(order * order);
  for (let i = 0; i < order; i++) {
    for (let j = 0; j < order; j++) {
      covariance[i * order + j] = (matrix[i * width + j]! * unit * unit) / divisor - mean[i]! * mean[j]!;
    }
  }
  return { rows, mean, covariance };
}

/** Entry by entry. */
export function summed(matrices: readonly Float64Array[]): Float64Array {
  const sum = new Float64Array(matrices[0]!.length);
  for (const matrix of matrices) for (let p = 0; p < sum.length; p++) sum[p] = sum[p]! + matrix[p]!;
  return sum;
}

/** No row is longer than 1, so no mean is. */
export function clipToBall(vector: Float64Array): void {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  if (length > 1) for (let j = 0; j < vector.length; j++) vector[j] = vector[j]! / length;
}

/**
 * The eigenvectors of the k largest eigenvalues, by value and not by magnitude: a covariance has no negative ones, so
 * what is far below zero is noise. Shifted by a bound of its spectrum, the matrix has no negative ones either, and the
 * kernels' order is this one.
 * @param covariance - [d × d] symmetric
 */
export async function leadingSubspace(
  covariance: Float64Array,
  d: number,
  k: number,
  kernels: NumericKernels,
): Promise<NoisySubspace> {
  let shift = 0;
  for (let i = 0; i < d; i++) {
    let row = 0;
    for (let j = 0; j < d; j++) row += Math.abs(covariance[i * d + j]!);
    shift = Math.max(shift, row);
  }
  const shifted = covariance.slice();
  for (let i = 0; i < d; i++) shifted[i * d + i] = shifted[i * d + i]! + shift;
  const { values, vectors } = await kernels.symmetricEigen(shifted, d, k);
  const eigenvalues = values.map((value) => value - shift);
  const total = eigenvalues.reduce((sum, value) => sum + Math.max(value, 0), 0);
  const leading = eigenvalues.slice(0, k);
  return {
    loadings: vectors,
    eigenvalues: leading,
    ratio: leading.map((value) => (total > 0 ? Math.max(value, 0) / total : 0)),
  };
}

/**
 * Moments in the coordinates of some directions: V'μ and V'CV.
 * @param directions - V, [k × d]
 */
export function reducedMoments(moments: NoisyMoments, directions: Float64Array): NoisyMoments {
  const d = moments.mean.length;
  const k = directions.length / d;
  const mean = new Float64Array(k);
  const covariance = new Float64Array(k * k);
  const image = new Float64Array(d);
  for (let a = 0; a < k; a++) {
    mean[a] = dot(directions, a * d, moments.mean, 0, d);
    for (let i = 0; i < d; i++) image[i] = dot(moments.covariance, i * d, directions, a * d, d);
    for (let b = 0; b < k; b++) covariance[a * k + b] = dot(directions, b * d, image, 0, d);
  }
  return { rows: moments.rows, mean, covariance };
}

function dot(x: Float64Array, from: number, y: Float64Array, start: number, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += x[from + i]! * y[start + i]!;
  return sum;
}

/** A class as it is released, its eigenvalues clipped. @param moments - in reduced coordinates */
export async function releasedClass(moments: NoisyMoments, kernels: NumericKernels): Promise<ReducedClass> {
  const k = moments.mean.length;
  // Means of two sums that carry noise of their own need not agree to the last digit on symmetry.
  const symmetric = moments.covariance.map(
    (entry, p) => (entry + moments.covariance[(p % k) * k + Math.floor(p / k)]!) / 2,
  );
  const { values, vectors } = await kernels.symmetricEigen(symmetric, k, k);
  const covariance = new Float64Array(k * k);
  const factor = new Float64Array(k * k);
  values.forEach((value, e) => {
    const clipped = Math.min(varianceMost, Math.max(varianceLeast, value));
    for (let i = 0; i < k; i++) {
      const here = vectors[e * k + i]!;
      factor[i * k + e] = here * Math.sqrt(clipped);
      for (let j = 0; j < k; j++) {
        covariance[i * k + j] = covariance[i * k + j]! + clipped * here * vectors[e * k + j]!;
      }
    }
  });
  return { rows: moments.rows, mean: moments.mean, covariance, factor };
}

/**
 * One step of noisy power iteration: the covariance times the directions, from Σ ãb̃' with its noise.
 * @param values - [(d + 1) × (k + 1)] integers
 * @returns [k × d] orthonormal, rounded as they are broadcast
 */
export function nextDirections(values: Float64Array, layout: DpPcaLayout): Float64Array {
  const { columns: d, components: k, kappaUnits } = layout;
  const unit = 2 ** -layout.gridExponent;
  const width = k + 1;
  const divisor = Math.max(values[d * width + k]! / kappaUnits ** 2, 1);
  const mean = Float64Array.from(
    { length: d },
    (_, i) => (values[i * width + k]! * unit) / (kappaUnits * divisor),
  );
  clipToBall(mean);
  const image = new Float64Array(k * d);
  for (let c = 0; c < k; c++) {
    const reducedMean = (values[d * width + c]! * unit) / (kappaUnits * divisor);
    for (let i = 0; i < d; i++) {
      image[c * d + i] = (values[i * width + c]! * unit * unit) / divisor - mean[i]! * reducedMean;
    }
  }
  return roundedDirections(orthonormalRows(image, d));
}

/**
 * Orthonormal rows with the same span, by Gram-Schmidt done twice. A row that lies in the span of those before it is
 * replaced by the unit vector that is farthest from that span.
 * @param rows - [k × d], k ≤ d, finite
 */
export function orthonormalRows(rows: Float64Array, d: number): Float64Array {
  const out = rows.slice();
  const k = rows.length / d;
  for (let a = 0; a < k; a++) {
    const row = out.subarray(a * d, (a + 1) * d);
    const before = Math.sqrt(dot(row, 0, row, 0, d));
    if (!(remainder(out, a, d) > 1e-10 * before)) {
      replaceByUnit(out, a, d);
      remainder(out, a, d);
    }
    const length = remainder(out, a, d);
    for (let i = 0; i < d; i++) row[i] = row[i]! / length;
  }
  return out;
}

/** Takes the parts along rows 0 to a - 1 out of row a; @returns the length that is left. */
function remainder(rows: Float64Array, a: number, d: number): number {
  const row = rows.subarray(a * d, (a + 1) * d);
  for (let b = 0; b < a; b++) {
    const part = dot(row, 0, rows, b * d, d);
    for (let i = 0; i < d; i++) row[i] = row[i]! - part * rows[b * d + i]!;
  }
  return Math.sqrt(dot(row, 0, row, 0, d));
}

function replaceByUnit(rows: Float64Array, a: number, d: number): void {
  let farthest = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < d; i++) {
    let squares = 0;
    for (let b = 0; b < a; b++) squares += rows[b * d + i]! ** 2;
    if (squares < least) {
      least = squares;
      farthest = i;
    }
  }
  rows.fill(0, a * d, (a + 1) * d);
  rows[a * d + farthest] = 1;
}

/**
 * Turns reduced classes and their directions so that the pooled reduced covariance is diagonal (Rayleigh-Ritz): what
 * the last round of power iteration leaves undone.
 */
export async function alignedToVariance(options: {
  readonly pooled: NoisyMoments;
  readonly classes: readonly NoisyMoments[];
  /** [k × d] */
  readonly directions: Float64Array;
  readonly kernels: NumericKernels;
}): Promise<{ readonly subspace: NoisySubspace; readonly classes: readonly NoisyMoments[] }> {
  const { pooled, classes, directions, kernels } = options;
  const k = pooled.mean.length;
  const d = directions.length / k;
  const { loadings: turn, eigenvalues } = await leadingSubspace(pooled.covariance, k, k, kernels);
  const loadings = new Float64Array(k * d);
  for (let a = 0; a < k; a++) {
    const row = loadings.subarray(a * d, (a + 1) * d);
    for (let b = 0; b < k; b++) {
      for (let i = 0; i < d; i++) row[i] = row[i]! + turn[a * k + b]! * directions[b * d + i]!;
    }
    const largest = row.reduce((most, x) => (Math.abs(x) > Math.abs(most) ? x : most), 0);
    if (largest >= 0) continue;
    for (let i = 0; i < d; i++) row[i] = -row[i]!;
    for (let b = a * k; b < (a + 1) * k; b++) turn[b] = -turn[b]!;
  }
  return {
    subspace: { loadings, eigenvalues, ratio: null },
    classes: classes.map((moments) => reducedMoments(moments, turn)),
  };
}

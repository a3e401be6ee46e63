import type { NoisyMoments } from "./moments.js";

/**
 * The directions of a noisy covariance are those in which the noise is large as well, so that the same noisy sums
 * overstate the variance along them. What follows estimates by how much, from the sums alone: post-processing, free of
 * privacy cost.
 */

/**
 * The part of the overstatement that is taken off the classes' variances. With all of it gone, directions of noise alone
 * are so narrow in synthetic rows that a classifier relies on what noise is in their means: docs/methods/pca.md#dp-pca has figures.
 */
const partTaken = 0.25;

/** The tail and the spikes above it depend on each other; they settle in a few rounds. */
const rounds = 50;

/**
 * How much noise stands in the leading eigenvalues λ_j of Ĉ = C + N, as the expectation of v_j'Nv_j for large d: N is a
 * symmetric matrix of normal noise with standard deviation s off the diagonal, C a few spikes above an even tail t.
 * With e = 2s√d, the edge of the noise's spectrum, a spike θ appears at t + θ + s²d/θ [BN11, section 3.1], and the variance of C along its eigenvector is t + θ(1 - s²d/θ²); below t + e there is noise alone.
 *
 * @param eigenvalues - [k] of Ĉ, descending
 * @param trace - of Ĉ
 * @param d - order of Ĉ
 * @param stdDev - s, in the units of Ĉ; 0 without noise
 * @returns [k] λ_j less the variance of C along v_j, estimated; never negative
 */
export function noiseInEigenvalues(options: {
  readonly eigenvalues: Float64Array;
  readonly trace: number;
  readonly d: number;
  readonly stdDev: number;
}): Float64Array {
  const { eigenvalues, trace, d, stdDev } = options;
  const edge = 2 * stdDev * Math.sqrt(d);
  /** θ of what stands so far above the tail; 0 for noise. */
  const spike = (above: number) => (above > edge ? (above + Math.sqrt(above ** 2 - edge ** 2)) / 2 : 0);
  let tail = Math.max(0, trace / d);
  for (let round = 0; round < rounds; round++) {
    const inSpikes = eigenvalues.reduce((sum, value) => sum + spike(value - tail), 0);
    tail = Math.max(0, (trace - inSpikes) / d);
  }
  return eigenvalues.map((value) => {
    const above = value - tail;
    const theta = spike(above);
    return Math.max(0, theta === 0 ? above : above - theta * (1 - (edge / 2 / theta) ** 2));
  });
}

/**
 * Takes part of the selection's noise off the classes' variances. The noise of the whole is the sum of the classes', all
 * of one size, so each has the same part of it in its sums.
 *
 * @param pooled - of all rows, [d]
 * @param classes - in the coordinates of the directions that `pooled` gave, [k]
 * @param eigenvalues - [k] of the pooled covariance
 * @param stdDev - σ of a diagonal entry of one class's sums, in units of the clipped rows; σ/√2 off the diagonal
 */
export function withoutSelectionBias(options: {
  readonly pooled: NoisyMoments;
  readonly classes: readonly NoisyMoments[];
  readonly eigenvalues: Float64Array;
  readonly stdDev: number;
}): NoisyMoments[] {
  const { pooled, classes, eigenvalues, stdDev } = options;
  const d = pooled.mean.length;
  const k = eigenvalues.length;
  const rows = Math.max(pooled.rows, 1);
  let trace = 0;
  for (let i = 0; i < d; i++) trace += pooled.covariance[i * (d + 1)]!;
  const ofSums = stdDev * Math.sqrt(classes.length / 2);
  const noise = noiseInEigenvalues({ eigenvalues, trace, d, stdDev: ofSums / rows });
  return classes.map((one) => {
    const covariance = one.covariance.slice();
    const share = (partTaken * rows) / (classes.length * Math.max(one.rows, 1));
    for (let j = 0; j < k; j++) covariance[j * (k + 1)] = covariance[j * (k + 1)]! - share * noise[j]!;
    return { ...one, covariance };
  });
}

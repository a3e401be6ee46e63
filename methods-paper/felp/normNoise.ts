import type { RandomSource } from "@consilium/core/random";
import { naturalLog, normalStream } from "@consilium/methods/shared/draws/gaussian";
import { uniformsOf } from "@consilium/methods/shared/draws/uniforms";

/**
 * The noise of the published methods: a vector b of density ∝ exp(-|b|/scale) [CMS11]. Its length is a Gamma of shape d,
 * its direction even on the sphere. In doubles, as published; no proven mechanism uses it [Mir12].
 *
 * It is also a normal vector whose variance is a Gamma of shape (d + 1)/2 and scale 2·scale², by which a sum of m such
 * vectors has the variance of shape m(d + 1)/2: what standard deviations and intervals are computed from.
 */

/** @returns [d] of scale 1 */
export function unitNormNoise(d: number, random: RandomSource): Float64Array {
  const uniform = uniformsOf(random);
  const normal = normalStream(uniform);
  const direction = Float64Array.from({ length: d }, () => normal());
  const norm = Math.sqrt(direction.reduce((sum, x) => sum + x * x, 0));
  let length = 0;
  for (let i = 0; i < d; i++) length -= naturalLog(1 - uniform());
  return direction.map((x) => (length * x) / norm);
}

/** Longer than this is a vector of scale 1 with probability below e^-60 [a Chernoff bound of the Gamma]. */
export function normNoiseLimit(d: number): number {
  return d + Math.sqrt(2 * d * 60) + 60;
}

/** Standard deviation of one entry of a sum of m vectors of scale 1: √(m(d + 1)). */
export function normNoiseStdDev(d: number, vectors: number): number {
  return Math.sqrt(vectors * (d + 1));
}

/**
 * The t with P(|b_j| ≤ t) = 0.95 for one entry of a sum of m vectors of scale 1, to a relative 10^-6: for d = m = 1
 * (Laplace) ln 20, for large d 1.96 standard deviations.
 */
export function normNoiseHalfWidth(d: number, vectors: number): number {
  const shape = (vectors * (d + 1)) / 2;
  const stdDev = normNoiseStdDev(d, vectors);
  let [low, high] = [0, 10 * stdDev];
  while (high - low > 1e-6 * stdDev) {
    const middle = (low + high) / 2;
    if (coverage(middle, shape) < 0.95) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(|x| ≤ t) of a normal x whose variance is Gamma(shape, 2): Simpson's rule over the logarithm of the variance. */
function coverage(t: number, shape: number): number {
  const centre = Math.log(2 * shape);
  const width = Math.min(12, 14 / Math.sqrt(shape));
  const steps = 400;
  let [mass, within] = [0, 0];
  for (let i = 0; i <= steps; i++) {
    const log = centre + width * ((2 * i) / steps - 1);
    const variance = Math.exp(log);
    const simpson = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2;
    // Relative to the density at the centre, so that nothing overflows.
    const density = simpson * Math.exp(shape * (log - centre) - (variance - 2 * shape) / 2);
    mass += density;
    within += density * centralNormal(t / Math.sqrt(variance));
  }
  return within / mass;
}

/** P(|x| ≤ z) of a standard normal x, to 10^-7 [AS64, 7.1.26]. */
function centralNormal(z: number): number {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return 1 - series * Math.exp(-x * x);
}

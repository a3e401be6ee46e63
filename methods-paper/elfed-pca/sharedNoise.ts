import type { RandomSource } from "@consilium/core/random";
import { normalLimit, normalStream } from "@consilium/methods/shared/draws/gaussian";
import { uniformsOf } from "@consilium/methods/shared/draws/uniforms";
import seedrandom from "seedrandom";

/** The Gaussian matrices of the published methods ELFedPCA [ZY22] and DPdisPCA [IS18]. */

/**
 * The standard deviation that both articles print: τ = √(2 ln(1.25/δ)) / (n ε).
 *
 * As published, for sensitivity 1/n; the classical Gaussian mechanism proves it for ε < 1 only [DR14, Theorem A.1].
 * @param rows - n > 0: rows of all sites (ELFedPCA), or of the one site (DPdisPCA)
 * @returns in units of the covariance of rows of length 1
 * @throws RangeError unless rows ≥ 1, epsilon > 0 and 0 < delta < 1
 */
export function publishedStdDev(options: {
  readonly epsilon: number;
  readonly delta: number;
  readonly rows: number;
}): number {
  const { epsilon, delta, rows } = options;
  if (!(epsilon > 0) || !(delta > 0 && delta < 1) || !(rows >= 1)) {
    throw new RangeError("the noise scale needs epsilon > 0, 0 < delta < 1 and at least one row");
  }
  return Math.sqrt(2 * Math.log(1.25 / delta)) / (rows * epsilon);
}

/**
 * The noise matrix E that every site of ELFedPCA derives from the shared seed.
 *
 * `seedrandom` (ARC4, 53-bit doubles) is seeded with the seed as lower-case hexadecimal text. Its doubles feed
 * `normalStream`; the upper triangle with the diagonal takes the normals in row-major order, times τ; the lower
 * triangle mirrors it. Reproducible, and secret only as far as the seed is.
 * @param seed - 16 to 64 bytes, the same at every site
 * @param d - order of the matrix
 * @param stdDev - τ ≥ 0
 * @returns symmetric [d × d] row-major; no entry exceeds `noiseEntryLimit(stdDev)` in magnitude
 * @throws RangeError on a seed of another length, or a stdDev that is negative or not finite
 */
export function sharedNoise(seed: Uint8Array, d: number, stdDev: number): Float64Array {
  if (seed.length < 16 || seed.length > 64) {
    throw new RangeError(`the shared seed has 16 to 64 bytes, got ${seed.length}`);
  }
  const text = Array.from(seed, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const generator = seedrandom(text);
  return symmetricGaussian(
    normalStream(() => generator.double()),
    d,
    stdDev,
  );
}

/**
 * A noise matrix of one site's own, for DPdisPCA: the same law as `sharedNoise`, with the uniforms of `uniformsOf`.
 * @returns symmetric [d × d] row-major
 */
export function ownNoise(random: RandomSource, d: number, stdDev: number): Float64Array {
  return symmetricGaussian(normalStream(uniformsOf(random)), d, stdDev);
}

/** The largest magnitude that an entry of a noise matrix can have. */
export function noiseEntryLimit(stdDev: number): number {
  return normalLimit * stdDev;
}

function symmetricGaussian(normal: () => number, d: number, stdDev: number): Float64Array {
  if (!Number.isInteger(d) || d < 1) throw new RangeError(`matrix order ${d} is not a positive integer`);
  if (!(stdDev >= 0) || !Number.isFinite(stdDev)) {
    throw new RangeError("the standard deviation must be finite and not negative");
  }
  const matrix = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      const entry = stdDev * normal();
      matrix[i * d + j] = entry;
      matrix[j * d + i] = entry;
    }
  }
  return matrix;
}

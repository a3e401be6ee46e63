import { createCipheriv, createHash } from "node:crypto";
import { upperGamma } from "@consilium/core/linalg/upperGamma";
import type { RandomSource } from "@consilium/core/random";

/** The few distributions that the audit's decisions rest on. */

/** Every statistical line of the audit, taken by itself, accuses sound code at most this often. */
export const falsePositiveRate = 1e-6;

/** P[|Z| > z] of a standard normal Z. */
export function normalTwoSided(z: number): number {
  return upperGamma(0.5, (z * z) / 2);
}

/** Φ(z) */
export function normalCdf(z: number): number {
  const beyond = normalTwoSided(Math.abs(z)) / 2;
  return z < 0 ? beyond : 1 - beyond;
}

/** Pearson's χ²: the probability of counts as far from their expectations as these, or farther. */
export function chiSquareProbability(counts: ArrayLike<number>, expected: ArrayLike<number>): number {
  let statistic = 0;
  for (let cell = 0; cell < counts.length; cell++) {
    statistic += (counts[cell]! - expected[cell]!) ** 2 / expected[cell]!;
  }
  return upperGamma((counts.length - 1) / 2, statistic / 2);
}

export function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

/** Mean of the squares: the variance of what has mean 0. */
export function meanSquareOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]! * values[i]!;
  return sum / values.length;
}

/** Correlation of two samples of mean 0. */
export function correlation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let product = 0;
  for (let i = 0; i < a.length; i++) product += a[i]! * b[i]!;
  return product / a.length / Math.sqrt(meanSquareOf(a) * meanSquareOf(b));
}

/**
 * The same bytes for the same seed: AES-256-CTR under its hash. Every line of the audit has a stream of its own, so a
 * finding is found again whatever ran before it.
 */
export function seededRandom(seed: string): RandomSource {
  const cipher = createCipheriv("aes-256-ctr", createHash("sha256").update(seed).digest(), Buffer.alloc(16));
  return { bytes: (count) => new Uint8Array(cipher.update(Buffer.alloc(count))) };
}

import { upperGamma } from "@consilium/core/linalg/upperGamma";

/** At least what a standard normal has beyond ±z together [AS64, 7.1.13], for z ≥ 0; at 3 too much by 1 %. */
const beyondAtMost = (z: number) =>
  (2 / Math.sqrt(Math.PI)) *
  (Math.exp((-z * z) / 2) / (z / Math.SQRT2 + Math.sqrt((z * z) / 2 + 4 / Math.PI)));

/** A z so that a standard normal lies beyond ±z with at most this probability. @param probability - above 0 */
export function zBeyond(probability: number): number {
  let [low, high] = [0, 40];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (beyondAtMost(middle) > probability) low = middle;
    else high = middle;
  }
  return high;
}

/** Probability that a standard normal lies beyond ±z. */
export const twoSided = (z: number): number => upperGamma(1 / 2, z ** 2 / 2);

/** Φ, the probability that a standard normal lies below z. */
export const normalBelow = (z: number): number => (z > 0 ? 1 - twoSided(z) / 2 : twoSided(z) / 2);

import { expect } from "vitest";
import { upperGamma } from "../../src/linalg/upperGamma.js";

/** The false-positive rate of every statistical test here, and the one that they print. */
export const falsePositiveRate = 1e-6;

/** What a sample of `counts` says against the `expected` counts: Pearson's χ² with its probability. */
export function chiSquare(
  counts: readonly number[],
  expected: readonly number[],
): { readonly statistic: number; readonly degrees: number; readonly probability: number } {
  let statistic = 0;
  for (const [cell, count] of counts.entries()) statistic += (count - expected[cell]!) ** 2 / expected[cell]!;
  const degrees = counts.length - 1;
  return { statistic, degrees, probability: upperGamma(degrees / 2, statistic / 2) };
}

/** Probabilities of a discrete distribution on the integers, from unnormalised weights. */
export interface Distribution {
  probability(y: number): number;
  /** Farther out than this nothing is ever drawn. */
  readonly reach: number;
}

export function distributionOf(weight: (y: number) => number, reach: number): Distribution {
  let total = 0;
  // Small terms first.
  for (let y = reach; y > 0; y--) total += weight(y) + weight(-y);
  total += weight(0);
  return { probability: (y) => weight(y) / total, reach };
}

export function discreteGaussianOf(variance: number): Distribution {
  return distributionOf((y) => Math.exp((-y * y) / (2 * variance)), Math.ceil(40 * Math.sqrt(variance)) + 10);
}

/**
 * χ² of integer draws against their exact probabilities, cells of expectation below 20 put together.
 * @returns the probability of what was seen, or less likely
 */
export function fitOf(draws: ArrayLike<number>, distribution: Distribution): number {
  const tally = new Map<number, number>();
  for (let i = 0; i < draws.length; i++) tally.set(draws[i]!, (tally.get(draws[i]!) ?? 0) + 1);
  const counts: number[] = [];
  const expected: number[] = [];
  for (let y = -distribution.reach; y <= distribution.reach; y++) {
    const expectation = draws.length * distribution.probability(y);
    if (expectation < 20) continue;
    counts.push(tally.get(y) ?? 0);
    expected.push(expectation);
  }
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  counts.push(draws.length - sum(counts));
  expected.push(draws.length - sum(expected));
  return chiSquare(counts, expected).probability;
}

/** Mean 0 and the given variance, each within five standard errors. */
export function expectMoments(draws: ArrayLike<number>, variance: number): void {
  const { mean, meanSquare } = momentsOf(draws);
  expect(Math.abs(mean)).toBeLessThan(5 * Math.sqrt(variance / draws.length));
  expect(Math.abs(meanSquare / variance - 1)).toBeLessThan(5 * Math.sqrt(2 / draws.length));
}

export function momentsOf(draws: ArrayLike<number>): { readonly mean: number; readonly meanSquare: number } {
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < draws.length; i++) {
    sum += draws[i]!;
    squares += draws[i]! * draws[i]!;
  }
  return { mean: sum / draws.length, meanSquare: squares / draws.length };
}

/** Φ(z) by its power series: good to 1e-12 for |z| < 7. */
export function normalCdf(z: number): number {
  let term = z;
  let sum = z;
  for (let n = 1; n < 200; n++) {
    term *= (z * z) / (2 * n + 1);
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

/** Correlation of two samples of mean 0. */
export function correlation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let product = 0;
  for (let i = 0; i < a.length; i++) product += a[i]! * b[i]!;
  return product / a.length / Math.sqrt(momentsOf(a).meanSquare * momentsOf(b).meanSquare);
}

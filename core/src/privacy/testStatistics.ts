import { expect } from "vitest";

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

/** Γ(a, x)/Γ(a): by its power series below a + 1, by its continued fraction above. */
function upperGamma(a: number, x: number): number {
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; term > sum * 1e-16; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return 1 - front * sum;
  }
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < 10_000; n++) {
    const factor = -n * (n - a);
    b += 2;
    d = 1 / (factor * d + b);
    c = b + factor / c;
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return front * fraction;
}

function logGamma(a: number): number {
  // Stirling's series far out, brought back by the recurrence.
  let shift = 0;
  while (a < 20) shift += Math.log(a++);
  return (
    (a - 0.5) * Math.log(a) - a + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * a) - 1 / (360 * a ** 3) - shift
  );
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

import { DiscreteGaussian } from "@consilium/gate/noise/discreteGaussian";
import { RandomWords } from "@consilium/gate/noise/randomWords";
import { exactRational, type Rational } from "@consilium/gate/noise/rational";
import { afterAll } from "vitest";
import type { RandomSource } from "../../src/random.js";
import { falsePositiveRate } from "./statistics.js";

/** What the statistical tests of the discrete Gaussian share. */

export const million = 1_000_000;

export function draws(variance: number | Rational, count: number, random: RandomSource): BigInt64Array {
  const exact = typeof variance === "number" ? exactRational(variance) : variance;
  const out = new BigInt64Array(count);
  new DiscreteGaussian(exact, new RandomWords(random)).fill(out);
  return out;
}

export const numbersOf = (values: BigInt64Array) => Float64Array.from(values, Number);

/** Prints once, after all tests of a file, how often each of them may fail by chance. */
export function announceRate(): void {
  afterAll(() => {
    process.stderr.write(
      `discrete Gaussian: every statistical test has a false-positive rate of ${falsePositiveRate}\n`,
    );
  });
}

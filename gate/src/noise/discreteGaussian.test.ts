import { deltaFromRho } from "@consilium/core/privacy/deltaConversions";
import { gaussianDelta } from "@consilium/core/testing/privacy/analyticGaussian";
import { compareRationals } from "@consilium/core/testing/privacy/exact";
import { announceRate, draws, million, numbersOf } from "@consilium/core/testing/privacy/gaussianDraws";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import {
  discreteGaussianOf,
  expectMoments,
  falsePositiveRate,
  fitOf,
  momentsOf,
} from "@consilium/core/testing/privacy/statistics";
import { describe, expect, it } from "vitest";
import vectors from "../../../core/testing/privacy/testVectors/v1/accounting.json" with { type: "json" };
import { isBelowExactly } from "./bernoulli.js";
import { DiscreteGaussian, GaussianProposal } from "./discreteGaussian.js";
import { RandomWords } from "./randomWords.js";
import { dividedBy, exactRational, integerSquareRoot, type Rational, rational } from "./rational.js";

/**
 * [CKS20, Algorithms 1 to 3] to the letter: rational numbers and integers alone, nothing decided early. It reads the
 * same words in the same order as the product does.
 */
function literalGaussian(variance: Rational, words: RandomWords): bigint {
  const { numerator: a, denominator: b } = variance;
  const t = integerSquareRoot(a / b) + 1n;
  const isBelow = (k: number, gamma: Rational) => isBelowExactly(words, words.next(), k, gamma);
  const flipFrom = (first: number, gamma: Rational): boolean => {
    let k = first;
    while (isBelow(k, gamma)) k++;
    return k % 2 === 1;
  };
  const flipOne = () => flipFrom(2, rational(1n));
  const flip = (gamma: Rational): boolean => {
    const whole = gamma.numerator / gamma.denominator;
    for (let i = 0n; i < whole; i++) if (!flipOne()) return false;
    return flipFrom(1, rational(gamma.numerator - whole * gamma.denominator, gamma.denominator));
  };
  const uniform = (): bigint => {
    if (t < 1n << 32n) return BigInt(words.below(Number(t)));
    for (;;) {
      const high = BigInt(words.below(Number(t >> 32n) + 1));
      const u = (high << 32n) | BigInt(words.next());
      if (u < t) return u;
    }
  };
  for (;;) {
    let u = uniform();
    while (!flip(rational(u, t))) u = uniform();
    let wholes = 0n;
    while (flipOne()) wholes++;
    const magnitude = u + t * wholes;
    const negative = words.bit() === 1;
    if (negative && magnitude === 0n) continue;
    const difference = magnitude * t * b - a;
    if (flip(rational(difference * difference, 2n * a * b * t * t))) return negative ? -magnitude : magnitude;
  }
}

announceRate();

/** More variances, and lower bounds on ε: test/accuracy/discreteGaussian.test.ts. */
describe("DiscreteGaussian", () => {
  const variances: readonly Rational[] = [
    ...[
      1e-3,
      0.25,
      1,
      2,
      16.3632,
      1e4,
      2 ** 31,
      2 ** 60,
      (2 ** 32 + 1) ** 2,
      2 ** 90,
      2 ** 110,
      2 ** 123,
    ].map(exactRational),
    rational(1n, 3n),
    rational(10n ** 30n + 1n, 7n),
  ];
  it.each(variances)("takes no shortcut that changes a draw: σ² = $numerator/$denominator", (variance) => {
    const seed = `literal ${variance.numerator}`;
    const ours = draws(variance, 3000, seededRandom(seed));
    const words = new RandomWords(seededRandom(seed));
    for (const [index, draw] of ours.entries()) {
      if (draw !== BigInt.asIntN(64, literalGaussian(variance, words))) expect.fail(`draw ${index} differs`);
    }
  });

  it.each(variances)(
    "keeps the true γ between the doubles that decide: σ² = $numerator/$denominator",
    (variance) => {
      const proposal = new GaussianProposal(
        variance,
        new RandomWords(seededRandom(`γ ${variance.numerator}`)),
      );
      for (let i = 0; i < 3000; i++) {
        proposal.draw();
        const { gammaLow: low, gammaHigh: high } = proposal;
        const gamma = proposal.gamma();
        if (
          compareRationals(exactRational(low), gamma) > 0 ||
          compareRationals(gamma, exactRational(high)) > 0
        ) {
          expect.fail(`γ is not between ${low} and ${high}`);
        }
        // So narrow that one word of 32 bits nearly always decides.
        expect(high - low).toBeLessThan(2 ** -36 * (1 + low));
      }
    },
  );

  it.each([1])("fits the exact probabilities at σ² = %d over 10⁶ draws", (variance) => {
    const values = numbersOf(draws(variance, million, seededRandom(`fit ${variance}`)));
    const distribution = discreteGaussianOf(variance);
    expect(fitOf(values, distribution)).toBeGreaterThan(falsePositiveRate);
    let exactVariance = 0;
    for (let y = 1; y <= distribution.reach; y++) exactVariance += 2 * y * y * distribution.probability(y);
    expectMoments(values, exactVariance);
  });

  it("is caught where it is not one: rounded normals, and a σ that is too small by √2", () => {
    const uniforms = new RandomWords(seededRandom("rounded"));
    const uniform = () => (uniforms.next() + 0.5) / 2 ** 32;
    const rounded = Float64Array.from({ length: million }, () =>
      Math.round(Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())),
    );
    expect(fitOf(rounded, discreteGaussianOf(1))).toBeLessThan(falsePositiveRate);
    const halved = numbersOf(draws(2, million, seededRandom("halved")));
    expect(fitOf(halved, discreteGaussianOf(4))).toBeLessThan(falsePositiveRate);
    expect(Math.abs(momentsOf(halved).meanSquare / 4 - 1)).toBeGreaterThan(5 * Math.sqrt(2 / million));
  });

  it("is tested against probabilities that are mpmath's", () => {
    for (const [variance, y, truth] of vectors.discreteGaussianProbability) {
      expect(discreteGaussianOf(Number(variance)).probability(Number(y)) / Number(truth)).toBeCloseTo(1, 12);
    }
    for (const [variance, truth] of vectors.discreteGaussianVariance) {
      const { probability, reach } = discreteGaussianOf(Number(variance));
      let sum = 0;
      for (let y = reach; y > 0; y--) sum += 2 * y * y * probability(y);
      expect(sum / Number(truth)).toBeCloseTo(1, 12);
    }
    expect(discreteGaussianOf(0.25).probability(0)).toBeCloseTo(0.786570707, 10);
    expect(discreteGaussianOf(0.25).probability(1)).toBeCloseTo(0.1064507694, 10);
    expect(discreteGaussianOf(4).probability(1)).toBeCloseTo(0.1760326634, 10);
  });

  it("leaks more than continuous noise of the same σ, and no more than its ρ says: exact δ of neighbours", () => {
    for (const [variance, epsilon, truth] of vectors.discreteGaussianDelta) {
      const [sigmaSquared, exact] = [Number(variance), Number(truth)];
      const { probability, reach } = discreteGaussianOf(sigmaSquared);
      const above = (from: number) => {
        let sum = 0;
        for (let y = reach; y > from; y--) sum += probability(y);
        return sum;
      };
      const middle = Number(epsilon) * sigmaSquared;
      const closed = above(middle - 0.5) - Math.exp(Number(epsilon)) * above(middle + 0.5);
      expect(closed / exact).toBeCloseTo(1, 9);
      const rho = 1 / (2 * sigmaSquared);
      expect(deltaFromRho({ rho, epsilon: Number(epsilon) })).toBeGreaterThan(exact);
    }
    const continuous = gaussianDelta({ stdDev: 1, l2Sensitivity: 1, epsilon: 0.1 });
    expect(continuous).toBeLessThan(Number(vectors.discreteGaussianDelta[0]![2]));
    const figure = vectors.discreteGaussianDelta.find(
      ([variance, epsilon]) => variance === 16.3632 && epsilon === 1,
    )!;
    expect(Number(figure[2])).toBeCloseTo(2.342452e-6, 12);
  });

  it("refuses variances that are out of range", () => {
    const words = new RandomWords(seededRandom("range"));
    for (const bad of [
      rational(0n),
      rational(-1n),
      rational(1n << 124n),
      dividedBy(rational(1n), 1n << 600n),
    ]) {
      expect(() => new DiscreteGaussian(bad, words)).toThrow(RangeError);
    }
  });
});

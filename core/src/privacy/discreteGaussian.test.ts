import { afterAll, describe, expect, it } from "vitest";
import { gaussianDelta, gaussianStdDev } from "../../testing/privacy/analyticGaussian.js";
import { epsilonLowerBound } from "../../testing/privacy/clopperPearson.js";
import { compareRationals } from "../../testing/privacy/exact.js";
import { seededRandom, systemRandom } from "../../testing/privacy/random.js";
import {
  chiSquare,
  discreteGaussianOf,
  expectMoments,
  falsePositiveRate,
  fitOf,
  momentsOf,
  normalCdf,
} from "../../testing/privacy/statistics.js";
import vectors from "../../testing/privacy/testVectors/v1/accounting.json" with { type: "json" };
import type { RandomSource } from "../random.js";
import { isBelowExactly } from "./bernoulli.js";
import { deltaFromRho } from "./conversions.js";
import { DiscreteGaussian, GaussianProposal } from "./discreteGaussian.js";
import { RandomWords } from "./randomWords.js";
import { dividedBy, exactRational, integerSquareRoot, type Rational, rational } from "./rational.js";

const million = 1_000_000;

function draws(variance: number | Rational, count: number, random: RandomSource): BigInt64Array {
  const exact = typeof variance === "number" ? exactRational(variance) : variance;
  const out = new BigInt64Array(count);
  new DiscreteGaussian(exact, new RandomWords(random)).fill(out);
  return out;
}

const numbersOf = (values: BigInt64Array) => Float64Array.from(values, Number);

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

afterAll(() => {
  process.stderr.write(
    `discrete Gaussian: every statistical test has a false-positive rate of ${falsePositiveRate}\n`,
  );
});

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

  it.each([0.25, 1, 4, 16.3632, 1000])(
    "fits the exact probabilities at σ² = %d over 10⁶ draws",
    (variance) => {
      const values = numbersOf(draws(variance, million, seededRandom(`fit ${variance}`)));
      const distribution = discreteGaussianOf(variance);
      expect(fitOf(values, distribution)).toBeGreaterThan(falsePositiveRate);
      let exactVariance = 0;
      for (let y = 1; y <= distribution.reach; y++) exactVariance += 2 * y * y * distribution.probability(y);
      expectMoments(values, exactVariance);
    },
  );

  it("fits with the operating system's generator", () => {
    const values = numbersOf(draws(4, million, systemRandom));
    expect(fitOf(values, discreteGaussianOf(4))).toBeGreaterThan(falsePositiveRate);
    expectMoments(values, 4);
  });

  it.each([2 ** 10, 2 ** 30, 2 ** 30 + 0.1, 2 ** 46.3, 2 ** 58])(
    "fits at σ = %d: shape, and last digits",
    (stdDev) => {
      const values = draws(exactRational(stdDev * stdDev), million, seededRandom(`large ${stdDev}`));
      // So many integers lie within a cell that the normal's area differs by less than 1/(24σ²).
      const edges = Array.from({ length: 161 }, (_, i) => (i - 80) / 20);
      const expected = edges.slice(1).map((edge, i) => million * (normalCdf(edge) - normalCdf(edges[i]!)));
      const counts = expected.map(() => 0);
      const lastDigits = new Array<number>(256).fill(0);
      let outside = 0;
      for (const value of values) {
        lastDigits[Number(value & 255n)]! += 1;
        const cell = Math.floor((Number(value) + 0.5) / stdDev / 0.05) + 80;
        if (cell >= 0 && cell < counts.length) counts[cell]! += 1;
        else outside++;
      }
      const rest = million - expected.reduce((sum, value) => sum + value, 0);
      expect(chiSquare([...counts, outside], [...expected, rest]).probability).toBeGreaterThan(
        falsePositiveRate,
      );
      const uniform = lastDigits.map(() => million / 256);
      expect(chiSquare(lastDigits, uniform).probability).toBeGreaterThan(falsePositiveRate);
      expectMoments(
        Float64Array.from(values, (value) => Number(value) / stdDev),
        1,
      );
    },
  );

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

  it("gives what its ε promises, and less noise is caught: lower bounds on ε at δ = 1e-5, confidence 99 %", () => {
    const delta = 1e-5;
    const stdDev = gaussianStdDev({ epsilon: 1, delta, l2Sensitivity: 1 });
    const sensitivity = 2 ** 20;
    const bounds = [1, Math.SQRT1_2, 0.5, 0.25].map((factor) => {
      const scale = stdDev * factor * sensitivity;
      const here = numbersOf(draws(exactRational(scale * scale), million, seededRandom(`here ${factor}`)));
      const there = numbersOf(draws(exactRational(scale * scale), million, seededRandom(`there ${factor}`)));
      for (let i = 0; i < million; i++) here[i]! += sensitivity;
      const half = million / 2;
      const boundFor = (threshold: number, from: number) =>
        epsilonLowerBound({
          hits: countAbove(here, threshold, from, half),
          otherHits: countAbove(there, threshold, from, half),
          trials: half,
          delta,
          alpha: 0.01,
        });
      const thresholds = Array.from({ length: 24 }, (_, i) => (i / 5) * scale);
      const best = thresholds.reduce((most, threshold) =>
        boundFor(threshold, 0) > boundFor(most, 0) ? threshold : most,
      );
      return boundFor(best, half);
    });
    process.stderr.write(
      `ε ≥ ${bounds.map((bound) => bound.toFixed(2)).join(", ")} at σ, σ/√2, σ/2, σ/4 for ε = 1\n`,
    );
    expect(bounds[0]).toBeLessThanOrEqual(1);
    expect(bounds[0]).toBeGreaterThan(0.4);
    expect(bounds[2]).toBeGreaterThan(1);
    expect(bounds[3]).toBeGreaterThan(2);
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

function countAbove(values: Float64Array, threshold: number, from: number, count: number): number {
  let above = 0;
  for (let i = from; i < from + count; i++) if (values[i]! > threshold) above++;
  return above;
}

import { DiscreteLaplace } from "@consilium/core/testing/privacy/laplaceDraws";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import {
  distributionOf,
  expectMoments,
  falsePositiveRate,
  fitOf,
} from "@consilium/core/testing/privacy/statistics";
import { describe, expect, it } from "vitest";
import { type Rational, rational } from "./rational.js";

describe("DiscreteLaplace", () => {
  const scales: readonly Rational[] = [rational(1n), rational(1n, 2n), rational(7n, 3n), rational(20n)];
  it.each(scales)(
    "fits the exact probabilities at b = $numerator/$denominator over 300,000 draws",
    (scale) => {
      const b = Number(scale.numerator) / Number(scale.denominator);
      const laplace = new DiscreteLaplace({ scale, random: seededRandom(`laplace ${b}`) });
      const draws = Float64Array.from({ length: 300_000 }, () => Number(laplace.next()));
      const distribution = distributionOf((y) => Math.exp(-Math.abs(y) / b), Math.ceil(60 * b) + 10);
      expect(fitOf(draws, distribution)).toBeGreaterThan(falsePositiveRate);
      // Twice the scale is not it.
      const wider = distributionOf((y) => Math.exp(-Math.abs(y) / (1.1 * b)), Math.ceil(60 * b) + 10);
      expect(fitOf(draws, wider)).toBeLessThan(falsePositiveRate);
    },
  );

  it("has variance 2b² where b is large, far beyond 2^53", () => {
    const scale = rational(1n << 60n);
    const laplace = new DiscreteLaplace({ scale, random: seededRandom("wide") });
    const draws = Float64Array.from({ length: 200_000 }, () => Number(laplace.next()) / 2 ** 60 / Math.SQRT2);
    // Var(X²)/σ⁴ is 5 for a Laplace, 2 for a normal: five standard errors of either are wide enough in mean square.
    const { length } = draws;
    const square = draws.reduce((sum, x) => sum + x * x, 0) / length;
    expect(Math.abs(square - 1)).toBeLessThan(5 * Math.sqrt(5 / length));
    expectMoments(
      draws.map((x) => x / Math.sqrt(square)),
      1,
    );
  });

  it("refuses scales that are out of range", () => {
    const random = seededRandom("range");
    for (const scale of [rational(0n), rational(-1n), rational(1n << 63n)]) {
      expect(() => new DiscreteLaplace({ scale, random })).toThrow(RangeError);
    }
  });
});

import { gaussianStdDev } from "@consilium/core/testing/privacy/analyticGaussian";
import { epsilonLowerBound } from "@consilium/core/testing/privacy/clopperPearson";
import { announceRate, draws, million, numbersOf } from "@consilium/core/testing/privacy/gaussianDraws";
import { seededRandom, systemRandom } from "@consilium/core/testing/privacy/random";
import {
  chiSquare,
  discreteGaussianOf,
  expectMoments,
  falsePositiveRate,
  fitOf,
  normalCdf,
} from "@consilium/core/testing/privacy/statistics";
import { exactRational } from "@consilium/gate/noise/rational";
import { describe, expect, it } from "vitest";
import { further } from "../support/further.js";

/** A million draws at a time: too many for every check, and no fewer tell a wrong sampler from a right one. */

announceRate();

describe("DiscreteGaussian", () => {
  it.each([0.25, 4, 16.3632, 1000])("fits the exact probabilities at σ² = %d over 10⁶ draws", (variance) => {
    const values = numbersOf(draws(variance, million, seededRandom(`fit ${variance}`)));
    const distribution = discreteGaussianOf(variance);
    expect(fitOf(values, distribution)).toBeGreaterThan(falsePositiveRate);
    let exactVariance = 0;
    for (let y = 1; y <= distribution.reach; y++) exactVariance += 2 * y * y * distribution.probability(y);
    expectMoments(values, exactVariance);
  });

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

  // In the gate the audit finds the same of sites' shares, with less noise as its control.
  further("gives what its ε promises, and less noise is caught: bounds on ε at confidence 99 %", async () => {
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
});

function countAbove(values: Float64Array, threshold: number, from: number, count: number): number {
  let above = 0;
  for (let i = from; i < from + count; i++) if (values[i]! > threshold) above++;
  return above;
}

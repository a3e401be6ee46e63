import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rhoFromEpsilon } from "../../src/privacy/conversions.js";
import { gaussianDelta, gaussianEpsilon, gaussianStdDev } from "./analyticGaussian.js";
import { expectRoundedUp, splitRow } from "./exact.js";
import { stdDevFromRho } from "./stdDev.js";
import vectors from "./testVectors/v1/accounting.json" with { type: "json" };

describe("the analytic Gaussian mechanism", () => {
  it("has mpmath's δ, ε and σ, never below", () => {
    for (const row of vectors.gaussianDelta) {
      const { inputs, truth } = splitRow(row);
      expectRoundedUp(
        gaussianDelta({ stdDev: inputs[0]!, l2Sensitivity: 1, epsilon: inputs[1]! }),
        truth,
        1e-15,
      );
    }
    for (const row of vectors.gaussianEpsilon) {
      const { inputs, truth } = splitRow(row);
      expectRoundedUp(
        gaussianEpsilon({ stdDev: inputs[0]!, l2Sensitivity: 1, delta: inputs[1]! }),
        truth,
        1e-13,
      );
    }
    for (const row of vectors.gaussianStdDev) {
      const { inputs, truth } = splitRow(row);
      expectRoundedUp(
        gaussianStdDev({ epsilon: inputs[0]!, delta: inputs[1]!, l2Sensitivity: 1 }),
        truth,
        1e-13,
      );
    }
  });

  it("shows where the classical σ = √(2·ln(1.25/δ))·Δ/ε stops being enough", () => {
    const stdDev = Math.sqrt(2 * Math.log(1.25 / 0.01)) / 10;
    expect(gaussianDelta({ stdDev, l2Sensitivity: 1, epsilon: 10 })).toBeCloseTo(0.0405781, 7);
    expect(gaussianEpsilon({ stdDev: 1, l2Sensitivity: 1, delta: 1e-5 })).toBeCloseTo(4.377178, 6);
  });

  it("needs less noise than zCDP asks for, scales with Δ, and vanishes with the signal", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.05, max: 10, noNaN: true }),
        fc.double({ min: 1e-10, max: 1e-2, noNaN: true }),
        (epsilon, delta) => {
          const stdDev = gaussianStdDev({ epsilon, delta, l2Sensitivity: 1 });
          expect(stdDev).toBeLessThan(
            stdDevFromRho({ rho: rhoFromEpsilon({ epsilon, delta }), l2Sensitivity: 1 }),
          );
          expect(gaussianStdDev({ epsilon, delta, l2Sensitivity: 8 }) / (8 * stdDev)).toBeCloseTo(1, 12);
          expect(gaussianDelta({ stdDev, l2Sensitivity: 1, epsilon })).toBeLessThanOrEqual(delta);
        },
      ),
      { numRuns: 8 },
    );
    expect(gaussianEpsilon({ stdDev: 1e9, l2Sensitivity: 1, delta: 1e-6 })).toBe(0);
    expect(gaussianEpsilon({ stdDev: 1, l2Sensitivity: 1, delta: 0 })).toBe(Number.POSITIVE_INFINITY);
    expect(gaussianDelta({ stdDev: 1e-9, l2Sensitivity: 1, epsilon: 1 })).toBe(1);
    expect(gaussianDelta({ stdDev: 1, l2Sensitivity: 1, epsilon: Number.POSITIVE_INFINITY })).toBe(0);
    // u = ε/μ - μ/2 = 0, where the two forms of the tail meet.
    expect(gaussianDelta({ stdDev: 1, l2Sensitivity: 1, epsilon: 0.5 })).toBeCloseTo(
      gaussianDelta({ stdDev: 1, l2Sensitivity: 1, epsilon: 0.5 + 2 ** -50 }),
      14,
    );
  });

  it("refuses what is out of range", () => {
    for (const bad of [0, -1, Number.NaN]) {
      expect(() => gaussianDelta({ stdDev: bad, l2Sensitivity: 1, epsilon: 1 })).toThrow(RangeError);
      expect(() => gaussianEpsilon({ stdDev: 1, l2Sensitivity: bad, delta: 0.1 })).toThrow(RangeError);
    }
  });
});

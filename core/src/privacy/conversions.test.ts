import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectRoundedDown, expectRoundedUp, splitRow } from "../../testing/privacy/exact.js";
import { stdDevFromRho } from "../../testing/privacy/stdDev.js";
import vectors from "../../testing/privacy/testVectors/v1/accounting.json" with { type: "json" };
import { epsilonFromRho, rhoFromEpsilon } from "./conversions.js";
import { deltaFromRho } from "./deltaConversions.js";

const rhos = fc.double({ min: 1e-9, max: 1e4, noNaN: true });
const deltas = fc.double({ min: 1e-40, max: 0.5, noNaN: true });
const epsilons = fc.double({ min: 1e-3, max: 100, noNaN: true });

describe("conversions of zCDP", () => {
  it("never fall below the best that the conversion gives, nor lie 1e-14 above it", () => {
    for (const row of vectors.epsilonFromRho) {
      const { inputs, truth } = splitRow(row);
      expectRoundedUp(epsilonFromRho({ rho: inputs[0]!, delta: inputs[1]! }), truth, 1e-14);
    }
    for (const row of vectors.deltaFromRho) {
      const { inputs, truth } = splitRow(row);
      expectRoundedUp(deltaFromRho({ rho: inputs[0]!, epsilon: inputs[1]! }), truth, 1e-14);
    }
    for (const row of vectors.rhoFromEpsilon) {
      const { inputs, truth } = splitRow(row);
      expectRoundedDown(rhoFromEpsilon({ epsilon: inputs[0]!, delta: inputs[1]! }), truth, 1e-14);
    }
  });

  it("agree with published figures", () => {
    // Of [CKS20]'s own program: ρ for (ε, δ), and σ = 1/√(2ρ).
    const table = [
      [0.1, 1e-5, 0.00043299, 33.981629],
      [0.5, 1e-5, 0.00850553, 7.667156],
      [1, 1e-5, 0.0305566, 4.04513],
      [1, 1e-6, 0.02435597, 4.530877],
      [4, 1e-5, 0.37314398, 1.157569],
      [8, 1e-6, 1.052358, 0.689292],
    ] as const;
    for (const [epsilon, delta, rho, stdDev] of table) {
      const ours = rhoFromEpsilon({ epsilon, delta });
      expect(ours).toBeCloseTo(rho, 8);
      expect(stdDevFromRho({ rho: ours, l2Sensitivity: 1 })).toBeCloseTo(stdDev, 6);
    }
    expect(epsilonFromRho({ rho: 0.025, delta: 1e-6 })).toBeCloseTo(1.0140743, 7);
    expect(deltaFromRho({ rho: 0.025, epsilon: 1 })).toBeCloseTo(1.3361319e-6, 13);
    expect(epsilonFromRho({ rho: 0.5, delta: 1e-5 })).toBeCloseTo(4.728387, 6);
    // Replace-one at the ρ of (1, 1e-5): twice and four times.
    const rho = rhoFromEpsilon({ epsilon: 1, delta: 1e-5 });
    expect(epsilonFromRho({ rho: 2 * rho, delta: 1e-5 })).toBeCloseTo(1.46, 3);
    expect(epsilonFromRho({ rho: 4 * rho, delta: 1e-5 })).toBeCloseTo(2.139, 3);
  });

  it("come back to where they started, rounded against us each way", () => {
    fc.assert(
      fc.property(epsilons, deltas, (epsilon, delta) => {
        const rho = rhoFromEpsilon({ epsilon, delta });
        const again = epsilonFromRho({ rho, delta });
        expect(again / epsilon).toBeCloseTo(1, 9);
        // The budget was rounded down by less than ε is rounded up: what fits the budget is not refused for rounding.
        expect(again).toBeLessThanOrEqual(epsilon * (1 + 2 ** -51));
        expect(deltaFromRho({ rho, epsilon }) / delta).toBeCloseTo(1, 9);
      }),
      { numRuns: 300 },
    );
  });

  it("are monotone", () => {
    fc.assert(
      fc.property(rhos, deltas, fc.double({ min: 1.0001, max: 10, noNaN: true }), (rho, delta, more) => {
        expect(epsilonFromRho({ rho: rho * more, delta })).toBeGreaterThanOrEqual(
          epsilonFromRho({ rho, delta }),
        );
        expect(epsilonFromRho({ rho, delta: delta / more })).toBeGreaterThanOrEqual(
          epsilonFromRho({ rho, delta }),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("stay sharp to the ends of their range", () => {
    expect(epsilonFromRho({ rho: 0, delta: 0 })).toBe(0);
    expect(epsilonFromRho({ rho: 1, delta: 0 })).toBe(Number.POSITIVE_INFINITY);
    expect(epsilonFromRho({ rho: 1, delta: 1 })).toBe(0);
    expect(epsilonFromRho({ rho: Number.POSITIVE_INFINITY, delta: 1e-5 })).toBe(Number.POSITIVE_INFINITY);
    // Less than δ in total variation by Pinsker: √(ρ/2).
    expect(epsilonFromRho({ rho: 1e-14, delta: 1e-6 })).toBe(0);
    expect(epsilonFromRho({ rho: 1e300, delta: 1e-300 })).toBeGreaterThanOrEqual(1e300);
    expect(epsilonFromRho({ rho: 1e-300, delta: 1e-300 })).toBeGreaterThanOrEqual(0);
    expect(deltaFromRho({ rho: 0, epsilon: 0 })).toBe(0);
    expect(deltaFromRho({ rho: 1e6, epsilon: 1 })).toBe(1);
    expect(deltaFromRho({ rho: 1e-300, epsilon: 1 })).toBe(Number.MIN_VALUE);
    expect(deltaFromRho({ rho: 1, epsilon: Number.POSITIVE_INFINITY })).toBe(0);
    expect(rhoFromEpsilon({ epsilon: 0, delta: 1e-5 })).toBeGreaterThan(0);
    expect(rhoFromEpsilon({ epsilon: 1e9, delta: 1e-5 })).toBeGreaterThan(0.99e9);
  });

  it("refuse what is out of range", () => {
    for (const bad of [Number.NaN, -1, 1.5]) {
      expect(() => epsilonFromRho({ rho: 1, delta: bad })).toThrow(RangeError);
      expect(() => rhoFromEpsilon({ epsilon: 1, delta: bad })).toThrow(RangeError);
    }
    for (const bad of [Number.NaN, -1]) {
      expect(() => epsilonFromRho({ rho: bad, delta: 0.1 })).toThrow(RangeError);
      expect(() => deltaFromRho({ rho: 1, epsilon: bad })).toThrow(RangeError);
      expect(() => rhoFromEpsilon({ epsilon: bad, delta: 0.1 })).toThrow(RangeError);
      expect(() => stdDevFromRho({ rho: bad, l2Sensitivity: 1 })).toThrow(RangeError);
    }
    expect(() => rhoFromEpsilon({ epsilon: 1, delta: 0 })).toThrow(/no bound at δ = 0/);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectRoundedUp, splitRow } from "../../testing/privacy/exact.js";
import { stdDevFromRho } from "../../testing/privacy/stdDev.js";
import vectors from "../../testing/privacy/testVectors/v1/accounting.json" with { type: "json" };
import { rhoFromEpsilon } from "./conversions.js";
import { distributedRho, tau } from "./distributedNoise.js";
import { checkEvent } from "./events.js";
import { squaredNormLimitFor } from "./quantise.js";
import { type DistributedSum, eventOf, shareVarianceFor } from "./shareVariance.js";

const rhoOf = (sum: DistributedSum, shareVariance: number) =>
  distributedRho(eventOf(sum, shareVariance)).ceiling();

const vectorSum: DistributedSum = {
  l2SensitivitySquared: 2 ** 20,
  groups: [{ entries: 1000, weight: 1 }],
  sites: 5,
  noiseShares: 4,
};

const sums: fc.Arbitrary<DistributedSum> = fc.record({
  l2SensitivitySquared: fc.integer({ min: 1, max: 2 ** 40 }),
  groups: fc.array(
    fc.record({ entries: fc.integer({ min: 1, max: 1_000_000 }), weight: fc.constantFrom(1, 2) }),
    { minLength: 1, maxLength: 2 },
  ),
  sites: fc.integer({ min: 4, max: 20 }),
  noiseShares: fc.integer({ min: 1, max: 4 }),
});

describe("tau", () => {
  it("is mpmath's sum, never below", () => {
    for (const row of vectors.tau) {
      const { inputs, truth } = splitRow(row);
      expectRoundedUp(tau({ sites: inputs[0]!, shareVariance: inputs[1]! }), truth, 1e-15);
    }
    expect(tau({ sites: 2, shareVariance: 0.25 })).toBeCloseTo(0.84805, 5);
    expect(tau({ sites: 2, shareVariance: 1 })).toBeCloseTo(5.1723e-4, 8);
    expect(tau({ sites: 2, shareVariance: 4 })).toBeCloseTo(7.1572e-17, 21);
    expect(tau({ sites: 10, shareVariance: 1 })).toBeCloseTo(5.4352e-4, 8);
    expect(tau({ sites: 1, shareVariance: 1 })).toBe(0);
    expect(() => tau({ sites: 3, shareVariance: 0.2 })).toThrow(RangeError);
  });
});

describe("distributedRho", () => {
  it("is ½(Δ/σ + τ√D)² where shares are broad, and the least of three bounds elsewhere", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 2, max: 10 }),
        fc.double({ min: 0.25, max: 20, noNaN: true }),
        (squared, entries, sites, shareVariance) => {
          const noiseShares = sites - 1;
          const t = tau({ sites, shareVariance });
          const x = Math.sqrt(squared / (noiseShares * shareVariance));
          const l1OverStdDev = squared / Math.sqrt(noiseShares * shareVariance);
          const terms = [
            (x * x) / 2 + t * entries,
            (x * x + 2 * l1OverStdDev * t + t * t * entries) / 2,
            (x + t * Math.sqrt(entries)) ** 2 / 2,
          ];
          const groups = [{ entries, weight: 1 }];
          const ours = rhoOf({ l2SensitivitySquared: squared, groups, sites, noiseShares }, shareVariance);
          expect(ours / Math.min(...terms)).toBeCloseTo(1, 12);
        },
      ),
    );
    // Broad shares: the same as one discrete Gaussian of the guaranteed variance.
    expect(rhoOf(vectorSum, 1000)).toBeCloseTo(2 ** 20 / (2 * 4000), 9);
  });

  it("falls with the share's variance, and rises with sites, entries and sensitivity", () => {
    fc.assert(
      fc.property(sums, fc.double({ min: 1, max: 100, noNaN: true }), (sum, variance) => {
        const rho = rhoOf(sum, variance);
        expect(rhoOf(sum, variance * 1.01)).toBeLessThan(rho);
        expect(rhoOf({ ...sum, sites: sum.sites + 1 }, variance)).toBeGreaterThanOrEqual(rho);
        expect(rhoOf({ ...sum, noiseShares: sum.noiseShares + 1 }, variance)).toBeLessThan(rho);
        expect(
          rhoOf({ ...sum, l2SensitivitySquared: sum.l2SensitivitySquared + 1 }, variance),
        ).toBeGreaterThan(rho);
        const more = sum.groups.map((group) => ({ ...group, entries: group.entries + 1 }));
        expect(rhoOf({ ...sum, groups: more }, variance)).toBeGreaterThanOrEqual(rho);
      }),
      { numRuns: 50 },
    );
  });

  it("charges the weighted form as Σ Δ_j²/σ_j² by exhaustive records of a small Gram matrix", () => {
    // a in {-2..2}³ with |a|² ≤ 4: Σ over the upper triangle of w_ij·(a_i·a_j)² is |a|⁴, whatever a is.
    const limit = 4;
    let most = 0;
    for (let x = -2; x <= 2; x++)
      for (let y = -2; y <= 2; y++)
        for (let z = -2; z <= 2; z++) {
          const a = [x, y, z];
          if (x * x + y * y + z * z > limit) continue;
          let weighted = 0;
          for (let i = 0; i < 3; i++)
            for (let j = i; j < 3; j++) weighted += (i === j ? 1 : 2) * (a[i]! * a[j]!) ** 2;
          most = Math.max(most, weighted);
        }
    expect(most).toBe(limit ** 2);
    const sum = {
      l2SensitivitySquared: limit ** 2,
      groups: [
        { entries: 3, weight: 1 },
        { entries: 3, weight: 2 },
      ],
      sites: 4,
      noiseShares: 2,
    };
    const shareVariance = 50;
    // At the worst record, (2, 0, 0): one diagonal entry moves by 4.
    expect(rhoOf(sum, shareVariance)).toBeCloseTo(16 / (2 * 2 * shareVariance), 12);
  });
});

describe("shareVarianceFor", () => {
  it("reaches the target and is nearly the least that does", () => {
    fc.assert(
      fc.property(sums, fc.double({ min: 1e-6, max: 10, noNaN: true }), (sum, rho) => {
        const variance = shareVarianceFor({ ...sum, rho });
        const event = checkEvent(eventOf(sum, variance));
        expect(event).toEqual(eventOf(sum, variance));
        expect(rhoOf(sum, variance)).toBeLessThanOrEqual(rho);
        const floor = 0.25 * Math.max(...sum.groups.map(({ weight }) => weight));
        const less = variance * (1 - 1e-12);
        if (less >= floor) expect(rhoOf(sum, less)).toBeGreaterThan(rho);
      }),
      { numRuns: 40 },
    );
  });

  it("gives the figures of DP-PCA: κ = ½, ε = 1, δ = 1e-5, and σ/2 per share of four", () => {
    const rho = rhoFromEpsilon({ epsilon: 1, delta: 1e-5 });
    expect(stdDevFromRho({ rho, l2Sensitivity: 1.25 })).toBeCloseTo(5.056413, 6);
    const l2SensitivitySquared = squaredNormLimitFor({ l2SensitivitySquared: 1.25 ** 2, gridExponent: 24 });
    const variance = shareVarianceFor({ ...vectorSum, l2SensitivitySquared, rho });
    expect(Math.sqrt(variance) / 2 ** 24).toBeCloseTo(5.056413 / 2, 6);
    // All five shares: σ·√1.25.
    expect(Math.sqrt(5 * variance) / 2 ** 24).toBeCloseTo(5.056413 * Math.sqrt(1.25), 5);
  });

  it("refuses a ρ that is no target", () => {
    for (const rho of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => shareVarianceFor({ ...vectorSum, rho })).toThrow(RangeError);
    }
  });
});

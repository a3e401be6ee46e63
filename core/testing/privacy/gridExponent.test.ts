import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { squaredNormLimitFor } from "../../src/privacy/quantise.js";
import { gridExponentFor } from "./gridExponent.js";

describe("gridExponentFor", () => {
  it("leaves every share two units and the cut a tenth of σ, and no finer than that asks", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 10, noNaN: true }),
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 10_000_000 }),
        fc.constantFrom([1], [1, 2]),
        (rho, l2SensitivitySquared, noiseShares, maxRecords, weights) => {
          const gridExponent = gridExponentFor({
            rho,
            l2SensitivitySquared,
            noiseShares,
            maxRecords,
            weights,
          });
          const onGrid = squaredNormLimitFor({ l2SensitivitySquared, gridExponent });
          const heaviest = Math.max(...weights);
          const shareVariance = onGrid / (2 * rho * noiseShares * heaviest);
          expect(shareVariance).toBeGreaterThanOrEqual(4);
          const least = Math.sqrt(l2SensitivitySquared / (2 * rho * heaviest));
          expect(maxRecords * 2 ** -gridExponent).toBeLessThanOrEqual((least / 10) * (1 + 1e-12));
          if (gridExponent > 1) {
            const coarser = 2 ** -(gridExponent - 2);
            const tooCoarse =
              (least / coarser) ** 2 / noiseShares < 4 ||
              maxRecords * coarser > least / 10 ||
              l2SensitivitySquared < coarser ** 2;
            expect(tooCoarse).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
    expect(() =>
      gridExponentFor({ rho: 0, l2SensitivitySquared: 1, noiseShares: 1, maxRecords: 1, weights: [1] }),
    ).toThrow(RangeError);
  });
});

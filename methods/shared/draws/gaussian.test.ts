import fc from "fast-check";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { cosineSineOfTurns, naturalLog, normalLimit, normalStream } from "./gaussian.js";

describe("naturalLog", () => {
  it("agrees with Math.log to a unit in the last place", () => {
    fc.assert(
      fc.property(fc.double({ min: 2 ** -1022, max: Number.MAX_VALUE, noNaN: true }), (x) => {
        const expected = Math.log(x);
        expect(Math.abs(naturalLog(x) - expected)).toBeLessThanOrEqual(
          Math.max(Math.abs(expected) * 2 ** -51.5, 2 ** -1074),
        );
      }),
      { numRuns: 5000 },
    );
    fc.assert(
      fc.property(fc.double({ min: 0.99, max: 1.01, noNaN: true }), (x) => {
        expect(Math.abs(naturalLog(x) - Math.log(x))).toBeLessThanOrEqual(Math.abs(Math.log(x)) * 2 ** -51.5);
      }),
    );
    expect(naturalLog(1)).toBe(0);
    for (const bad of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => naturalLog(bad)).toThrow(RangeError);
  });
});

describe("cosineSineOfTurns", () => {
  it("agrees with Math.cos and Math.sin", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (turns) => {
        const [cosine, sine] = cosineSineOfTurns(turns);
        expect(Math.abs(cosine - Math.cos(2 * Math.PI * turns))).toBeLessThanOrEqual(1e-15);
        expect(Math.abs(sine - Math.sin(2 * Math.PI * turns))).toBeLessThanOrEqual(1e-15);
        expect(cosine * cosine + sine * sine).toBeCloseTo(1, 14);
      }),
      { numRuns: 5000 },
    );
    expect([0, 0.25, 0.5, 0.75].map((turns) => cosineSineOfTurns(turns).map((x) => x + 0))).toEqual([
      [1, 0],
      [0, 1],
      [-1, 0],
      [0, -1],
    ]);
  });
});

describe("normalStream", () => {
  it("stays below its limit at the ends of the uniform's range", () => {
    const largest = normalStream(() => 1 - 2 ** -53);
    expect(Math.abs(largest())).toBeLessThan(normalLimit);
    expect(Math.abs(largest())).toBeLessThan(normalLimit);
    const extreme = [1 - 2 ** -53, 0][Symbol.iterator]();
    const first = normalStream(() => extreme.next().value ?? 0)();
    expect(first).toBeGreaterThan(8.57);
    expect(first).toBeLessThan(normalLimit);
  });

  it("draws standard normals: moments and distribution, false positives below 1e-6", () => {
    const draws = 200_000;
    const normal = normalStream(seedrandom("distribution").double);
    const values = Float64Array.from({ length: draws }, normal).sort();
    const moment = (power: number) => values.reduce((sum, z) => sum + z ** power, 0) / draws;
    // Standard errors of the k-th moment of a standard normal: √((E z^2k - (E z^k)²)/N); five of them each.
    expect(Math.abs(moment(1))).toBeLessThan(5 / Math.sqrt(draws));
    expect(Math.abs(moment(2) - 1)).toBeLessThan(5 * Math.sqrt(2 / draws));
    expect(Math.abs(moment(3))).toBeLessThan(5 * Math.sqrt(15 / draws));
    expect(Math.abs(moment(4) - 3)).toBeLessThan(5 * Math.sqrt(96 / draws));
    // Kolmogorov-Smirnov: P(√N·D > x) ≈ 2·exp(-2x²) = 1e-6 at x = 2.694.
    const distance = values.reduce((most, z, i) => {
      const p = normalCdf(z);
      return Math.max(most, Math.abs(p - i / draws), Math.abs(p - (i + 1) / draws));
    }, 0);
    expect(distance * Math.sqrt(draws)).toBeLessThan(2.694);
  });
});

/** Φ(z) by the series z·Σ z^2n/(1·3·…·(2n+1)) about 0: good to 1e-12 for |z| < 7. */
function normalCdf(z: number): number {
  let term = z;
  let sum = z;
  for (let n = 1; n < 200; n++) {
    term *= (z * z) / (2 * n + 1);
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

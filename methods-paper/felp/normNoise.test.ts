import { seededRandom } from "@consilium/core/testing/privacy/random";
import { describe, expect, it } from "vitest";
import { normNoiseHalfWidth, normNoiseLimit, normNoiseStdDev, unitNormNoise } from "./normNoise.js";

describe("the published noise, density ∝ exp(-|b|/scale)", () => {
  it("for d = 2, n = 100, λ = 0.01, ε = 1 has a length of mean 4 and variance 8", () => {
    const random = seededRandom("lengths");
    const scale = 2 / (100 * 0.01 * 1);
    const runs = 10_000;
    const lengths = Array.from({ length: runs }, () => scale * Math.hypot(...unitNormNoise(2, random)));
    const mean = lengths.reduce((sum, x) => sum + x, 0) / runs;
    const variance = lengths.reduce((sum, x) => sum + (x - mean) ** 2, 0) / runs;
    // Five standard errors; a Gamma of shape 2 has kurtosis 6.
    expect(Math.abs(mean - 4)).toBeLessThan(5 * Math.sqrt(8 / runs));
    expect(Math.abs(variance - 8)).toBeLessThan(5 * 8 * Math.sqrt(5 / runs));
  });

  it.each([
    [1, 1],
    [5, 1],
    [3, 4],
    [30, 1],
  ])("in %d dimensions, %d vectors: entries have the stated deviation and 0.95 interval", (d, vectors) => {
    const random = seededRandom(`entries ${d}`);
    const runs = Math.floor(15_000 / d);
    const stdDev = normNoiseStdDev(d, vectors);
    const half = normNoiseHalfWidth(d, vectors);
    let [squares, within, sum] = [0, 0, 0];
    for (let run = 0; run < runs; run++) {
      const entry = new Float64Array(d);
      for (let v = 0; v < vectors; v++) {
        const noise = unitNormNoise(d, random);
        noise.forEach((x, j) => {
          entry[j] = entry[j]! + x;
        });
      }
      for (const x of entry) {
        squares += x * x;
        sum += x;
        if (Math.abs(x) <= half) within++;
      }
    }
    const entries = runs * d;
    // Entries of one vector are uncorrelated, not independent: some slack beyond five standard errors.
    expect(Math.abs(sum / entries) / stdDev).toBeLessThan(6 / Math.sqrt(entries));
    expect(squares / entries / stdDev ** 2).toBeCloseTo(1, 1);
    expect(Math.abs(within / entries - 0.95)).toBeLessThan(8 * Math.sqrt((0.05 * 0.95) / entries));
  });

  it("has the interval of Laplace in one dimension, and nears the normal one in many", () => {
    expect(normNoiseHalfWidth(1, 1)).toBeCloseTo(Math.log(20), 4);
    expect(normNoiseHalfWidth(10_000, 1) / normNoiseStdDev(10_000, 1)).toBeCloseTo(1.96, 2);
  });

  it("stays within its limit", () => {
    const random = seededRandom("limit");
    for (let run = 0; run < 500; run++) {
      expect(Math.hypot(...unitNormNoise(3, random))).toBeLessThan(normNoiseLimit(3));
    }
  });
});

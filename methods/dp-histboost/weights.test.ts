import { describe, expect, it } from "vitest";
import { weightOf, weightThresholds } from "./weights.js";

describe("a row's weight", () => {
  it("is the floor of 16·e^(-y·F) at every threshold and beside it", () => {
    weightThresholds.forEach((threshold, i) => {
      const j = i + 1;
      expect(weightOf(threshold)).toBe(j);
      expect(weightOf(threshold + 1)).toBe(j - 1);
      // The thresholds are further from 2^24·ln(16/j) than float64 can blur.
      expect(16 * Math.exp(-threshold / 2 ** 24)).toBeGreaterThan(j);
      expect(16 * Math.exp(-(threshold + 1) / 2 ** 24)).toBeLessThan(j);
    });
  });

  it("is 1 where the row is right, and 0 where e^-margin is below a sixteenth", () => {
    expect([-(2 ** 40), -1, 0, 1].map(weightOf)).toEqual([16, 16, 16, 15]);
    expect(weightOf(2 ** 40)).toBe(0);
  });

  it("falls with the margin", () => {
    let last = 16;
    for (let margin = 0; margin < 5e7; margin += 12_347) {
      const weight = weightOf(margin);
      expect(weight).toBe(Math.floor(16 * Math.exp(-margin / 2 ** 24)));
      expect(weight).toBeLessThanOrEqual(last);
      last = weight;
    }
  });
});

import { describe, expect, it } from "vitest";
import { isLogRatioTold, isRatioTold } from "./ratios.js";

describe("a ratio", () => {
  it("is told where the ends of its interval are at most a factor of 1,000 apart", () => {
    expect(isRatioTold({ low: 0.1, high: 100 })).toBe(true);
    expect(isRatioTold({ low: 0.1, high: 100.1 })).toBe(false);
    expect(isRatioTold({ low: 0, high: 1 })).toBe(false);
  });

  it("is told alike by its logarithm, and where it has no interval", () => {
    expect(isLogRatioTold({ low: Math.log(0.1), high: Math.log(99) })).toBe(true);
    expect(isLogRatioTold({ low: Math.log(0.1), high: Math.log(101) })).toBe(false);
    expect(isLogRatioTold({ low: null, high: null })).toBe(true);
  });
});

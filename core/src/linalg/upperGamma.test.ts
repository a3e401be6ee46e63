import { describe, expect, it } from "vitest";
import { upperGamma } from "./upperGamma.js";

describe("P(χ² > x) by the upper incomplete gamma function", () => {
  // By scipy.stats.chi2.sf.
  it.each([
    [3.841458820694124, 1, 0.04999999999999989],
    [0.01, 1, 0.920344325445942],
    [5.991, 2, 0.05001161502657909],
    [30, 3, 1.3800570312932553e-6],
    [100, 11, 1.7858382448801597e-16],
    [2, 4, 0.7357588823428847],
    [11, 11, 0.4432632784264655],
    [0, 3, 1],
  ])("of %d with %d degrees of freedom is %d", (x, k, expected) => {
    expect(upperGamma(k / 2, x / 2) / expected).toBeCloseTo(1, 11);
  });
});

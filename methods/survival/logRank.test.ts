import { describe, expect, it } from "vitest";
import type { GroupCounts } from "./counts.js";
import { logRankTest } from "./logRank.js";

/** Three groups over three intervals. */
const groups: readonly GroupCounts[] = [
  { events: Float64Array.of(30, 20, 25), censored: Float64Array.of(4, 12, 2), beyond: 61 },
  { events: Float64Array.of(18, 25, 30), censored: Float64Array.of(6, 10, 8), beyond: 40 },
  { events: Float64Array.of(12, 11, 9), censored: Float64Array.of(3, 0, 5), beyond: 70 },
];

function changed(of: readonly GroupCounts[], g: number, key: keyof GroupCounts, b: number, by: number) {
  return of.map((own, h) => {
    if (h !== g) return own;
    const value = own[key];
    if (typeof value === "number") return { ...own, [key]: value + by };
    const copy = value.slice();
    copy[b] = copy[b]! + by;
    return { ...own, [key]: copy };
  });
}

describe("the log-rank test", () => {
  it("has the variance of noise that its derivatives by every count give", () => {
    const two = groups.slice(0, 2);
    const difference = (own: readonly GroupCounts[]) => {
      const { observed, expected } = logRankTest(own, 0)!;
      return observed[0]! - expected[0]!;
    };
    const step = 1e-4;
    const places = (["events", "censored"] as const).flatMap((key) =>
      [0, 1, 2].map((b) => [key, b] as const),
    );
    const slopes = [0, 1].flatMap((g) =>
      [...places, ["beyond", 0] as const].map(
        ([key, b]) =>
          (difference(changed(two, g, key, b, step)) - difference(changed(two, g, key, b, -step))) /
          (2 * step),
      ),
    );
    const exact = difference(two);
    const variances = [0, 3].map((stdDev) => exact ** 2 / logRankTest(two, stdDev)!.statistic);
    expect(variances[1]! - variances[0]!).toBeCloseTo(9 * Math.hypot(...slopes) ** 2, 5);
  });

  it("treats all groups alike, whichever comes last", () => {
    const one = logRankTest(groups, 2)!;
    const other = logRankTest([groups[2]!, groups[0]!, groups[1]!], 2)!;
    expect(one.degreesOfFreedom).toBe(2);
    expect(other.statistic).toBeCloseTo(one.statistic, 9);
    expect(one.observed.reduce((a, b) => a + b)).toBeCloseTo(
      one.expected.reduce((a, b) => a + b),
      9,
    );
  });

  it("has no result where there is nothing to compare", () => {
    expect(logRankTest(groups.slice(0, 1), 0)).toBeNull();
    expect(logRankTest(groups, 1e4)).toBeNull();
    const alive = groups.map((own) => ({ ...own, events: new Float64Array(3) }));
    expect(logRankTest(alive, 0)).toBeNull();
    const none = { events: new Float64Array(3), censored: new Float64Array(3), beyond: 0 };
    expect(logRankTest([groups[0]!, none], 0)).toBeNull();
  });
});

import { describe, expect, it } from "vitest";
import { testStudy } from "../testing/histBoost/study.js";
import { halfLogOdds, leavesOf, nextReached, reachedLeaves, votingWeight } from "./leaves.js";
import { leafExponent } from "./study.js";
import { weightOf } from "./weights.js";

const leaf = (positive: number, negative: number) => ({ positive, negative, entries: 1 });
const split = { feature: 0, cut: 0 };
const sums = (...leaves: [positive: number, negative: number][]) =>
  Float64Array.from(leaves.flatMap(([positive, negative]) => [16 * negative, 16 * positive]));
const of = (
  parameters: Record<string, unknown>,
  levels: Parameters<typeof leavesOf>[0]["levels"],
  counts: Float64Array,
  stdDev = 0,
) => leavesOf({ study: testStudy(parameters), levels, sums: counts, stdDev });

describe("a leaf", () => {
  it("says .346574 for P = 3, N = 1, β = 1; then a row weighs .707107, or 1 where it was wrong", () => {
    const value = halfLogOdds(leaf(3, 1), 0);
    expect(value).toBeCloseTo(0.346574, 6);
    expect(Math.exp(-value)).toBeCloseTo(Math.SQRT1_2, 6);
    const units = Math.round(value * 2 ** leafExponent);
    expect([weightOf(units), weightOf(-units)]).toEqual([Math.floor(16 * Math.SQRT1_2), 16]);
  });

  it("is smoothed by the noise where that is more than a row", () => {
    expect(halfLogOdds(leaf(3, 1), 5)).toBeCloseTo(0.5 * Math.log(8 / 6), 12);
    expect(halfLogOdds(leaf(-7, 1), 5)).toBeCloseTo(0.5 * Math.log(5 / 6), 12);
  });

  it("votes with α = .693147 where τ = .2, and τ is cut to [.02, .5]", () => {
    expect(votingWeight([leaf(8, 2), leaf(0, 0)])).toBeCloseTo(Math.LN2, 6);
    expect(votingWeight([leaf(1000, 0), leaf(0, 1000)])).toBeCloseTo(0.5 * Math.log(49), 12);
    expect(votingWeight([leaf(5, 5)])).toBe(0);
    expect(votingWeight([leaf(0, 0)])).toBe(0);
  });
});

describe("the leaves of a tree", () => {
  it("are multiples of 2^-24, and 0 where no row can be", () => {
    const { leaves, alpha, totals } = of({}, [[null]], sums([3, 1], [50, 50]));
    expect(leaves[0]! * 2 ** leafExponent).toBe(Math.round(0.5 * Math.log(2) * 2 ** leafExponent));
    expect(leaves[1]).toBe(0);
    expect(alpha).toBeNull();
    expect(totals).toEqual({ positive: 3, negative: 1, entries: 1 });
  });

  it("vote in discrete mode", () => {
    const { leaves, alpha } = of({ mode: "discrete" }, [[split]], sums([8, 2], [2, 8]));
    expect(alpha).toBeCloseTo(Math.LN2, 6);
    expect(Array.from(leaves, Math.sign)).toEqual([1, -1]);
  });

  it("become one with their sibling where they vote alike: what is predicted stays", () => {
    const levels = [[split], [split, split]];
    const counts = sums([8, 2], [9, 1], [2, 8], [7, 3]);
    const whole = of({ mode: "discrete" }, levels, counts);
    const pruned = of({ mode: "discrete", pruning: "siblings" }, levels, counts);
    expect(pruned.levels).toEqual([[split], [null, split]]);
    expect(pruned.leaves).toEqual(whole.leaves);
    expect(Array.from(pruned.covers)).toEqual([20, 20, 10, 10]);
  });

  it("become one in real mode where noise hides their difference, from the bottom up", () => {
    const levels = [[split], [split, split]];
    const alike = sums([80, 20], [82, 19], [79, 21], [80, 20]);
    expect(of({ pruning: "siblings" }, levels, alike, 3).levels).toEqual([[null], [null, null]]);
    const { levels: kept, leaves } = of(
      { pruning: "siblings" },
      levels,
      sums([80, 20], [82, 19], [20, 80], [19, 82]),
      3,
    );
    expect(kept).toEqual([[split], [null, null]]);
    expect(leaves[0]).toBe(leaves[1]);
    expect(leaves[2]).toBe(leaves[3]);
    expect(leaves[0]).toBeCloseTo(0.5 * Math.log((162 + 3 * Math.SQRT2) / (39 + 3 * Math.SQRT2)), 6);
    expect(of({ pruning: "siblings" }, levels, alike, 0).levels).toEqual([[split], [split, split]]);
  });
});

describe("where rows can be", () => {
  it("is left of a node without a split, and on both sides of another", () => {
    expect(nextReached([true, false], [null, split])).toEqual([true, false, false, false]);
    expect(reachedLeaves([[split], [null, split]], 4)).toEqual([true, false, true, true]);
  });
});

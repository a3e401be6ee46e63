import { describe, expect, it } from "vitest";
import type { BinnedFeature } from "../shared/columns/binning.js";
import { histogramLayout } from "../shared/trees/histograms.js";
import { chooseSplits, giniDecrease, rootWeight } from "./splits.js";

const ordered = (bins: number): BinnedFeature => ({
  name: `n${bins}`,
  kind: "ordered",
  bins,
  edges: Float64Array.from({ length: bins - 1 }, (_, i) => i + 1),
  levels: [],
});
const nominal: BinnedFeature = {
  name: "c",
  kind: "nominal",
  bins: 3,
  edges: new Float64Array(0),
  levels: ["x", "y", "z"],
};
const features = [ordered(3), nominal];
const layout = histogramLayout(features, [[0, 1]], 2);
/** Bins of the number, then of the category; each N, P in rows. */
const choose = (rows: readonly number[], stdDev = 0) =>
  chooseSplits({
    layout,
    sums: Float64Array.from(rows, (count) => 16 * count),
    stdDev: 16 * stdDev,
    least: 3 * 16 * stdDev,
    isReached: [true],
  })[0];

describe("the Gini index of a split", () => {
  it("falls from .48 to .316667 where P = 4 and N = 6 are split (3, 1) and (1, 5)", () => {
    const left = { positive: 3, negative: 1 };
    const right = { positive: 1, negative: 5 };
    const decrease = giniDecrease(left, right, { positive: 4, negative: 6 });
    expect(decrease / 10).toBeCloseTo(0.48 - 0.316667, 6);
  });
});

describe("a tree's weight", () => {
  it("is the mean over the root's features, in the unit of the sums", () => {
    const sums = Float64Array.of(5, 1, 5, 0, 0, 9, 4, 3, -1, 4, 3, 3);
    expect(rootWeight(layout, sums)).toBe((20 + 16) / 2);
  });
});

describe("a level's splits", () => {
  it("are the cuts with the largest decrease, of either kind of feature", () => {
    // The number tells the classes apart at its second edge, the category hardly.
    expect(choose([5, 0, 5, 0, 0, 10, 4, 3, 3, 4, 3, 3])).toMatchObject({
      feature: 0,
      cut: 1,
      cover: 20,
      gain: 10,
    });
    // Level y takes all of the second class.
    expect(choose([4, 3, 3, 4, 3, 3, 5, 0, 0, 10, 5, 0])).toMatchObject({ feature: 1, cut: 1, cover: 20 });
  });

  it("leave a node whole where no cut gains, and where nobody can be", () => {
    expect(choose([2, 2, 2, 2, 2, 2, 3, 3, 0, 0, 3, 3])).toBeNull();
    expect(choose(new Array(12).fill(0))).toBeNull();
    expect(
      chooseSplits({
        layout,
        sums: Float64Array.of(5, 0, 0, 5, 0, 0, 5, 0, 0, 5, 0, 0),
        stdDev: 0,
        least: 0,
        isReached: [false],
      }),
    ).toEqual([null]);
  });

  it("weigh on both sides what is asked of them", () => {
    const rows = [9, 0, 0, 0, 0, 30, 9, 0, 0, 30, 0, 0];
    expect(choose(rows, 2.99)).toMatchObject({ cut: 0 });
    expect(choose(rows, 3.01)).toBeNull();
  });

  it("take a negative sum for none", () => {
    expect(choose([20, -3, 0, 0, -3, 20, 10, 10, 10, 10, 0, 0])).toMatchObject({
      feature: 0,
      gain: 20 + 20 - 17,
    });
  });

  it("know how far noise moves their gain: as differences of a fixed cut show", () => {
    const rows = [60, 20, 30, 30, 10, 50, 40, 30, 30, 30, 30, 40];
    const stdDev = 0.001;
    const { cut, gain, gainStdDev } = choose(rows, stdDev)!;
    let squares = 0;
    for (let entry = 0; entry < 6; entry++) {
      const moved = [...rows];
      moved[entry]! += 1e-4;
      const after = choose(moved, stdDev)!;
      expect(after.cut).toBe(cut);
      squares += ((after.gain - gain) / 1e-4) ** 2;
    }
    expect(gainStdDev).toBeCloseTo(stdDev * Math.sqrt(squares), 6);
  });
});

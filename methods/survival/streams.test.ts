import { rootOf } from "@consilium/gate/root";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { Root } from "../shared/counts/root.js";
import { Slope } from "./streams.js";

const run = 12;
const root = new Root(run, 8);
const column = rootOf(run, 8);

/** What the gate makes of counts. */
const summed = (counts: Float64Array) =>
  counts.map((_, i) => counts.slice(0, i + 1).reduce((sum, count, j) => sum + count * column[i - j]!, 0));

describe("factored counts", () => {
  it("come back as the integers that they were, of the most records that a study may have", () => {
    const uniform = seedrandom("counts");
    for (const intervals of [1, 2, 101, 1001]) {
      const own = new Root(intervals, 8);
      const c = rootOf(intervals, 8);
      const counts = Float64Array.from({ length: intervals }, () => Math.floor(1e8 * uniform()));
      const sums = counts.map((_, i) => {
        let sum = 0;
        for (let j = 0; j <= i; j++) sum += counts[j]! * c[i - j]!;
        return sum;
      });
      expect(own.counts(sums)).toEqual(counts);
    }
  });

  it("have prefix sums with little noise", () => {
    // Of 100 counts with as much noise each, for the same privacy: √(Δ²·c_0² + …) of the last prefix, against √100.
    const long = new Root(100, 8);
    const slope = new Slope(long, 1);
    slope.addFrom(0, 1);
    const sensitivity = Math.hypot(...rootOf(100, 8));
    expect(slope.noise * sensitivity).toBeLessThan(2.7);
    expect(slope.noise * sensitivity).toBeGreaterThan(2.4);
  });
});

describe("a slope", () => {
  it("by the noise is that by the counts that the noise makes, and empty cells have none", () => {
    const slope = new Slope(root, 2);
    slope.addFrom(3, 2);
    slope.addFrom(5, -1, 0);
    slope.addCell(1, 4, 7);
    const other = new Slope(root, 2);
    other.addCell(0, 11, 3);
    slope.add(other, -2);
    const weights = [0, 1].map((stream) =>
      Array.from({ length: run }, (_, i) => {
        if (stream === 1) return (i >= 3 && i < run - 1 ? 2 : 0) + (i === 4 ? 7 : 0);
        return (i >= 3 ? 2 : 0) - (i >= 5 ? 1 : 0) - (i === 11 ? 6 : 0);
      }),
    );
    const squares = weights.flatMap((own) =>
      Array.from({ length: run }, (_, j) => {
        const counts = root.counts(Float64Array.from({ length: run }, (__, i) => (i === j ? 1 : 0)));
        return counts.reduce((sum, count, i) => sum + count * own[i]!, 0) ** 2;
      }),
    );
    expect(slope.noise).toBeCloseTo(Math.sqrt(squares.reduce((a, b) => a + b)), 12);
    const ones = new Float64Array(2 * run).fill(1);
    expect(slope.sampling(ones)).toBeCloseTo(
      weights.flat().reduce((sum, one) => sum + one ** 2, 0),
      12,
    );
    expect(summed(root.counts(column))).toEqual(column);
  });
});

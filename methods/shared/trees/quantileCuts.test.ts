import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantileCuts } from "./quantileCuts.js";

const filled = (length: number, value: number) => new Array<number>(length).fill(value);

describe("XGBoost's cuts of a feature", () => {
  it("are between all intervals that hold rows, where these are no more than bins", () => {
    expect(quantileCuts({ rows: [2, 0, 1, 1], weights: null }, 4)).toEqual([1, 2]);
    // Of one more than there are bins, the highest is left out.
    expect(quantileCuts({ rows: [1, 1, 1, 1, 1], weights: null }, 4)).toEqual([0, 1, 2]);
    expect(quantileCuts({ rows: [0, 0, 7, 0], weights: null }, 4)).toEqual([]);
    expect(quantileCuts({ rows: [0, 0], weights: null }, 4)).toEqual([]);
    expect(quantileCuts({ rows: [], weights: null }, 4)).toEqual([]);
  });

  it("divide the rows evenly", () => {
    // Of 30 rows the ranks 1 + k·28/4: at 8, 15 and 22 rows to the left.
    expect(quantileCuts({ rows: filled(30, 1), weights: null }, 4)).toEqual([7, 14, 21]);
    // Of many values those that the sketch keeps, eight for each bin, are as near.
    expect(quantileCuts({ rows: filled(100, 1), weights: null }, 4)).toEqual([25, 50, 72]);
    // Half of all rows lie in one interval: more ranks than one fall into it.
    const heavy = [...filled(20, 1), 60, ...filled(20, 1)];
    const cuts = quantileCuts({ rows: heavy, weights: null }, 8);
    expect(cuts).toContain(19);
    expect(cuts.length).toBeLessThan(7);
  });

  it("divide the weights evenly where rows have some", () => {
    const rows = filled(200, 1);
    const even = quantileCuts({ rows, weights: filled(200, 0.25) }, 8);
    const upper = quantileCuts({ rows, weights: rows.map((_, b) => (b < 100 ? 0.001 : 0.25)) }, 8);
    expect(even.filter((cut) => cut < 100).length).toBeGreaterThanOrEqual(3);
    expect(upper.filter((cut) => cut < 99).length).toBe(0);
    expect(upper.length).toBeGreaterThanOrEqual(5);
    // Rows that weigh nothing are rows all the same.
    expect(quantileCuts({ rows: [1, 1, 1], weights: [0, 0, 0] }, 4).every((cut) => cut < 2)).toBe(true);
  });

  it("ascend, are fewer than the bins, and leave rows on both sides, whatever the rows", () => {
    const column = fc.array(fc.oneof(fc.constant(0), fc.nat(9), fc.nat(10_000)), { maxLength: 400 });
    fc.assert(
      fc.property(column, fc.integer({ min: 2, max: 40 }), fc.boolean(), (rows, maxBin, isWeighted) => {
        const weights = isWeighted ? rows.map((count, b) => count * ((b % 7) / 28)) : null;
        const cuts = quantileCuts({ rows, weights }, maxBin);
        expect(cuts.length).toBeLessThan(maxBin);
        cuts.forEach((cut, i) => {
          expect(cut).toBeGreaterThan(cuts[i - 1] ?? -1);
          const left = rows.slice(0, cut + 1).reduce((a, b) => a + b, 0);
          expect(left).toBeGreaterThan(0);
          expect(left).toBeLessThan(rows.reduce((a, b) => a + b, 0));
        });
      }),
      { numRuns: 500 },
    );
  });
});

import { rootOf } from "@consilium/gate/root";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Root } from "../shared/counts/root.js";
import { atRisk, atRiskNoise, cellsOf, type GroupCounts, groupCounts, validCounts } from "./counts.js";

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
const prefixes = (values: Iterable<number>) => {
  let total = 0;
  return Array.from(values, (value) => {
    total += value;
    return total;
  });
};
const groupOf = (events: readonly number[]): GroupCounts => ({
  events: Float64Array.from(events),
  competing: [],
  censored: new Float64Array(events.length),
  beyond: 0,
});
const valid = (...events: readonly number[]) => [...validCounts(groupOf(events)).events];

describe("counts of a group", () => {
  const root = new Root(3, 8);
  const column = rootOf(3, 8);
  const summed = (counts: readonly number[]) =>
    counts.map((_, i) => sum(counts.slice(0, i + 1).map((count, j) => count * column[i - j]!)));

  it("are taken apart stream by stream, and counted backwards", () => {
    const sums = Float64Array.from([...summed([1, 3, 5]), ...summed([2, 4, 0]), ...summed([7, 1, 0])]);
    const counts = groupCounts(sums, root);
    expect(counts).toEqual({
      censored: Float64Array.of(1, 3),
      events: Float64Array.of(2, 4),
      competing: [Float64Array.of(7, 1)],
      beyond: 5,
    });
    expect([...atRisk(counts)]).toEqual([23, 13]);
    expect([...cellsOf(counts)]).toEqual([1, 3, 5, 2, 4, 0, 7, 1, 0]);
    expect(validCounts(counts)).toEqual(counts);
    expect(atRiskNoise(root, 3)).toHaveLength(2);
  });
});

describe("valid counts", () => {
  it("have the prefix sums nearest to the noisy ones that do not fall and are not negative", () => {
    // Prefix sums 5, 3, 4, 7.
    expect(valid(5, -2, 1, 3)).toEqual([4, 0, 0, 3]);
    expect(valid(4, 0, 2)).toEqual([4, 0, 2]);
    expect(valid(-3, 1)).toEqual([0, 0]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -40, max: 60 }), { minLength: 1, maxLength: 30 }), (noisy) => {
        const counts = valid(...noisy);
        expect(counts.every((count) => count >= 0)).toBe(true);
        const [before, after] = [prefixes(noisy), prefixes(counts)];
        // The conditions of the least square: no valid direction comes nearer. Up from any place on, and down but where it is 0 or a step.
        const left = before.map((one, i) => one - after[i]!);
        for (let from = 0; from < left.length; from++) expect(sum(left.slice(from))).toBeLessThan(1e-6);
        expect(sum(left.map((one, i) => one * after[i]!))).toBeCloseTo(0, 6);
      }),
      { numRuns: 300 },
    );
  });

  it("count those beyond the horizon with those censored", () => {
    const counts: GroupCounts = { ...groupOf([1, 2]), censored: Float64Array.of(4, -1), beyond: -2 };
    const { censored, beyond } = validCounts(counts);
    expect([...censored, beyond]).toEqual([8 / 3, 0, 0]);
  });
});

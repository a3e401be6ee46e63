import fc from "fast-check";
import { expect, it } from "vitest";
import { nearestCounts } from "./nearestCounts.js";

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

it("are the nearest ones that are not negative and have the same total", () => {
  expect([...nearestCounts(Float64Array.of(5, -2, 0.5, 3, -1))]).toEqual([3.75, 0, 0, 1.75, 0]);
  expect([...nearestCounts(Float64Array.of(4, 0, 2))]).toEqual([4, 0, 2]);
  expect([...nearestCounts(Float64Array.of(1, -3))]).toEqual([0, 0]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -40, max: 90 }), { minLength: 1, maxLength: 30 }), (noisy) => {
      const cells = Float64Array.from(noisy);
      const valid = nearestCounts(cells);
      const total = Math.max(0, sum(cells));
      expect(sum(valid)).toBeCloseTo(total, 8);
      expect(valid.every((value) => value >= 0)).toBe(true);
      if (total === 0) return;
      // The conditions of the least square: one shift for all cells that are left, none of the others above it.
      const shifts = [...valid].flatMap((value, i) => (value > 0 ? [cells[i]! - value] : []));
      for (const shift of shifts) expect(shift).toBeCloseTo(shifts[0]!, 8);
      valid.forEach((value, i) => {
        if (value === 0) expect(cells[i]).toBeLessThanOrEqual(shifts[0]! + 1e-8);
      });
    }),
    { numRuns: 200 },
  );
});

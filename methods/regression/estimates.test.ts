import { expect, it } from "vitest";
import { ratioOf } from "./estimates.js";

it("leaves out a ratio that no number holds", () => {
  expect(ratioOf(Math.log(2), { low: 0, high: Math.log(3) })).toEqual({
    value: expect.closeTo(2),
    low: 1,
    high: expect.closeTo(3),
  });
  expect(ratioOf(40, { low: -700, high: 780 })).toBeNull();
  expect(ratioOf(800, { low: 790, high: 810 })).toBeNull();
  expect(ratioOf(-800, { low: -1000, high: -600 })).toMatchObject({ value: 0, low: 0 });
});

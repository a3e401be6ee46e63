import fc from "fast-check";
import { expect, it } from "vitest";
import { proposedStep } from "./step.js";

it.each([
  [100, 10],
  [72, 10],
  [60, 5],
  [11.8, 1],
  [1, 0.1],
  [0.19, 0.02],
  [5215, 500],
])("of a range of %d is %d", (range, step) => {
  expect(proposedStep(range)).toBe(step);
});

it("has one digit, and is within a factor of √2.5 of a tenth", () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-90, max: 1e90, noNaN: true }), (range) => {
      const step = proposedStep(range);
      expect(step.toExponential()).toMatch(/^[125]e/);
      const ratio = (10 * step) / range;
      expect(Math.max(ratio, 1 / ratio)).toBeLessThan(1.582);
    }),
  );
});

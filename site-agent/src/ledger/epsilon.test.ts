import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shownDown, shownUp } from "./epsilon.js";

describe("what is shown", () => {
  it("is never less than what was spent, nor more than what remains", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.integer({ min: 0, max: 6 }),
        (value, digits) => {
          const unit = 10 ** -digits;
          expect(shownUp(value, digits)).toBeGreaterThanOrEqual(value);
          expect(shownUp(value, digits)).toBeLessThan(value + unit * 1.001 + 1e-9);
          expect(shownDown(value, digits)).toBeLessThanOrEqual(value);
          expect(shownDown(value, digits)).toBeGreaterThan(value - unit * 1.001 - 1e-9);
        },
      ),
    );
    expect(shownUp(0.1 + 0.2, 1)).toBeGreaterThan(0.3);
    expect(shownDown(0.3, 1)).toBe(0.3);
  });
});

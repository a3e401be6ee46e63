import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addUp, minusSpent, plus, plusSpent, shownDown, shownUp } from "./totals.js";

/** A double that is not negative as a whole number of 2^-1074. */
function exact(value: number): bigint {
  const bits = new BigUint64Array(new Float64Array([Math.abs(value)]).buffer)[0]!;
  const exponent = bits >> 52n;
  const fraction = bits & ((1n << 52n) - 1n);
  const whole = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return value < 0 ? -whole : whole;
}

function nextDown(value: number): number {
  const bits = new BigUint64Array(new Float64Array([value]).buffer);
  return new Float64Array(new BigUint64Array([bits[0]! - 1n]).buffer)[0]!;
}

const rho = fc.double({ min: 0, max: 1e9, noNaN: true });

describe("sums of what was spent", () => {
  it("are the least double that is not less than the sum", () => {
    fc.assert(
      fc.property(rho, rho, (a, b) => {
        const sum = addUp(a, b);
        expect(exact(sum)).toBeGreaterThanOrEqual(exact(a) + exact(b));
        if (sum > 0) expect(exact(nextDown(sum))).toBeLessThan(exact(a) + exact(b));
      }),
      { numRuns: 2_000 },
    );
    // 1 + 2^-60 is lost to rounding, and charged as one unit in the last place.
    expect(addUp(1, 2 ** -60)).toBe(1 + 2 ** -52);
  });

  it("give back together at least the whole of what a part is missing from", () => {
    fc.assert(
      fc.property(rho, rho, fc.nat(9), fc.nat(9), (a, b, m, n) => {
        const whole = { rho: a, unbounded: m };
        const part = { rho: b, unbounded: n };
        const missing = minusSpent(whole, part);
        const again = plusSpent(part, missing);
        expect(again.rho).toBeGreaterThanOrEqual(a);
        expect(again.unbounded).toBeGreaterThanOrEqual(m);
        if (a <= b) expect(missing.rho).toBe(0);
      }),
    );
    expect(plus({ rho: 1, unbounded: 2 }, null)).toEqual({ rho: 1, unbounded: 3 });
  });
});

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

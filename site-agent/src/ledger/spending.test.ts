import { plusSpent } from "@consilium/gate/account";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { minusSpent } from "./spending.js";

const rho = fc.double({ min: 0, max: 1e9, noNaN: true });

describe("what is missing of what was spent", () => {
  it("gives back together at least the whole of what a part is missing from", () => {
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
  });
});

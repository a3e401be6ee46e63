import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ringElements, signedNumbers } from "./exactSums.js";

describe("integers as ring elements", () => {
  it("are multiplied by the scale, and come back", () => {
    const integer = fc.oneof(fc.constant(0), fc.integer({ min: -1000, max: 1000 }), fc.maxSafeInteger());
    fc.assert(
      fc.property(fc.array(integer, { maxLength: 20 }), fc.nat(10), (integers, exponent) => {
        const scale = 2 ** exponent;
        const ring = ringElements(Float64Array.from(integers), scale);
        expect([...ring]).toEqual(integers.map((value) => BigInt.asUintN(64, BigInt(value) * BigInt(scale))));
        // A power of two rounds nothing, and neither does what a double holds.
        expect([...signedNumbers(ring)]).toEqual(integers.map((value) => value * scale + 0));
      }),
    );
  });

  it("come back rounded once, whatever their size", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (exact) => {
        expect(signedNumbers(BigUint64Array.of(BigInt.asUintN(64, exact)))[0]).toBe(Number(exact));
      }),
    );
  });
});

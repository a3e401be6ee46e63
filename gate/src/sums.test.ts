import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactSums } from "./sums.js";

describe("ExactSums", () => {
  it("adds integers exactly beyond 2^53, where doubles would not", () => {
    const most = 2 ** 51 + 1;
    const sums = new ExactSums(2, most);
    for (let i = 0; i < 1001; i++) {
      sums.open[0] = sums.open[0]! + most;
      sums.open[1] = sums.open[1]! - most;
      sums.added(1);
    }
    const vector = new BigUint64Array(2);
    sums.writeTo(vector, 2);
    const expected = 2n * 1001n * BigInt(most);
    expect([...vector]).toEqual([expected, -expected].map((value) => BigInt.asUintN(64, value)));
    let inDoubles = 0;
    for (let i = 0; i < 1001; i++) inDoubles += most;
    expect(BigInt(inDoubles)).not.toBe(expected / 2n);
  });

  it("refuses more than is exact", () => {
    const sums = new ExactSums(1, 2 ** 52);
    expect(sums.room).toBe(1);
    sums.added(1);
    expect(() => sums.added(2)).toThrow(RangeError);
  });

  it("gives the same sums after it carried at any moment, or never", () => {
    const small = fc.integer({ min: -(2 ** 40), max: 2 ** 40 });
    fc.assert(
      fc.property(fc.array(small, { maxLength: 50 }), fc.nat({ max: 60 }), (values, carryAt) => {
        const sums = new ExactSums(1, 2 ** 40);
        values.forEach((value, i) => {
          if (i === carryAt) sums.carry();
          sums.open[0] = sums.open[0]! + value;
          sums.added(1);
        });
        const out = new BigUint64Array(1);
        sums.writeTo(out, 1);
        expect(BigInt.asIntN(64, out[0]!)).toBe(values.reduce((sum, value) => sum + BigInt(value), 0n));
      }),
    );
  });

  it("writes the same sums where they were added up", () => {
    const entries = fc.array(fc.maxSafeInteger(), { minLength: 1, maxLength: 20 });
    const scales = fc.constantFrom(1, 2, 2 ** 20, 2 ** 52);
    fc.assert(
      fc.property(entries, entries, scales, fc.boolean(), (before, after, scale, carries) => {
        const sums = new ExactSums(before.length, 2 ** 53 - 1);
        sums.open.set(before);
        if (carries) {
          sums.carry();
          sums.open.set(after.slice(0, before.length));
        }
        const apart = new BigUint64Array(before.length);
        sums.writeTo(apart, scale);
        const there = new BigUint64Array(sums.open.buffer);
        sums.writeTo(there, scale);
        expect(there).toEqual(apart);
      }),
    );
  });

  it("writes no sign of a zero where it was added up", () => {
    const sums = new ExactSums(3, 1);
    sums.open.set([-0, 0, -1]);
    const there = new BigUint64Array(sums.open.buffer);
    sums.writeTo(there, 4);
    expect([...there]).toEqual([0n, 0n, 2n ** 64n - 4n]);
  });

  it("is exact in two's complement for integers of any size", () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeInteger(), { maxLength: 300 }), (values) => {
        const sums = new ExactSums(1, 2 ** 53 - 1);
        for (const value of values) {
          sums.open[0] = sums.open[0]! + value;
          sums.added(1);
        }
        const out = new BigUint64Array(1);
        sums.writeTo(out, 1);
        const exact = values.reduce((sum, value) => sum + BigInt(value), 0n);
        expect(BigInt.asIntN(64, out[0]!)).toBe(BigInt.asIntN(64, exact));
      }),
    );
  });

  const near = [0, 1, 2 ** 31, 2 ** 32, 2 ** 51 - 1, 2 ** 51, 2 ** 51 + 1, 2 ** 52, 2 ** 53 - 1];
  it.each(near.flatMap((value) => [value, -value]))("is exact in two's complement at %d", (value) => {
    for (const carries of [true, false]) {
      const sums = new ExactSums(1, 2 ** 53 - 1);
      sums.open[0] = value;
      if (carries) sums.carry();
      const out = new BigUint64Array(2);
      sums.writeTo(out.subarray(1), 1);
      expect([...out].map((entry) => BigInt.asIntN(64, entry))).toEqual([0n, BigInt(value)]);
    }
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainKernels } from "../linalg/plain.js";
import { ringElements, signedNumbers, TriangleSums, WideSums } from "./exactSums.js";

describe("sums that are small at first", () => {
  it("are the same after they are widened at any moment, or never", () => {
    const small = fc.integer({ min: -(2 ** 40), max: 2 ** 40 });
    fc.assert(
      fc.property(fc.array(small, { maxLength: 50 }), fc.nat({ max: 60 }), (values, widenAt) => {
        const sums = new WideSums(1, { small: true });
        values.forEach((value, i) => {
          if (i === widenAt) sums.widen();
          sums.add(0, value);
        });
        const out = new BigUint64Array(1);
        sums.writeTo(out, 0);
        expect(BigInt.asIntN(64, out[0]!)).toBe(values.reduce((sum, value) => sum + BigInt(value), 0n));
      }),
    );
  });

  it("grow beyond 2^53 once they are widened", () => {
    const sums = new WideSums(1, { small: true });
    sums.add(0, 2 ** 52);
    sums.widen();
    for (let i = 0; i < 100; i++) sums.add(0, -(2 ** 53 - 1));
    const out = new BigUint64Array(1);
    sums.writeTo(out, 0);
    expect(BigInt.asIntN(64, out[0]!)).toBe(2n ** 52n - 100n * (2n ** 53n - 1n));
  });
});

describe("sums in two's complement", () => {
  const near = [0, 1, 2 ** 31, 2 ** 32, 2 ** 51 - 1, 2 ** 51, 2 ** 51 + 1, 2 ** 52, 2 ** 53 - 1];
  it.each(near.flatMap((value) => [value, -value]))("are exact at %d", (value) => {
    for (const small of [true, false]) {
      const sums = new WideSums(1, { small });
      sums.add(0, value);
      const out = new BigUint64Array(2);
      sums.writeTo(out, 1);
      expect([...out].map((entry) => BigInt.asIntN(64, entry))).toEqual([0n, BigInt(value)]);
    }
  });
});

describe("sums of products", () => {
  const order = 3;
  const record = (i: number) => [((i * 37) % 101) - 50, ((i * 53) % 97) - 48, 40];

  it.each([
    ["a few rows, multiplied where they are", 5, 10_000],
    ["rows for the kernels", 60, 10_000],
    ["more rows than stay below 2^53 together", 60, 2 ** 48],
    ["a few rows after many", 67, 10_000],
  ])("are exact for %s", async (_, rows, squaredNormLimit) => {
    const sums = new TriangleSums(plainKernels(), { order, blocks: 1, rowsAtMost: 20, squaredNormLimit });
    const expected = new Float64Array(6);
    for (let i = 0; i < rows; i++) {
      const { buffer, offset } = sums.next(0);
      const row = record(i);
      buffer.set(row, offset);
      sums.taken(0);
      for (let a = 0, t = 0; a < order; a++)
        for (let b = a; b < order; b++, t++) expected[t] = expected[t]! + row[a]! * row[b]!;
      if (sums.isFull(0)) await sums.flush(0);
    }
    expect(signedNumbers(await sums.finish())).toEqual(expected);
  });
});

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
});

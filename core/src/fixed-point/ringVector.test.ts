import { narrowed } from "@consilium/gate/release";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addInto,
  fromLittleEndianBytes,
  littleEndianBytes,
  newRingVector,
  resolutionOf,
  ringBytes,
  ringCodecFor,
  ringVectorFromBytes,
  uniformRingCodec,
  widened,
} from "./ringVector.js";

/** A double as an exact fraction m / 2^e, by its bits alone. */
function exactFraction(x: number): { numerator: bigint; shift: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const magnitude = exponent === 0 ? fraction : fraction | (1n << 52n);
  return { numerator: bits >> 63n ? -magnitude : magnitude, shift: Math.max(exponent, 1) - 1075 };
}

/** round(x · 2^g) with ties upwards, by BigInt arithmetic: floor(x · 2^g + 1/2). */
function exactEncode(x: number, g: number): bigint {
  const { numerator, shift } = exactFraction(x);
  const total = shift + g;
  if (total >= 0) return numerator << BigInt(total);
  // floor((2n + 2^-total) / 2^(1 - total)); >> on a negative BigInt is a floor.
  const down = BigInt(-total);
  return (2n * numerator + (1n << down)) >> (down + 1n);
}

const signed = (x: bigint) => BigInt.asIntN(64, x);
const sitesArbitrary = fc.integer({ min: 1, max: 2000 });
const magnitude = fc
  .integer({ min: -900, max: 900 })
  .chain((e) => fc.double({ min: 1, max: 2, maxExcluded: true, noNaN: true }).map((m) => m * 2 ** e));

describe("ringCodecFor", () => {
  it("encodes every double within its bound as BigInt arithmetic does", () => {
    fc.assert(
      fc.property(
        magnitude,
        sitesArbitrary,
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 }),
        (bound, sites, fractions) => {
          const values = Float64Array.from(fractions, (f) => f * bound);
          const codec = ringCodecFor({ bounds: new Float64Array(values.length).fill(bound), sites });
          const g = Math.round(-Math.log2(codec.step(0)));
          expect(2 ** -g).toBe(codec.step(0));
          const encoded = codec.encode(values);
          values.forEach((value, i) => {
            expect(signed(encoded[i]!)).toBe(exactEncode(value, g));
          });
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("encodes raw doubles of any bit pattern, subnormal ones included", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e250, max: 1e250 }), (value) => {
        const codec = uniformRingCodec({ length: 1, bound: 1e250, sites: 3 });
        const g = Math.round(-Math.log2(codec.step(0)));
        expect(signed(codec.encode(Float64Array.of(value))[0]!)).toBe(exactEncode(value, g));
        const small = uniformRingCodec({ length: 1, bound: Math.max(Math.abs(value), 1e-280), sites: 3 });
        const h = Math.round(-Math.log2(small.step(0)));
        expect(signed(small.encode(Float64Array.of(value))[0]!)).toBe(exactEncode(value, h));
      }),
      { numRuns: 1000 },
    );
  });

  it("chooses the finest grid that cannot wrap, with a bit to spare", () => {
    fc.assert(
      fc.property(magnitude, sitesArbitrary, (bound, sites) => {
        const codec = ringCodecFor({ bounds: Float64Array.of(bound), sites });
        const g = Math.round(-Math.log2(codec.step(0)));
        const worst = BigInt(sites) * exactEncode(bound, g);
        expect(worst <= 2n ** 62n).toBe(true);
        if (g < 1000) expect(BigInt(sites) * (exactEncode(bound, g + 1) + 1n) >= 2n ** 62n).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it("decodes a sum over all sites at their bounds to within half a step per site", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 50 }),
        (bound, fractions) => {
          const codec = uniformRingCodec({ length: 1, bound, sites: fractions.length });
          const sum = new BigUint64Array(1);
          let exact = 0n;
          const g = Math.round(-Math.log2(codec.step(0)));
          for (const fraction of fractions) {
            addInto(sum, codec.encode(Float64Array.of(fraction * bound)));
            exact += exactEncode(fraction * bound, g);
          }
          // Number() of a BigInt rounds to nearest, as decodeSum promises.
          expect(codec.decodeSum(sum)[0]).toBe(Number(exact) * codec.step(0));
          const real = fractions.reduce((total, fraction) => total + fraction * bound, 0);
          expect(Math.abs(codec.decodeSum(sum)[0]! - real)).toBeLessThanOrEqual(
            resolutionOf(codec) + fractions.length * bound * fractions.length * 2 ** -52,
          );
        },
      ),
    );
  });

  it("decodes any ring element to the nearest double of its signed value", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (element) => {
        const codec = uniformRingCodec({ length: 1, bound: 2 ** 62 - 1024, sites: 1 });
        expect(codec.step(0)).toBe(1);
        expect(codec.decodeSum(BigUint64Array.of(element))[0]).toBe(Number(signed(element)));
      }),
      { numRuns: 1000 },
    );
  });

  it("gives each entry a grid of its own", () => {
    const codec = ringCodecFor({ bounds: Float64Array.of(1e-9, 1, 1e12), sites: 4 });
    const values = Float64Array.of(-1e-9, 0.1, 123456789012.25);
    expect(Array.from(codec.decodeSum(codec.encode(values)))).toEqual(Array.from(values));
  });

  it("names the entry at fault and not its value", () => {
    const codec = ringCodecFor({ bounds: Float64Array.of(1, 424242), sites: 3 });
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(() => codec.encode(Float64Array.of(0, bad))).toThrow("entry 1 of the vector is not finite");
    }
    let message = "";
    try {
      codec.encode(Float64Array.of(0, -424243));
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
      message = (error as RangeError).message;
    }
    expect(message).toContain("entry 1");
    expect(message).not.toContain("4242");
  });

  it("refuses wrong lengths, bounds and numbers of sites", () => {
    const codec = uniformRingCodec({ length: 2, bound: 1, sites: 3 });
    expect(() => codec.encode(new Float64Array(3))).toThrow(RangeError);
    expect(() => codec.decodeSum(new BigUint64Array(1))).toThrow(RangeError);
    for (const bound of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => uniformRingCodec({ length: 1, bound, sites: 3 })).toThrow(RangeError);
    }
    for (const sites of [0, 1.5, -1, 2 ** 21]) {
      expect(() => uniformRingCodec({ length: 1, bound: 1, sites })).toThrow(RangeError);
    }
    expect(() => uniformRingCodec({ length: 0, bound: 1, sites: 3 })).toThrow(RangeError);
  });
});

describe("addInto", () => {
  it("adds modulo 2^64", () => {
    fc.assert(
      fc.property(
        fc.bigUint64Array({ minLength: 1, maxLength: 30 }),
        fc.bigUint64Array({ minLength: 30, maxLength: 30 }),
        (a, b) => {
          const vector = b.slice(0, a.length);
          const sum = a.slice();
          addInto(sum, vector);
          expect(Array.from(sum)).toEqual(Array.from(a, (x, i) => (x + vector[i]!) % 2n ** 64n));
        },
      ),
    );
    expect(() => addInto(new BigUint64Array(2), new BigUint64Array(3))).toThrow(RangeError);
  });
});

describe("littleEndianBytes", () => {
  it("has the least significant byte first", () => {
    expect(Array.from(littleEndianBytes(BigUint64Array.of(0x0102030405060708n)))).toEqual([
      8, 7, 6, 5, 4, 3, 2, 1,
    ]);
  });

  it("reads back what it wrote, at any offset", () => {
    fc.assert(
      fc.property(fc.bigUint64Array({ maxLength: 20 }), fc.integer({ min: 0, max: 9 }), (vector, offset) => {
        const bytes = littleEndianBytes(vector);
        const moved = new Uint8Array(bytes.length + offset);
        moved.set(bytes, offset);
        expect(Array.from(fromLittleEndianBytes(moved.subarray(offset)))).toEqual(Array.from(vector));
      }),
    );
  });

  it("refuses bytes that are no whole number of elements", () => {
    expect(() => fromLittleEndianBytes(new Uint8Array(9))).toThrow(RangeError);
  });
});

describe("vectors of 32 bits", () => {
  it("add modulo 2^32, and refuse another width", () => {
    const sum = Uint32Array.of(2 ** 32 - 1, 5);
    addInto(sum, Uint32Array.of(2, 2 ** 31));
    expect([...sum]).toEqual([1, 2 ** 31 + 5]);
    expect(() => addInto(sum, new BigUint64Array(2))).toThrow(RangeError);
    expect(() => addInto(new BigUint64Array(2), sum)).toThrow(RangeError);
    expect(() => addInto(sum, new Uint32Array(3))).toThrow(RangeError);
    expect(newRingVector(32, 3)).toEqual(new Uint32Array(3));
    expect(newRingVector(64, 3)).toEqual(new BigUint64Array(3));
  });

  it("sum to the same integers as 64 bits while these fit, with their sign", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.array(fc.integer({ min: -(2 ** 28), max: 2 ** 28 - 1 }), { minLength: 4, maxLength: 4 }),
          {
            maxLength: 8,
          },
        ),
        (rows) => {
          const wide = new BigUint64Array(4);
          const narrow = new Uint32Array(4);
          for (const row of rows) {
            const vector = BigUint64Array.from(row, (entry) => BigInt.asUintN(64, BigInt(entry)));
            addInto(wide, vector);
            addInto(narrow, narrowed(vector, 32));
          }
          expect(widened(narrow)).toEqual(wide);
          expect(narrowed(wide, 32)).toEqual(narrow);
        },
      ),
    );
  });

  it("travel as four bytes an entry, from anywhere in a buffer", () => {
    const vector = Uint32Array.of(1, 0x80000000, 0xfffefdfc);
    const bytes = ringBytes(vector);
    expect(Buffer.from(bytes).toString("hex")).toBe("0100000000000080fcfdfeff");
    const within = new Uint8Array(15).subarray(3);
    within.set(bytes);
    expect(ringVectorFromBytes(within, 32)).toEqual(vector);
    expect(() => ringVectorFromBytes(bytes.subarray(1), 32)).toThrow(RangeError);
    const wide = BigUint64Array.of(1n, 2n ** 63n);
    expect(ringVectorFromBytes(ringBytes(wide), 64)).toEqual(wide);
    expect(widened(wide)).toBe(wide);
    expect(narrowed(wide, 64)).toBe(wide);
  });

  it("are cut from a part of a buffer as well", () => {
    const whole = BigUint64Array.of(1n, 2n ** 32n + 7n, 9n);
    expect([...narrowed(whole.subarray(1), 32)]).toEqual([7, 9]);
  });
});

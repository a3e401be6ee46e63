import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exceeds, quantiseRecord, squaredNormLimitFor } from "./quantise.js";

/** Any finite doubles, the adversarial ones often: subnormal, huge, just beside an integer of the grid. */
const entries = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -2, max: 2, noNaN: true }),
  fc.constantFrom(
    0,
    -0,
    Number.MIN_VALUE,
    -Number.MIN_VALUE,
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
    2 ** -1022,
    1,
    -1,
  ),
  fc
    .tuple(fc.integer({ min: -1000, max: 1000 }), fc.constantFrom(-1, 0, 1))
    .map(([n, side]) => n / 1024 + side * Number.EPSILON),
);
const records = fc.array(entries, { maxLength: 40 }).map((values) => Float64Array.from(values));
const limits = fc.oneof(
  fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  fc.maxSafeInteger().map((n) => Math.abs(n) + 1),
  fc.integer({ min: 53, max: 104 }).map((bits) => 2 ** bits),
  fc.double({ min: 2 ** 53, max: 2 ** 104, noNaN: true }).map(Math.floor),
);

function exactNorm(integers: Float64Array): bigint {
  return integers.reduce((sum, q) => sum + BigInt(q) * BigInt(q), 0n);
}

function quantised(values: Float64Array, gridExponent: number, squaredNormLimit: number): Float64Array {
  const out = new Float64Array(values.length);
  quantiseRecord({ values, gridExponent, squaredNormLimit, out });
  return out;
}

describe("quantiseRecord", () => {
  it("never exceeds the norm, whatever comes in: integers, no entry longer, no sign turned, never -0", () => {
    fc.assert(
      fc.property(records, fc.integer({ min: -40, max: 60 }), limits, (values, gridExponent, limit) => {
        const out = quantised(values, gridExponent, limit);
        expect(exactNorm(out) <= BigInt(limit)).toBe(true);
        for (const [j, q] of out.entries()) {
          expect(Number.isInteger(q)).toBe(true);
          expect(Object.is(q, -0)).toBe(false);
          if (q !== 0) expect(Math.sign(q)).toBe(Math.sign(values[j]!));
          expect(Math.abs(q)).toBeLessThanOrEqual(Math.abs(values[j]!) * 2 ** gridExponent);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it("cuts towards zero by less than one step, and leaves alone what fits", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 30 }), (list) => {
        const values = Float64Array.from(list);
        const out = quantised(values, 20, 2 ** 46);
        for (const [j, q] of out.entries()) expect(q).toBe(Math.trunc(values[j]! * 2 ** 20) + 0);
      }),
    );
  });

  it("gives up next to nothing when it must shorten", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 }),
        (list) => {
          const values = Float64Array.from(list);
          const norm = Math.hypot(...list);
          fc.pre(norm > 1e-3);
          // To half of its length.
          const limit = Math.max(1, Math.floor((norm * 2 ** 29) ** 2));
          const out = quantised(values, 30, limit);
          for (const [j, q] of out.entries()) {
            expect(Math.abs(q - values[j]! * 2 ** 29)).toBeLessThan(
              1 + Math.abs(values[j]!) * 2 ** 29 * 1e-9,
            );
          }
        },
      ),
    );
  });

  it("names the entry that is not finite, not its value", () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => quantised(Float64Array.of(1, bad), 4, 100)).toThrow("entry 1 of the record is not finite");
    }
    for (const limit of [0, 0.5, -1, Number.NaN, 2 ** 105]) {
      expect(() => quantised(Float64Array.of(1), 4, limit)).toThrow(RangeError);
    }
    const out = new Float64Array(2);
    const values = new Float64Array(3);
    expect(() => quantiseRecord({ values, gridExponent: 1, squaredNormLimit: 9, out })).toThrow(RangeError);
  });

  it("is what keeps a clipped record within its bound: floats alone break it", () => {
    // Scaled onto the unit ball in doubles and rounded to the nearest grid point, some records are too long.
    let tooLong = 0;
    const limit = squaredNormLimitFor({ l2SensitivitySquared: 1, gridExponent: 10 });
    for (let i = 1; i <= 2000; i++) {
      const raw = Float64Array.from({ length: 8 }, (_, j) => Math.sin(i * (j + 1)));
      const norm = Math.hypot(...raw);
      const unit = raw.map((value) => value / norm);
      if (exactNorm(unit.map((value) => Math.round(value * 2 ** 10))) > BigInt(limit)) tooLong++;
      expect(exactNorm(quantised(unit, 10, limit)) <= BigInt(limit)).toBe(true);
    }
    expect(tooLong).toBeGreaterThan(500);
  });
});

describe("exceeds", () => {
  it("is right on either side of the limit, at sizes where doubles round", () => {
    fc.assert(
      fc.property(
        fc.array(fc.maxSafeInteger(), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 40 }),
        fc.bigInt({ min: -2n, max: 2n }),
        (list, less, offset) => {
          const integers = Float64Array.from(list, (n) => Math.trunc(n / 2 ** less));
          const limit = Number(exactNorm(integers) + offset);
          fc.pre(limit >= 1);
          expect(exceeds(integers, limit)).toBe(exactNorm(integers) > BigInt(limit));
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe("squaredNormLimitFor", () => {
  it("is the exact integer part of 4^g·Δ²", () => {
    expect(squaredNormLimitFor({ l2SensitivitySquared: 1.5625, gridExponent: 20 })).toBe(1.5625 * 2 ** 40);
    expect(squaredNormLimitFor({ l2SensitivitySquared: 0.1, gridExponent: 3 })).toBe(6);
    expect(() => squaredNormLimitFor({ l2SensitivitySquared: 0.1, gridExponent: 0 })).toThrow(/another grid/);
    expect(() => squaredNormLimitFor({ l2SensitivitySquared: 1, gridExponent: 53 })).toThrow(/another grid/);
    expect(() => squaredNormLimitFor({ l2SensitivitySquared: 1, gridExponent: 0.5 })).toThrow(RangeError);
  });
});

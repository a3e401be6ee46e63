import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeDouble, dividedBy, exactRational, integerSquareRoot, rational } from "./rational.js";

const doubles = fc.double({ noNaN: true, noDefaultInfinity: true });

describe("exactRational and decodeDouble", () => {
  it("are the double's own value, subnormals included", () => {
    fc.assert(
      fc.property(doubles, (x) => {
        const { mantissa, exponent } = decodeDouble(x);
        expect(
          Number(mantissa) * 2 ** exponent === x || Number(mantissa) * 2 ** (exponent + 60) === x * 2 ** 60,
        ).toBe(true);
        const { numerator, denominator } = exactRational(x);
        const { mantissa: m, exponent: e } = { mantissa, exponent };
        if (e >= 0) expect(numerator).toBe((m << BigInt(e)) * denominator);
        else expect(numerator << BigInt(-e)).toBe(m * denominator);
      }),
      { numRuns: 2000 },
    );
    expect(exactRational(0.75)).toEqual({ numerator: 3n, denominator: 4n });
    expect(exactRational(-6)).toEqual({ numerator: -6n, denominator: 1n });
    expect(exactRational(Number.MIN_VALUE)).toEqual({ numerator: 1n, denominator: 1n << 1074n });
    expect(exactRational(-0)).toEqual({ numerator: 0n, denominator: 1n });
  });

  it("refuse what is not finite", () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(() => exactRational(bad)).toThrow(RangeError);
    }
  });
});

describe("rational", () => {
  it("refuses a denominator that is not positive", () => {
    expect(() => rational(1n, 0n)).toThrow(RangeError);
    expect(() => dividedBy(rational(1n), -2n)).toThrow(RangeError);
    expect(dividedBy(rational(3n, 4n), 2n)).toEqual({ numerator: 3n, denominator: 8n });
  });
});

describe("integerSquareRoot", () => {
  it("is the largest integer whose square is not above", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 1n << 400n }), (value) => {
        const root = integerSquareRoot(value);
        expect(root * root <= value && (root + 1n) * (root + 1n) > value).toBe(true);
        expect(integerSquareRoot(value * value)).toBe(value);
      }),
    );
    expect(() => integerSquareRoot(-1n)).toThrow(RangeError);
  });
});

import { exactRational, type Rational, rational } from "@consilium/gate/noise/rational";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareRationals, decimal, splitRow } from "../../testing/privacy/exact.js";
import vectors from "../../testing/privacy/testVectors/v1/accounting.json" with { type: "json" };
import type { Dyadic } from "./dyadic.js";
import { Enclosure } from "./enclosure.js";

const numbers = fc.double({ noNaN: true, min: -1e150, max: 1e150 });
const positives = fc.double({ noNaN: true, min: 1e-150, max: 1e150 });

/**
 * The doubles next to a true value on either side, or that value itself. Where the value is a double but the enclosure
 * has a width, both neighbours.
 */
function expectTight(enclosure: Enclosure, truth: Rational): void {
  const [low, high] = [enclosure.floor(), enclosure.ceiling()];
  expect(low).toBeLessThanOrEqual(high);
  if (Number.isFinite(low)) expect(compareRationals(exactRational(low), truth)).toBeLessThanOrEqual(0);
  if (Number.isFinite(high)) expect(compareRationals(truth, exactRational(high))).toBeLessThanOrEqual(0);
  const middle = nextUp(low);
  if (low === high || middle === high) return;
  expect(compareRationals(exactRational(middle), truth)).toBe(0);
  expect(nextUp(middle)).toBe(high);
}

function endsOf(enclosure: Enclosure): { readonly low: Rational; readonly high: Rational } {
  const exactly = ({ mantissa, exponent }: Dyadic) =>
    exponent >= 0 ? rational(mantissa << BigInt(exponent)) : rational(mantissa, 1n << BigInt(-exponent));
  return { low: exactly(enclosure.low), high: exactly(enclosure.high) };
}

function expectWithin(enclosure: Enclosure, truth: Rational): void {
  const { low, high } = endsOf(enclosure);
  expect(compareRationals(low, truth)).toBeLessThanOrEqual(0);
  expect(compareRationals(truth, high)).toBeLessThanOrEqual(0);
}

const timesItself = ({ numerator, denominator }: Rational) =>
  rational(numerator * numerator, denominator * denominator);

function nextUp(x: number): number {
  if (x === 0) return Number.MIN_VALUE;
  const bits = new BigInt64Array(Float64Array.of(x).buffer);
  bits[0] = bits[0]! + (x > 0 ? 1n : -1n);
  return new Float64Array(bits.buffer)[0]! + 0;
}

function exactly(x: number, y: number, combine: (a: Rational, b: Rational) => Rational): Rational {
  return combine(exactRational(x), exactRational(y));
}

describe("Enclosure", () => {
  it("adds, subtracts, multiplies and divides doubles to the nearest double on either side", () => {
    fc.assert(
      fc.property(numbers, numbers, positives, (x, y, z) => {
        const [a, b, c] = [Enclosure.of(x), Enclosure.of(y), Enclosure.of(z)];
        const sum = exactly(x, y, (p, q) =>
          rational(p.numerator * q.denominator + q.numerator * p.denominator, p.denominator * q.denominator),
        );
        const difference = exactly(x, -y, (p, q) =>
          rational(p.numerator * q.denominator + q.numerator * p.denominator, p.denominator * q.denominator),
        );
        expectTight(a.plus(b), sum);
        expectTight(a.minus(b), difference);
        const product = exactly(x, y, (p, q) =>
          rational(p.numerator * q.numerator, p.denominator * q.denominator),
        );
        expectTight(a.times(b), product);
        const quotient = exactly(x, z, (p, q) =>
          rational(p.numerator * q.denominator, p.denominator * q.numerator),
        );
        expectTight(a.dividedBy(c), quotient);
        expectTight(Enclosure.ofRational(quotient), quotient);
      }),
      { numRuns: 1000 },
    );
  });

  it("keeps what it encloses through operations on intervals of any sign", () => {
    // x·(1/3) is never exact, so both ends move; times 3 it must hold x again, at more digits than a double shows.
    fc.assert(
      fc.property(numbers, numbers, (x, y) => {
        const third = Enclosure.of(3);
        const [a, b] = [Enclosure.of(x).dividedBy(third), Enclosure.of(y).dividedBy(third)];
        const product = exactly(x, y, (p, q) =>
          rational(p.numerator * q.numerator, 9n * p.denominator * q.denominator),
        );
        expectTight(a.times(b), product);
        expectTight(
          a.squared(),
          exactly(x, x, (p, q) => rational(p.numerator * q.numerator, 9n * p.denominator * q.denominator)),
        );
        expectTight(a.negated().times(third), exactRational(-x));
      }),
    );
    const aroundZero = Enclosure.of(-2).hull(Enclosure.of(1));
    expect([aroundZero.squared().floor(), aroundZero.squared().ceiling()]).toEqual([0, 4]);
    expect([aroundZero.times(aroundZero).floor(), aroundZero.times(aroundZero).ceiling()]).toEqual([-2, 4]);
    expect([aroundZero.min(Enclosure.zero).floor(), aroundZero.min(Enclosure.zero).ceiling()]).toEqual([
      -2, 0,
    ]);
    expect([aroundZero.max(Enclosure.zero).floor(), aroundZero.max(Enclosure.zero).ceiling()]).toEqual([
      0, 1,
    ]);
  });

  it("encloses at all of its digits, not only at those of a double", () => {
    const wide = fc.bigInt({ min: -(1n << 300n), max: 1n << 300n });
    fc.assert(
      fc.property(wide, wide, fc.bigInt({ min: 1n, max: 1n << 300n }), (p, q, r) => {
        const quotient = Enclosure.of(p).dividedBy(Enclosure.of(r));
        expectWithin(quotient, rational(p, r));
        expectWithin(quotient.plus(Enclosure.of(q)), rational(p + q * r, r));
        expectWithin(quotient.minus(Enclosure.of(q)), rational(p - q * r, r));
        expectWithin(quotient.times(Enclosure.of(q)), rational(p * q, r));
        const square = rational(p * p, r * r);
        expectWithin(quotient.squared(), square);
        const { low, high } = endsOf(quotient.squared().squareRoot());
        expect(compareRationals(timesItself(low), square)).toBeLessThanOrEqual(0);
        expect(compareRationals(timesItself(high), square)).toBeGreaterThanOrEqual(0);
      }),
    );
    // log(1 + h) = h - h²/2 + … and e^h = 1 + h + h²/2 + …, at an h where the series' own errors show.
    const h = Enclosure.of(2 ** -180);
    const logarithm = endsOf(Enclosure.one.plus(h).logarithm());
    expect(compareRationals(logarithm.low, rational((1n << 181n) - 1n, 1n << 361n))).toBeLessThan(0);
    expect(compareRationals(logarithm.high, rational(1n, 1n << 180n))).toBeGreaterThan(0);
    const exponential = endsOf(h.exponential());
    expect(compareRationals(exponential.low, rational((1n << 180n) + 1n, 1n << 180n))).toBeLessThanOrEqual(0);
    expect(compareRationals(exponential.high, rational((1n << 180n) + 1n, 1n << 180n))).toBeGreaterThan(0);
  });

  it("has π, exp, log and √ as mpmath has them", () => {
    expectTight(Enclosure.pi, decimal(vectors.elementary.pi));
    const functions = {
      exp: (x: Enclosure) => x.exponential(),
      log: (x: Enclosure) => x.logarithm(),
      sqrt: (x: Enclosure) => x.squareRoot(),
    };
    for (const [name, apply] of Object.entries(functions)) {
      for (const row of vectors.elementary[name as keyof typeof functions]) {
        const { inputs, truth } = splitRow(row);
        expectTight(apply(Enclosure.of(inputs[0]!)), decimal(truth));
      }
    }
  });

  it("inverts its functions to far more digits than a double has", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-5, max: 600, noNaN: true }), positives, (x, y) => {
        expectTight(Enclosure.of(x).exponential().logarithm(), exactRational(x));
        expectTight(Enclosure.of(y).logarithm().exponential(), exactRational(y));
        expectTight(Enclosure.of(y).squareRoot().squared(), exactRational(y));
        // The enclosure of x - log e^x is below 2^-170 although both sides have rounded.
        const rest = Enclosure.of(x).exponential().logarithm().minus(Enclosure.of(x));
        expect(rest.isAtMost(2 ** -170) && rest.isAtLeast(-(2 ** -170))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("bounds exponentials beyond its range, or refuses", () => {
    for (const x of [-6000, -1e9, -1e300]) {
      const tiny = Enclosure.of(x).exponential();
      expect([tiny.floor(), tiny.ceiling()]).toEqual([0, Number.MIN_VALUE]);
    }
    for (const x of [1e5, 1e300]) expect(() => Enclosure.of(x).exponential()).toThrow(RangeError);
    const big = Enclosure.of(1000).exponential();
    expect([big.floor(), big.ceiling()]).toEqual([Number.MAX_VALUE, Number.POSITIVE_INFINITY]);
    expect(big.isAtMost(Number.POSITIVE_INFINITY)).toBe(true);
  });

  it("rounds to doubles at every exponent, subnormals included", () => {
    for (let exponent = -1074; exponent <= 1023; exponent++) {
      const x = 2 ** exponent;
      expect([Enclosure.of(x).floor(), Enclosure.of(x).ceiling()]).toEqual([x, x]);
      const third = Enclosure.of(x).dividedBy(Enclosure.of(3));
      expectTight(third, rational(exactRational(x).numerator, 3n * exactRational(x).denominator));
      expect(third.negated().floor()).toBe(-third.ceiling());
    }
  });

  it("refuses what has no value", () => {
    expect(() => Enclosure.of(Number.NaN)).toThrow(RangeError);
    expect(() => Enclosure.of(1).dividedBy(Enclosure.zero)).toThrow(RangeError);
    expect(() => Enclosure.of(1).dividedBy(Enclosure.of(-1))).toThrow(RangeError);
    expect(() => Enclosure.zero.logarithm()).toThrow(RangeError);
    expect(() => Enclosure.of(-1).squareRoot()).toThrow(RangeError);
  });
});

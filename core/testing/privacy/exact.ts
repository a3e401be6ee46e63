import { exactRational, type Rational, rational } from "@consilium/gate/noise/rational";
import { expect } from "vitest";

/** A decimal such as `1.25e-9` as the rational number that it is. */
export function decimal(text: string): Rational {
  const match = /^(-?)(\d+)\.?(\d*)(?:e([+-]?\d+))?$/.exec(text);
  if (match === null) throw new RangeError(`not a decimal: ${text}`);
  const [, sign, whole, fraction, power] = match;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const exponent = Number(power ?? 0) - fraction!.length;
  return exponent >= 0
    ? rational(digits * 10n ** BigInt(exponent))
    : rational(digits, 10n ** BigInt(-exponent));
}

/** Negative, zero or positive as a is less than, equal to or greater than b: exactly. */
export function compareRationals(a: Rational, b: Rational): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function scaled(value: Rational, factor: number): Rational {
  const by = exactRational(factor);
  return rational(value.numerator * by.numerator, value.denominator * by.denominator);
}

/** The reference values carry 40 digits: what they may be off by themselves. */
const referenceError = 2 ** -120;

/**
 * Asserts that a number rounds a true value against us: never below it, and at most `tolerance` above, relatively.
 * The comparison is one of integers.
 */
export function expectRoundedUp(ours: number, truth: string, tolerance: number): void {
  const value = decimal(truth);
  if (ours === Number.MIN_VALUE) {
    // The smallest double stands for whatever lies below it.
    expect(compareRationals(value, exactRational(ours))).toBeLessThanOrEqual(0);
    return;
  }
  const given = exactRational(ours);
  const message = `${ours} for ${truth}`;
  expect(compareRationals(scaled(given, 1 + referenceError), value), message).toBeGreaterThanOrEqual(0);
  expect(compareRationals(given, scaled(value, 1 + tolerance)), message).toBeLessThanOrEqual(0);
}

/** The same downwards: never above the true value, and at most `tolerance` below. */
export function expectRoundedDown(ours: number, truth: string, tolerance: number): void {
  const value = decimal(truth);
  const given = exactRational(ours);
  const message = `${ours} for ${truth}`;
  expect(compareRationals(scaled(given, 1 - referenceError), value), message).toBeLessThanOrEqual(0);
  expect(compareRationals(given, scaled(value, 1 - tolerance)), message).toBeGreaterThanOrEqual(0);
}

/** A row of reference values: doubles, then the decimal. */
export function splitRow(row: readonly (string | number)[]): {
  readonly inputs: number[];
  readonly truth: string;
} {
  return { inputs: row.slice(0, -1).map(Number), truth: String(row.at(-1)) };
}

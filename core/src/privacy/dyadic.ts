import { integerSquareRoot } from "@consilium/gate/noise/rational";

/**
 * Binary fractions with directed rounding: the ends of an `Enclosure`, which is what the rest of the accounting uses.
 */

/** mantissa · 2^exponent */
export interface Dyadic {
  readonly mantissa: bigint;
  readonly exponent: number;
}

/** Two numbers with the true result between them. */
export interface Ends {
  readonly low: Dyadic;
  readonly high: Dyadic;
}

export const zero: Dyadic = { mantissa: 0n, exponent: 0 };

const precisionBits = 192;

/** Bits of a non-negative integer, at most three too many: hexadecimal digits are quick to count. */
function bitsOf(value: bigint): number {
  return value === 0n ? 0 : value.toString(16).length * 4;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** mantissa · 2^exponent, or the nearest number of 192 bits below it (BigInt's >> rounds towards -∞). */
export function down(mantissa: bigint, exponent: number): Dyadic {
  const excess = bitsOf(magnitude(mantissa)) - precisionBits;
  if (excess <= 0) return { mantissa, exponent };
  return { mantissa: mantissa >> BigInt(excess), exponent: exponent + excess };
}

/** The same upwards. */
export function up(mantissa: bigint, exponent: number): Dyadic {
  return negated(down(-mantissa, exponent));
}

export function negated(value: Dyadic): Dyadic {
  return { mantissa: -value.mantissa, exponent: value.exponent };
}

/** a + b, rounded down. */
export function sumDown(a: Dyadic, b: Dyadic): Dyadic {
  const exponent = Math.min(a.exponent, b.exponent);
  return down(aligned(a, exponent) + aligned(b, exponent), exponent);
}

function aligned(value: Dyadic, exponent: number): bigint {
  return value.mantissa << BigInt(value.exponent - exponent);
}

/** a·b, rounded down. */
export function productDown(a: Dyadic, b: Dyadic): Dyadic {
  return down(a.mantissa * b.mantissa, a.exponent + b.exponent);
}

/** a·b, rounded up. */
export function productUp(a: Dyadic, b: Dyadic): Dyadic {
  return up(a.mantissa * b.mantissa, a.exponent + b.exponent);
}

/** a / positive, rounded down. */
export function quotientDown(a: Dyadic, positive: Dyadic): Dyadic {
  const shift = Math.max(0, precisionBits + bitsOf(positive.mantissa) - bitsOf(magnitude(a.mantissa)) + 4);
  const scaled = a.mantissa << BigInt(shift);
  let quotient = scaled / positive.mantissa;
  // BigInt division cuts towards zero.
  if (scaled < 0n && quotient * positive.mantissa !== scaled) quotient -= 1n;
  return down(quotient, a.exponent - shift - positive.exponent);
}

/** Negative, zero or positive as a is less than, equal to or greater than b. */
export function compare(a: Dyadic, b: Dyadic): number {
  const exponent = Math.min(a.exponent, b.exponent);
  const left = aligned(a, exponent);
  const right = aligned(b, exponent);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The greatest double at most `value`. */
export function doubleDown(value: Dyadic): number {
  if (value.mantissa === 0n) return 0;
  // At most 53 bits, and no unit below the smallest subnormal: what is left converts without rounding.
  const exponent = Math.max(value.exponent + exactBits(magnitude(value.mantissa)) - 53, -1074);
  const shift = exponent - value.exponent;
  const units = shift >= 0 ? value.mantissa >> BigInt(shift) : value.mantissa << BigInt(-shift);
  // Rounding down may carry a negative number to a 54th bit: then it is a power of two, exact all the same.
  if (exponent > 971) return units > 0n ? Number.MAX_VALUE : Number.NEGATIVE_INFINITY;
  const double = Number(units) * 2 ** exponent;
  return double === Number.POSITIVE_INFINITY ? Number.MAX_VALUE : double;
}

function exactBits(value: bigint): number {
  return value.toString(2).length;
}

/** √value. @throws RangeError if it is negative */
export function rootOf(value: Dyadic): Ends {
  if (value.mantissa < 0n) throw new RangeError("no square root of a negative number");
  const wanted = Math.max(0, 2 * precisionBits - bitsOf(value.mantissa));
  // An even exponent, so that √(m·2^2k) = √m · 2^k.
  const shift = wanted + ((value.exponent - wanted) & 1);
  const scaled = value.mantissa << BigInt(shift);
  const root = integerSquareRoot(scaled);
  const exponent = (value.exponent - shift) / 2;
  return { low: down(root, exponent), high: up(root * root === scaled ? root : root + 1n, exponent) };
}

// Fixed point for the series: integers in units of 2^-scaleBits.

const scaleBits = 304;
const scale = BigInt(scaleBits);
const unit = 1n << scale;
/**
 * A bound on the units by which a result below is wrong. A series has fewer than 200 terms, each cut a few times by
 * one unit, which makes less than 2^10; ln 2 with that error is taken at most 2^17 times, and 12 squarings make it less than 2^25.
 */
const margin = 1n << 32n;
const mostTwos = 2 ** 17;

function fixedEnds(value: bigint, exponent: number): Ends {
  return { low: down(value - margin, exponent - scaleBits), high: up(value + margin, exponent - scaleBits) };
}

/** Σ (±1)^i·z^(2i+1)/(2i+1): atanh z with sign +1, arctan z with sign -1. |z| ≤ 1/3. */
function oddSeries(z: bigint, sign: 1n | -1n): bigint {
  const square = (z * z) >> scale;
  let power = z;
  let sum = z;
  // The remainder after the last term is less than that term, which is cut to 0 or -1 units.
  for (let i = 3n; power > 0n || power < -1n; i += 2n) {
    power = sign * ((power * square) >> scale);
    sum += power / i;
  }
  return sum;
}

/** π = 16·arctan(1/5) - 4·arctan(1/239) (Machin, 1706). */
export const piEnds = fixedEnds(16n * oddSeries(unit / 5n, -1n) - 4n * oddSeries(unit / 239n, -1n), 0);

/** ln 2 = 2·atanh(1/3). */
const fixedLn2 = 2n * oddSeries(unit / 3n, 1n);

const halvings = 12n;
const smallestExponent = -8192;
const largestExponent = 65_536;

/** e^value; see `Enclosure.exponential` for its range. */
export function exponentialOf(value: Dyadic): Ends {
  const shift = value.exponent + scaleBits;
  // Far outside of the range, before a huge shift: the top bit of the argument is at 2^40 or above.
  const huge = value.mantissa !== 0n && value.exponent + bitsOf(magnitude(value.mantissa)) > 40;
  const fixed = huge
    ? value.mantissa < 0n
      ? -(unit << 40n)
      : unit << 40n
    : shift >= 0
      ? value.mantissa << BigInt(shift)
      : value.mantissa >> BigInt(-shift);
  // e^x = 2^k · e^r with k = ⌊x / ln 2⌋ and 0 ≤ r < ln 2.
  let twos = fixed / fixedLn2;
  if (fixed < twos * fixedLn2) twos -= 1n;
  const exponent = Number(twos);
  if (exponent < smallestExponent) {
    return { low: zero, high: { mantissa: 1n, exponent: smallestExponent } };
  }
  if (exponent > largestExponent) throw new RangeError("e to a power beyond the range of privacy arithmetic");
  // e^r = (e^(r/2^h))^(2^h): few terms of a series, and h squarings.
  const reduced = (fixed - twos * fixedLn2) >> halvings;
  let term = unit;
  let power = unit;
  for (let n = 1n; term > 0n; n++) {
    term = ((term * reduced) >> scale) / n;
    power += term;
  }
  for (let i = 0n; i < halvings; i++) power = (power * power) >> scale;
  return fixedEnds(power, exponent);
}

/** log value. @throws RangeError unless it is positive */
export function logarithmOf(value: Dyadic): Ends {
  if (value.mantissa <= 0n) throw new RangeError("no logarithm of a number that is not known to be positive");
  // value = y·2^k with y in [0.7, 1.4).
  const shift = scaleBits - exactBits(value.mantissa);
  let y = shift >= 0 ? value.mantissa << BigInt(shift) : value.mantissa >> BigInt(-shift);
  let twos = value.exponent - shift + scaleBits;
  if (y * 10n < unit * 7n) {
    y <<= 1n;
    twos -= 1;
  }
  if (Math.abs(twos) > mostTwos) throw new RangeError("a logarithm beyond the range of privacy arithmetic");
  const z = ((y - unit) << scale) / (y + unit);
  return fixedEnds(2n * oddSeries(z, 1n) + BigInt(twos) * fixedLn2, 0);
}

/** A rational number with a positive denominator, not necessarily in lowest terms. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const float = new Float64Array(1);
const bits = new BigUint64Array(float.buffer);

/**
 * A double as mantissa · 2^exponent, exactly (IEEE 754 binary64).
 * @throws RangeError if `value` is not finite
 */
export function decodeDouble(value: number): { mantissa: bigint; exponent: number } {
  if (!Number.isFinite(value)) throw new RangeError("privacy arithmetic takes finite numbers only");
  float[0] = value;
  const field = Number((bits[0]! >> 52n) & 0x7ffn);
  const fraction = bits[0]! & 0xf_ffff_ffff_ffffn;
  // A subnormal has field 0, the exponent of field 1, and no implicit leading bit.
  const magnitude = field === 0 ? fraction : fraction | (1n << 52n);
  return { mantissa: value < 0 ? -magnitude : magnitude, exponent: Math.max(field, 1) - 1075 };
}

/**
 * The rational number that a double is: no rounding. Lowest terms, since the denominator is a power of two.
 * @throws RangeError if `value` is not finite
 */
export function exactRational(value: number): Rational {
  const { mantissa, exponent } = decodeDouble(value);
  if (exponent >= 0 || mantissa === 0n) return rational(mantissa << BigInt(Math.max(exponent, 0)));
  let twos = 0;
  while (twos < -exponent && ((mantissa >> BigInt(twos)) & 1n) === 0n) twos++;
  return rational(mantissa >> BigInt(twos), 1n << BigInt(-exponent - twos));
}

/**
 * A quotient of integers.
 * @throws RangeError if the denominator is not positive
 */
export function rational(numerator: bigint, denominator = 1n): Rational {
  if (denominator <= 0n) throw new RangeError("the denominator of a rational must be positive");
  return { numerator, denominator };
}

/** value / divisor, exactly. */
export function dividedBy(value: Rational, divisor: bigint): Rational {
  return rational(value.numerator, value.denominator * divisor);
}

/** ⌊√value⌋ of a non-negative integer, by Newton's iteration from above. */
export function integerSquareRoot(value: bigint): bigint {
  if (value < 0n) throw new RangeError("no square root of a negative integer");
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(16).length * 4 + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

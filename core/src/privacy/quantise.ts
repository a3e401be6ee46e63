/**
 * Real records as integer vectors whose norm is certain. Each record is cut towards zero by itself, which lengthens no
 * entry; a rounded sum would cost up to √D of sensitivity. Then its norm is checked in exact integers, so that no
 * error of floating-point clipping before it can break the bound that the noise was sized for.
 */

/** Squared norms beyond this would need entries that a double does not hold. */
const squaredNormMost = 2 ** 104;

/**
 * Δ_int² = ⌊4^g·Δ²⌋: the squared L2 sensitivity, under add-remove, of records of norm at most Δ on the grid. Exact: a
 * power of two scales a double without rounding, and a double's integer part is a double.
 * @param l2SensitivitySquared - Δ² > 0, in squared units of the real vector
 * @param gridExponent - integer g, one unit being 2^-g
 * @throws RangeError unless the result lies between 1 and 2^104
 */
export function squaredNormLimitFor(options: {
  readonly l2SensitivitySquared: number;
  readonly gridExponent: number;
}): number {
  const { l2SensitivitySquared, gridExponent } = options;
  const scale = scaleOf(gridExponent);
  const limit = Math.floor(l2SensitivitySquared * scale * scale);
  if (!(limit >= 1 && limit <= squaredNormMost)) {
    throw new RangeError(
      `a grid of 2^-${gridExponent} leaves no squared norm between 1 and 2^104: choose another grid`,
    );
  }
  return limit;
}

/**
 * Writes trunc(2^g·v) for every entry v of one record, or, if Σ q² would exceed the limit, the record shortened onto
 * the ball first. Whatever finite numbers come in, Σ q² ≤ squaredNormLimit holds exactly for what comes out.
 * @param values - one record, finite; meant to be clipped to norm Δ already
 * @param gridExponent - integer g
 * @param squaredNormLimit - Δ_int², integer, 1 to 2^104
 * @param out - as long as `values`; integers in ±2^52, never -0
 * @throws RangeError naming the entry that is not finite, never its value
 */
export function quantiseRecord(options: {
  readonly values: Float64Array;
  readonly gridExponent: number;
  readonly squaredNormLimit: number;
  readonly out: Float64Array;
}): void {
  const { values, gridExponent, squaredNormLimit, out } = options;
  if (out.length !== values.length)
    throw new RangeError("the quantised record must have the record's length");
  if (!(Number.isInteger(squaredNormLimit) && squaredNormLimit >= 1 && squaredNormLimit <= squaredNormMost)) {
    throw new RangeError("the limit of a squared norm must be an integer from 1 to 2^104");
  }
  const unfit = values.findIndex((value) => !Number.isFinite(value));
  if (unfit >= 0) throw new RangeError(`entry ${unfit} of the record is not finite`);
  const scale = scaleOf(gridExponent);
  // Scaling is exact, but for what overflows (and fails the check) and what is so small that it is cut to 0 anyway.
  for (let j = 0; j < values.length; j++) out[j] = truncated(values[j]! * scale);
  if (exceeds(out, squaredNormLimit)) shorten(values, squaredNormLimit, out);
}

/**
 * Whether Σ q² > limit, exactly, for integer-valued doubles q.
 *
 * With a limit below 2^53, plain addition decides: as long as the sum stays below 2^53 every step is exact, and as
 * rounding is monotone, a sum that reaches 2^53 never looks smaller than that. Above, the rounded sum of D squares is
 * within a relative (D + 1)·2^-53 of the true one, and only what is closer to the limit than that is added as integers.
 */
export function exceeds(integers: Float64Array, limit: number): boolean {
  let sum = 0;
  for (let j = 0; j < integers.length; j++) sum += integers[j]! * integers[j]!;
  if (limit < 2 ** 53) return sum > limit;
  const slack = (integers.length + 4) * 2 ** -53;
  if (sum < limit * (1 - 2 * slack)) return false;
  if (sum > limit * (1 + 2 * slack)) return true;
  return integers.reduce((exact, q) => exact + BigInt(q) * BigInt(q), 0n) > BigInt(limit);
}

/** Puts the record's direction at the length that the limit allows, a little shorter if need be. */
function shorten(values: Float64Array, limit: number, out: Float64Array): void {
  // Divided by its largest entry, so that neither squares nor the norm leave the range of a double.
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const norm = Math.sqrt(values.reduce((sum, value) => sum + (value / largest) ** 2, 0));
  const stretch = Math.sqrt(limit) / norm;
  // The first attempt nearly always fits; each further one gives up twice as much, and the last one everything.
  for (let bits = 50; bits >= 0; bits--) {
    const factor = stretch * (1 - 2 ** -bits);
    for (let j = 0; j < values.length; j++) out[j] = truncated((values[j]! / largest) * factor);
    if (!exceeds(out, limit)) return;
  }
}

/** The integer part; 0 rather than -0. */
function truncated(value: number): number {
  return Math.trunc(value) + 0;
}

function scaleOf(exponent: number): number {
  if (!Number.isInteger(exponent) || Math.abs(exponent) > 500) {
    throw new RangeError("a grid exponent is an integer in ±500");
  }
  return 2 ** exponent;
}

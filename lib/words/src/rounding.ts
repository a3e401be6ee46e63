/** An estimate and its interval; null where they are unknown, or without a bound. */
export interface Bounded {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** Units of the last digit in half of an interval, at least. */
const minUnits = 3;
/** Significant digits of a number that has no interval. */
const numberDigits = 3;
const maxDecimals = 12;

/**
 * Number of decimals that an interval bears: the last digit is worth at most a third of its narrower half, so that rounding moves no
 * end by more than a sixth of it. Negative where that digit stands before the point: -1 for whole tens. Where the interval has no width,
 * or is unknown, an integer keeps all of its digits, and another number three.
 */
export function decimalsOf({ value, low, high }: Bounded): number {
  const side = (from: number | null, to: number | null, by = 1) =>
    from === null || to === null ? Number.NaN : (to - from) / by;
  const widths = [side(low, value), side(value, high), side(low, high, 2)].filter(
    (width) => width > 0 && Number.isFinite(width),
  );
  if (widths.length > 0) return decimals(-Math.floor(Math.log10(Math.min(...widths) / minUnits)));
  const known = value ?? low ?? high ?? 0;
  if (Number.isInteger(known) || !Number.isFinite(known)) return 0;
  return decimals(numberDigits - 1 - Math.floor(Math.log10(Math.abs(known))));
}

const decimals = (of: number) => Math.min(maxDecimals, of);

/** A number to so many decimals, as `decimalsOf` has them. */
export function roundedTo(value: number, decimals: number): number {
  if (decimals >= 0) return Number(value.toFixed(decimals));
  const unit = 10 ** -decimals;
  return Math.round(value / unit) * unit;
}

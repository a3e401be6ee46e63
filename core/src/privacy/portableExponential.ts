/**
 * e^x by additions, multiplications, divisions and one rounding to a whole number, which ECMAScript and IEEE 754 fix to the
 * last bit. `Math.exp` may differ between engines, and a figure that sites sign and anybody recomputes must not.
 */

/** ln 2 as the sum of two doubles; the first has 21 trailing zeros, so its product with a whole number below 2^20 is exact. */
const ln2High = 0.6931471803691238;
const ln2Low = 1.9082149292705877e-10;
/** Of |x| ≤ 0.35 the terms after the 16th are below 2^-70. */
const terms = 16;
/** Further down the result is no number that matters: 2^-995 stands for it. */
const least = -690;

/**
 * e^x to a relative 2^-48; below e^-690 at least the true value.
 * @param x - at most 700
 */
export function portableExponential(x: number): number {
  if (!(x <= 700)) throw new RangeError("e to this power is beyond a double");
  if (x < least) return 2 ** -995;
  const twos = Math.round(x * Math.LOG2E);
  const rest = x - twos * ln2High - twos * ln2Low;
  let sum = 1;
  for (let i = terms; i >= 1; i--) sum = 1 + (rest * sum) / i;
  return sum * powers[twos + powersFrom]!;
}

const powersFrom = 1000;
/** [i] 2^(i - 1000), by halving and doubling, which round nothing; `**` is the engine's own. */
const powers = powersOfTwo();

function powersOfTwo(): Float64Array {
  const powers = new Float64Array(2 * powersFrom + 12).fill(1);
  for (let i = powersFrom; i > 0; i--) powers[i - 1] = powers[i]! / 2;
  for (let i = powersFrom + 1; i < powers.length; i++) powers[i] = powers[i - 1]! * 2;
  return powers;
}

import type { RandomWords } from "./randomWords.js";
import { type Rational, rational } from "./rational.js";

/**
 * Coins whose bias is exp(-γ), exactly [CKS20, Algorithm 1]. No exponential is evaluated: everything comes down to
 * decisions "is a uniform real U of [0, 1) below γ/k?" for integers k.
 *
 * Such a decision is made exactly and lazily. U is read off in words of 32 bits, most significant first. With a first
 * word w, U lies in [w, w + 1)·2^-32; if the whole interval is on one side of γ/k the decision stands whatever the
 * bits to come, otherwise the next word is read. Nearly always the first word decides, and then plain numbers do:
 * γ need only be known to lie between two doubles. Where that leaves it open, with probability about 2^-32, γ is
 * taken as the rational number that it is and compared as an integer.
 */

const word = 2 ** 32;

/**
 * Whether U < γ/k.
 * @param low - a double, 0 ≤ low ≤ γ
 * @param high - a double, γ ≤ high ≤ 1
 * @param k - positive integer
 * @param exact - γ itself, asked for only if `low` and `high` leave the decision open
 *
 * The comparisons are exact. 2^32 is a power of two, so low·2^32 and high·2^32 are the doubles' very values, at most
 * 2^32. A product such as (w + 1)·k is exact up to 2^53; beyond, its rounded value is still at least 2^53 and so falls
 * on the same side of a number of at most 2^32 as the product itself.
 */
export function isBelow(
  words: RandomWords,
  low: number,
  high: number,
  k: number,
  exact: () => Rational,
): boolean {
  const first = words.next();
  if ((first + 1) * k <= low * word) return true;
  if (first * k >= high * word) return false;
  return isBelowExactly(words, first, k, exact());
}

/** The same in integers, with the first word of U read already. */
export function isBelowExactly(words: RandomWords, first: number, k: number, gamma: Rational): boolean {
  const divisor = BigInt(k) * gamma.denominator;
  let read = BigInt(first);
  let bits = 32n;
  for (;;) {
    const threshold = gamma.numerator << bits;
    if ((read + 1n) * divisor <= threshold) return true;
    if (read * divisor >= threshold) return false;
    read = (read << 32n) | BigInt(words.next());
    bits += 32n;
  }
}

/**
 * A coin with bias exp(-γ) for 0 ≤ γ ≤ 1: the first k with U_k ≥ γ/k is odd with that probability, because
 * P[k > n] = γ^n/n!, of which the alternating sum is exp(-γ).
 * @param low - as in `isBelow`; so are `high` and `exact`
 */
export function flipExpOfFraction(
  words: RandomWords,
  low: number,
  high: number,
  exact: () => Rational,
): boolean {
  let k = 1;
  while (isBelow(words, low, high, k, exact)) k++;
  return (k & 1) === 1;
}

const one = rational(1n);
const exactlyOne = () => one;

/** A coin with bias exp(-1). U_1 < 1 needs no randomness. */
export function flipExpOfOne(words: RandomWords): boolean {
  let k = 2;
  while (isBelow(words, 1, 1, k, exactlyOne)) k++;
  return (k & 1) === 1;
}

/** A coin with bias exp(-whole): `whole` coins of bias exp(-1) that all come up, read until one does not. */
export function flipExpOfInteger(words: RandomWords, whole: number): boolean {
  for (let i = 0; i < whole; i++) if (!flipExpOfOne(words)) return false;
  return true;
}

/**
 * A coin with bias exp(-γ) for any rational γ ≥ 0.
 * @throws RangeError if γ is negative
 */
export function flipExp(words: RandomWords, gamma: Rational): boolean {
  if (gamma.numerator < 0n) throw new RangeError("a coin of bias exp(-γ) needs γ ≥ 0");
  const whole = gamma.numerator / gamma.denominator;
  // A coin that must come up 2^53 times never does: it is not worth counting further.
  if (!flipExpOfInteger(words, Number(whole))) return false;
  const fraction = rational(gamma.numerator - whole * gamma.denominator, gamma.denominator);
  // 53 bits of the fraction, cut: exact as a double, and its value and the next enclose the fraction.
  const cut = Number((fraction.numerator << 53n) / fraction.denominator);
  return flipExpOfFraction(words, cut * 2 ** -53, (cut + 1) * 2 ** -53, () => fraction);
}

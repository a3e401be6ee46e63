import { maxShares } from "../parameters.js";
import type { RandomSource } from "../random.js";

/**
 * Secret sharing of byte strings [Sha79], byte by byte over GF(2^8) with the polynomial of AES, x^8+x^4+x^3+x+1
 * [FIPS197, section 4]: any `threshold` shares give the secret, fewer give nothing about it.
 *
 * Multiplication has no tables and no branches on secrets; JavaScript promises no constant time all the same.
 */

/** One share: the value of each byte's polynomial at `index`, 1 to 255. */
export interface Share {
  readonly index: number;
  readonly bytes: Uint8Array;
}

/** Bytes in words, whose four bytes are multiplied at once. */
export function inWords(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(Math.ceil(bytes.length / 4));
  new Uint8Array(words.buffer).set(bytes);
  return words;
}

export const bytesIn = (words: Uint32Array, count: number) => new Uint8Array(words.buffer).slice(0, count);

/** Adds `factor` times each byte of `words` to the byte of `sum` there. The factor is public, what it multiplies need not be. */
export function addMultiple(sum: Uint32Array, words: Uint32Array, factor: number): void {
  for (let j = 0; j < sum.length; j++) {
    let power = words[j]!;
    for (let bits = factor; bits > 0; bits >>= 1) {
      sum[j]! ^= power & -(bits & 1);
      power = ((power & 0x7f7f7f7f) << 1) ^ (((power >>> 7) & 0x01010101) * 0x1b);
    }
  }
}

/**
 * Splits a secret.
 * @param count - how many shares, 1 to 255; they get the indices 1 to `count`
 * @param threshold - how many of them give the secret, 1 to `count`
 * @throws RangeError outside these ranges
 */
export function splitSecret(
  secret: Uint8Array,
  options: { readonly count: number; readonly threshold: number; readonly random: RandomSource },
): Share[] {
  const { count, threshold, random } = options;
  if (!Number.isInteger(count) || count < 1 || count > maxShares) throw new RangeError("1 to 255 shares");
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > count) {
    throw new RangeError("the threshold lies between 1 and the number of shares");
  }
  // Coefficients of x, x², …, each the secret's length; the constant term is the secret.
  const rest = Array.from({ length: threshold - 1 }, () => random.bytes(secret.length));
  const coefficients = [secret, ...rest].map(inWords).toReversed();
  return Array.from({ length: count }, (_, i) => {
    const index = i + 1;
    const value = coefficients.reduce((higher, coefficient) => {
      const sum = coefficient.slice();
      addMultiple(sum, higher, index);
      return sum;
    });
    return { index, bytes: bytesIn(value, secret.length) };
  });
}

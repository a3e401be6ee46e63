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
function inWords(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(Math.ceil(bytes.length / 4));
  new Uint8Array(words.buffer).set(bytes);
  return words;
}

const bytesIn = (words: Uint32Array, count: number) => new Uint8Array(words.buffer).slice(0, count);

/** Adds `factor` times each byte of `words` to the byte of `sum` there. The factor is public, what it multiplies need not be. */
function addMultiple(sum: Uint32Array, words: Uint32Array, factor: number): void {
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

/**
 * Lagrange's interpolation: the value at `index` of the polynomials through these shares, at 0 the secret, elsewhere the share
 * that a site should hold. Indices are public, so their part of the arithmetic may use tables.
 * @throws RangeError when there are no shares, indices repeat or are out of range, or lengths differ
 */
export function interpolate(index: number, shares: readonly Share[]): Uint8Array {
  const first = shares[0];
  if (first === undefined) throw new RangeError("no shares");
  const indices = shares.map((share) => share.index);
  const valid = shares.every(
    (share) =>
      Number.isInteger(share.index) &&
      share.index >= 1 &&
      share.index <= maxShares &&
      share.bytes.length === first.bytes.length,
  );
  if (new Set(indices).size !== shares.length || !valid) throw new RangeError("the shares do not match");
  const weights = lagrangeWeights(index, indices);
  const sum = inWords(new Uint8Array(first.bytes.length));
  for (const [i, { bytes }] of shares.entries()) addMultiple(sum, inWords(bytes), weights[i]!);
  return bytesIn(sum, first.bytes.length);
}

/** Π_{j≠i} (x - x_j)/(x_i - x_j) for each i; subtraction is exclusive or. */
function lagrangeWeights(x: number, indices: readonly number[]): Uint8Array {
  return Uint8Array.from(indices, (own) => {
    let logarithm = 0;
    for (const other of indices) {
      if (other === own) continue;
      if (other === x) return 0;
      logarithm += 255 + logarithms[x ^ other]! - logarithms[own ^ other]!;
    }
    return powers[logarithm % 255]!;
  });
}

/** Powers of the generator 3, and logarithms to it; for public values only. */
const powers = new Uint8Array(255);
const logarithms = new Uint8Array(256);
for (let exponent = 0, power = 1; exponent < 255; exponent++) {
  powers[exponent] = power;
  logarithms[power] = exponent;
  power ^= (power << 1) ^ (0x11b & -(power >> 7));
}

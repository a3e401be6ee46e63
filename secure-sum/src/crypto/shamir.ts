import type { RandomSource } from "../random.js";

/**
 * Secret sharing of byte strings [Sha79], byte by byte over GF(2^8) with the polynomial of AES, x^8+x^4+x^3+x+1
 * [FIPS197, section 4]: any `threshold` shares give the secret, fewer give nothing about it.
 *
 * Multiplication has no tables and no branches on secrets; JavaScript promises no constant time all the same.
 */
export const maxShares = 255;

/** One share: the value of each byte's polynomial at `index`, 1 to 255. */
export interface Share {
  readonly index: number;
  readonly bytes: Uint8Array;
}

/** a·b in GF(2^8): shift and add, always eight steps. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = a;
  for (let bit = 0; bit < 8; bit++) {
    product ^= factor & -((b >> bit) & 1);
    factor = (factor << 1) ^ (0x11b & -(factor >> 7));
  }
  return product;
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
  const coefficients = Array.from({ length: threshold - 1 }, () => random.bytes(secret.length));
  return Array.from({ length: count }, (_, i) => {
    const index = i + 1;
    const bytes = new Uint8Array(secret.length);
    for (const coefficient of coefficients.toReversed()) {
      for (let j = 0; j < bytes.length; j++) bytes[j] = multiply(bytes[j]! ^ coefficient[j]!, index);
    }
    for (let j = 0; j < bytes.length; j++) bytes[j]! ^= secret[j]!;
    return { index, bytes };
  });
}

/**
 * Lagrange's interpolation, with the weights kept: in one sum the same sites hold shares of many secrets. Indices are
 * public, so their part of the arithmetic may use tables.
 */
export class Interpolation {
  readonly #weights = new Map<string, Uint8Array>();

  /**
   * The value at `index` of the polynomials through these shares: at 0 the secret, elsewhere the share that a site
   * should hold.
   * @throws RangeError when there are no shares, indices repeat or are out of range, or lengths differ
   */
  at(index: number, shares: readonly Share[]): Uint8Array {
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
    const weights = this.#weightsAt(index, indices);
    const value = new Uint8Array(first.bytes.length);
    for (const [i, { bytes }] of shares.entries()) {
      for (let j = 0; j < value.length; j++) value[j]! ^= multiply(weights[i]!, bytes[j]!);
    }
    return value;
  }

  #weightsAt(index: number, indices: readonly number[]): Uint8Array {
    const key = `${index}:${indices.join()}`;
    const known = this.#weights.get(key);
    if (known !== undefined) return known;
    const weights = lagrangeWeights(index, indices);
    this.#weights.set(key, weights);
    return weights;
  }
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
  power = multiply(power, 3);
}

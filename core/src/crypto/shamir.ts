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

/** a⁻¹ = a^254, and 0 has none. */
function invert(a: number): number {
  if (a === 0) throw new RangeError("0 has no inverse");
  let power = a;
  let inverse = 1;
  for (let bit = 1; bit < 8; bit++) {
    power = multiply(power, power);
    inverse = multiply(inverse, power);
  }
  return inverse;
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
 * Gives the secret back by Lagrange's interpolation at 0.
 * @param shares - at least the threshold of one splitting; more do no harm, fewer give a wrong secret
 * @throws RangeError when indices repeat or are out of range, or lengths differ
 */
export function joinSecret(shares: readonly Share[]): Uint8Array {
  const first = shares[0];
  if (first === undefined) throw new RangeError("no shares");
  const indices = new Set(shares.map((share) => share.index));
  const valid = shares.every(
    ({ index, bytes }) =>
      Number.isInteger(index) && index >= 1 && index <= maxShares && bytes.length === first.bytes.length,
  );
  if (indices.size !== shares.length || !valid) throw new RangeError("the shares do not belong together");
  const secret = new Uint8Array(first.bytes.length);
  for (const { index, bytes } of shares) {
    let weight = 1;
    for (const other of indices)
      if (other !== index) weight = multiply(weight, multiply(other, invert(other ^ index)));
    for (let j = 0; j < secret.length; j++) secret[j]! ^= multiply(weight, bytes[j]!);
  }
  return secret;
}

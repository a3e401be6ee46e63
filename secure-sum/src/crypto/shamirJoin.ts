import { maxShares } from "../parameters.js";
import { addMultiple, bytesIn, inWords, type Share } from "./shamir.js";

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

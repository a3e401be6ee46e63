/** What is masked and added: vectors over the integers modulo 2^32 or 2^64. */

/** The width of a ring element. */
export type RingBits = 32 | 64;

/** A vector over Z_2^32 or Z_2^64. A signed integer is its two's complement. */
export type RingVector = Uint32Array | BigUint64Array;

/** A vector of zeros. */
export function newRingVector(bits: RingBits, length: number): RingVector {
  return bits === 32 ? new Uint32Array(length) : new BigUint64Array(length);
}

/** Adds `vector` to `sum` in place, modulo 2 to the power of their width. @throws RangeError when lengths or widths differ */
export function addInto(sum: RingVector, vector: RingVector): void {
  if (sum.length !== vector.length) {
    throw new RangeError(`cannot add a vector of ${vector.length} entries to a sum of ${sum.length}`);
  }
  if (sum instanceof Uint32Array && vector instanceof Uint32Array) {
    // Storing to a Uint32Array reduces modulo 2^32; the sum of two entries is exact in a double before that.
    for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + vector[i]!;
  } else if (sum instanceof BigUint64Array && vector instanceof BigUint64Array) {
    // Storing to a BigUint64Array reduces modulo 2^64, and V8 compiles the pair to one 64-bit addition.
    for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + vector[i]!;
  } else {
    throw new RangeError("cannot add ring vectors of different widths");
  }
}

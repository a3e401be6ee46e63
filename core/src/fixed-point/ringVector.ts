import type { RingBits, RingVector } from "@consilium/secure-sum/ring";

export { addInto, newRingVector, type RingBits, type RingVector } from "@consilium/secure-sum/ring";

/**
 * Real vectors as vectors over the ring of integers modulo 2^64 in two's complement: what is masked, added and sent.
 *
 * An entry v is sent as round(v · 2^g), its own power of two g for every entry. All conversions are exact but one
 * rounding each way: encoding rounds to the nearest grid point (ties upwards), decoding rounds the exact integer
 * sum to the nearest double. Nothing here passes through a BigInt per entry: entries are written as two halves of
 * 32 bits.
 */

/** Grid exponents beyond this would leave the range of a double when scaling. */
const exponentLimit = 1000;

/**
 * The sum over all sites stays within ±2^62: one bit of headroom below the ring's ±2^63, so that rounding (at most
 * half a step per site) cannot make it wrap either.
 */
const sumExponent = 62;

const two32 = 2 ** 32;

/** Where the less and the more significant half of a 64-bit word lie among 32-bit words on this machine. */
const lowHalf = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;
const highHalf = 1 - lowHalf;

/** Turns real vectors of one fixed shape into ring vectors, and sums of them back. */
export interface RingCodec {
  /** Number of entries. */
  readonly length: number;
  /** Number of vectors that may be added without wrapping. */
  readonly sites: number;
  /** Distance of neighbouring grid points at entry `index`: 2^-g. */
  step(index: number): number;
  /**
   * @param values - [length], finite, each within the bound of its entry
   * @returns [length] ring elements; each stands for a real within half a step of the given one
   * @throws RangeError on a wrong length, or naming the first entry that is not finite or beyond its bound
   */
  encode(values: Float64Array): BigUint64Array;
  /**
   * @param sum - [length], the sum modulo 2^64 of at most `sites` encoded vectors
   * @returns [length], the integer sum in units of the grid, rounded once to the nearest double. It differs from
   *   the sum of the reals by at most `sites` half steps
   * @throws RangeError on a wrong length
   */
  decodeSum(sum: BigUint64Array): Float64Array;
}

/**
 * The codec with the finest grid on which a sum over all sites cannot wrap.
 * @param bounds - largest |entry| of one site's vector, per entry; finite and positive
 * @param sites - number of vectors to be added, 1 to 2^20
 * @throws RangeError on bounds or a number of sites out of range
 */
export function ringCodecFor(options: { readonly bounds: Float64Array; readonly sites: number }): RingCodec {
  const { bounds, sites } = options;
  checkSites(sites);
  const exponents = Int16Array.from(bounds, (bound) => exponentFor(bound, sites));
  const scales = Float64Array.from(exponents, (exponent) => 2 ** exponent);
  return makeCodec(
    bounds.length,
    sites,
    (index) => bounds[index]!,
    (index) => scales[index]!,
  );
}

/**
 * The same for vectors whose entries share one bound.
 * @param length - number of entries
 * @param bound - largest |entry| of one site's vector; finite and positive
 * @param sites - number of vectors to be added, 1 to 2^20
 */
export function uniformRingCodec(options: {
  readonly length: number;
  readonly bound: number;
  readonly sites: number;
}): RingCodec {
  const { length, bound, sites } = options;
  checkSites(sites);
  const scale = 2 ** exponentFor(bound, sites);
  return makeCodec(
    length,
    sites,
    () => bound,
    () => scale,
  );
}

/**
 * How far a decoded sum may lie from the sum of the reals that were encoded, per entry: half a step per site.
 * (Decoding adds at most one half unit in the last place of the result.)
 * @returns the largest such distance over all entries, in the vector's own units
 */
export function resolutionOf(codec: RingCodec): number {
  let largest = 0;
  for (let index = 0; index < codec.length; index++) largest = Math.max(largest, codec.step(index));
  return (largest * codec.sites) / 2;
}

/**
 * The same integers in 64 bits: 32-bit entries as two's complement, from -2^31 to 2^31 - 1, with their sign. A copy;
 * a 64-bit vector comes back itself.
 */
export function widened(vector: RingVector): BigUint64Array {
  if (vector instanceof BigUint64Array) return vector;
  const wide = new BigUint64Array(vector.length);
  const halves = new Uint32Array(wide.buffer);
  for (let i = 0; i < vector.length; i++) {
    halves[2 * i + lowHalf] = vector[i]!;
    halves[2 * i + highHalf] = (vector[i]! | 0) >> 31;
  }
  return wide;
}

/** The vector as it travels: 4 or 8 bytes per entry, little-endian. A copy, whatever machine this is. */
export function ringBytes(vector: RingVector): Uint8Array {
  if (vector instanceof BigUint64Array) return littleEndianBytes(vector);
  const bytes = new Uint8Array(vector.length * 4);
  if (lowHalf === 0) {
    bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  } else {
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < vector.length; i++) view.setUint32(i * 4, vector[i]!, true);
  }
  return bytes;
}

/**
 * Reads a vector that travelled. A copy, so `bytes` may lie anywhere in its buffer.
 * @throws RangeError when the bytes are not a whole number of entries
 */
export function ringVectorFromBytes(bytes: Uint8Array, bits: RingBits): RingVector {
  if (bits === 64) return fromLittleEndianBytes(bytes);
  if (bytes.length % 4 !== 0) {
    throw new RangeError(`${bytes.length} bytes are not a whole number of 4-byte ring elements`);
  }
  const vector = new Uint32Array(bytes.length / 4);
  if (lowHalf === 0) {
    new Uint8Array(vector.buffer).set(bytes);
  } else {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < vector.length; i++) vector[i] = view.getUint32(i * 4, true);
  }
  return vector;
}

/** The 64-bit vector as it travels: 8 bytes per entry, little-endian. A copy, whatever machine this is. */
export function littleEndianBytes(vector: BigUint64Array): Uint8Array {
  const bytes = new Uint8Array(vector.length * 8);
  if (lowHalf === 0) {
    bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  } else {
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < vector.length; i++) view.setBigUint64(i * 8, vector[i]!, true);
  }
  return bytes;
}

/**
 * Reads a vector that travelled. A copy, so `bytes` may lie anywhere in its buffer.
 * @throws RangeError when the bytes are not a whole number of entries
 */
export function fromLittleEndianBytes(bytes: Uint8Array): BigUint64Array {
  if (bytes.length % 8 !== 0) {
    throw new RangeError(`${bytes.length} bytes are not a whole number of 8-byte ring elements`);
  }
  const vector = new BigUint64Array(bytes.length / 8);
  if (lowHalf === 0) {
    new Uint8Array(vector.buffer).set(bytes);
  } else {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < vector.length; i++) vector[i] = view.getBigUint64(i * 8, true);
  }
  return vector;
}

function checkSites(sites: number): void {
  if (!Number.isInteger(sites) || sites < 1 || sites > 2 ** 20) {
    throw new RangeError(`cannot size the ring for ${sites} sites: from 1 to ${2 ** 20}`);
  }
}

/** The largest g with sites · (bound · 2^g + 1/2) ≤ 2^62, at most 1000 in magnitude. */
function exponentFor(bound: number, sites: number): number {
  if (!(bound > 0) || !Number.isFinite(bound)) {
    throw new RangeError("the bound of a ring vector's entry must be finite and positive");
  }
  // Both sides divided by `sites`, which keeps everything in range: bound · 2^g ≤ 2^62 / sites - 1/2.
  const room = 2 ** sumExponent / sites - 0.5;
  let exponent = Math.floor(Math.log2(room) - Math.log2(bound)) + 1;
  exponent = Math.max(-exponentLimit, Math.min(exponentLimit, exponent));
  while (exponent > -exponentLimit && bound * 2 ** exponent > room) exponent--;
  if (bound * 2 ** exponent > room) {
    throw new RangeError("the bound of a ring vector's entry is too large for the ring");
  }
  return exponent;
}

function makeCodec(
  length: number,
  sites: number,
  boundOf: (index: number) => number,
  scaleOf: (index: number) => number,
): RingCodec {
  if (!Number.isInteger(length) || length < 1) {
    throw new RangeError(`a ring vector has at least one entry, not ${length}`);
  }
  const checkLength = (given: number): void => {
    if (given !== length) throw new RangeError(`this ring vector has ${length} entries, got ${given}`);
  };
  return {
    length,
    sites,
    step: (index) => 1 / scaleOf(index),
    encode(values) {
      checkLength(values.length);
      const vector = new BigUint64Array(length);
      const halves = new Uint32Array(vector.buffer);
      for (let i = 0; i < length; i++) {
        const value = values[i]!;
        if (!(Math.abs(value) <= boundOf(i))) throw new RangeError(describeOutside(value, i));
        // A power of two scales exactly (what underflows is below half a step). Math.round is exact: at 2^52 and
        // above a double is a whole number already. Both halves then hold bits of that whole number unchanged.
        const rounded = Math.round(value * scaleOf(i));
        const high = Math.floor(rounded / two32);
        halves[2 * i + lowHalf] = rounded - high * two32;
        halves[2 * i + highHalf] = high;
      }
      return vector;
    },
    decodeSum(sum) {
      checkLength(sum.length);
      const halves = new Uint32Array(sum.buffer, sum.byteOffset, 2 * length);
      const values = new Float64Array(length);
      for (let i = 0; i < length; i++) {
        const high = halves[2 * i + highHalf]! | 0;
        // high · 2^32 is exact, so this addition is the only rounding.
        values[i] = (high * two32 + halves[2 * i + lowHalf]!) / scaleOf(i);
      }
      return values;
    },
  };
}

/** Says which entry is at fault, never its value. */
function describeOutside(value: number, index: number): string {
  return Number.isFinite(value)
    ? `entry ${index} of the vector is beyond the bound that the study declares for it`
    : `entry ${index} of the vector is not finite`;
}

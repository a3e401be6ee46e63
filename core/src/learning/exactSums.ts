/** Sums as ring elements and back: nothing here passes through a BigInt per entry where a double holds it. */

const two32 = 2 ** 32;

/** Where the less and the more significant half of a 64-bit word lie among 32-bit words on this machine. */
const lowHalf = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;

/**
 * Integers in two's complement modulo 2^64, each multiplied by `scale`.
 * @param values - integers in ±2^53
 * @param scale - a power of two, at least 1
 */
export function ringElements(values: Float64Array, scale: number): BigUint64Array {
  const out = new BigUint64Array(values.length);
  const halves = new Uint32Array(out.buffer);
  for (let i = 0; i < values.length; i++) {
    if (values[i] === 0) continue;
    const value = values[i]! * scale;
    if (Math.abs(value) < 2 ** 53) {
      const high = Math.floor(value / two32);
      halves[2 * i + lowHalf] = value - high * two32;
      halves[2 * i + 1 - lowHalf] = high;
    } else {
      out[i] = BigInt(value);
    }
  }
  return out;
}

/** Signed integers of a sum of ring elements: each rounded once to the nearest double. */
export function signedNumbers(sum: BigUint64Array): Float64Array {
  const halves = new Uint32Array(sum.buffer, sum.byteOffset, 2 * sum.length);
  const values = new Float64Array(sum.length);
  for (let i = 0; i < sum.length; i++) {
    values[i] = (halves[2 * i + 1 - lowHalf]! | 0) * two32 + halves[2 * i + lowHalf]!;
  }
  return values;
}

import type { RandomSource } from "@consilium/core/random";

const uniformsPerRead = 512;

/**
 * Uniforms from a source of bytes: eight bytes each, of which the 53 low bits count (little-endian), over 2^53. For
 * noise of the published methods; a proven mechanism draws integers.
 * @returns a function that draws the next one, in [0, 1), at most 1 - 2^-53
 */
export function uniformsOf(random: RandomSource): () => number {
  let words: DataView = new DataView(new ArrayBuffer(0));
  let next = 0;
  return () => {
    if (next >= words.byteLength) {
      const bytes = random.bytes(uniformsPerRead * 8);
      words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      next = 0;
    }
    const low = words.getUint32(next, true);
    const high = words.getUint32(next + 4, true) & 0x1fffff;
    next += 8;
    return (high * 2 ** 32 + low) / 2 ** 53;
  };
}

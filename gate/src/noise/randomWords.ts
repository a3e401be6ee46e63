import type { RandomSource } from "@consilium/secure-sum/random";

const wordsAtFirst = 64;
const wordsAtMost = 16_384;

/**
 * Uniform 32-bit words and bits from a source of bytes, fetched in growing blocks: a call of the operating system's
 * generator costs as much as hundreds of bytes from it. Every word and bit is handed out once.
 */
export class RandomWords {
  private words = new Uint32Array(0);
  private position = 0;
  private bits = 0;
  private bitsLeft = 0;

  constructor(private readonly source: RandomSource) {}

  /** A uniform integer in [0, 2^32). */
  next(): number {
    if (this.position === this.words.length) this.refill();
    return this.words[this.position++]!;
  }

  /** A uniform bit. */
  bit(): 0 | 1 {
    if (this.bitsLeft === 0) {
      this.bits = this.next();
      this.bitsLeft = 32;
    }
    this.bitsLeft--;
    const bit = this.bits & 1;
    this.bits >>>= 1;
    return bit as 0 | 1;
  }

  /**
   * A uniform integer in [0, bound): as many bits as bound - 1 has, drawn again until they are below the bound.
   * @param bound - integer, 1 to 2^32
   */
  below(bound: number): number {
    if (bound === 1) return 0;
    const unused = Math.clz32(bound - 1);
    for (;;) {
      const candidate = this.next() >>> unused;
      if (candidate < bound) return candidate;
    }
  }

  private refill(): void {
    const count = Math.min(Math.max(wordsAtFirst, 4 * this.words.length), wordsAtMost);
    const bytes = this.source.bytes(4 * count);
    if (bytes.length !== 4 * count) throw new RangeError("the source of randomness gave too few bytes");
    // A copy of these bytes alone: a source may hand out part of a larger buffer (for a Buffer, `slice` does not copy).
    this.words = new Uint32Array(new Uint8Array(bytes).buffer);
    this.position = 0;
  }
}

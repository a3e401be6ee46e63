import { lowHalf } from "./halves.js";

/**
 * Exact sums of integers. Doubles add integers exactly as long as no sum reaches 2^53; before one can, what has been
 * added up is carried over into 64 bits, where it may wrap as the ring does.
 */
export class ExactSums {
  /** What was added since the last carrying: a caller that needs speed adds to these, and says so with `added`. */
  readonly open: Float64Array;
  readonly #most: number;
  #room: number;
  #carried: BigInt64Array | null = null;

  /** @param most - of the magnitude that one addition brings to one entry, from 1 below 2^53 */
  constructor(length: number, most: number) {
    this.open = new Float64Array(length);
    this.#most = Math.max(1, Math.floor((2 ** 53 - 1) / most));
    this.#room = this.#most;
  }

  /** Additions that fit before `added` must be called. */
  get room(): number {
    return this.#room;
  }

  /** So many additions were made to `open`, each of at most `most` to an entry; at most `room` of them. */
  added(count: number): void {
    if (count > this.#room) throw new RangeError("more was added than is exact");
    this.#room -= count;
    if (this.#room === 0) this.carry();
  }

  /** Makes room for as many additions as ever fit. */
  carry(): void {
    this.#carried ??= new BigInt64Array(this.open.length);
    for (let i = 0; i < this.open.length; i++) {
      if (this.open[i] !== 0) this.#carried[i] = this.#carried[i]! + BigInt(this.open[i]!);
    }
    this.open.fill(0);
    this.#room = this.#most;
  }

  /**
   * Writes the sums, each multiplied by `scale`, modulo 2^64. Ends the adding.
   * @param vector - zeros, or the memory of `open`: every sum is read before its place is written
   * @param scale - a power of two from 1
   */
  writeTo(vector: BigUint64Array, scale: number): void {
    const halves = new Uint32Array(vector.buffer, vector.byteOffset, 2 * vector.length);
    for (let i = 0; i < this.open.length; i++) {
      const value = this.open[i]! * scale;
      // The memory is zeros: what no record touched is not written, and takes up no memory.
      if (this.#carried === null && Object.is(value, 0)) continue;
      if (this.#carried === null && Math.abs(value) < 2 ** 53) {
        const high = Math.floor(value / 2 ** 32);
        halves[2 * i + lowHalf] = value - high * 2 ** 32;
        halves[2 * i + 1 - lowHalf] = high;
      } else {
        const exact = (this.#carried?.[i] ?? 0n) + BigInt(this.open[i]!);
        vector[i] = BigInt.asUintN(64, exact * BigInt(scale));
      }
    }
  }
}

import { checkBlock, checkGramDiagonal } from "@consilium/core/linalg/gramChecks";
import type { GramAccumulator } from "@consilium/core/linalg/kernels";
import { Slots } from "./slots.js";

/** Bytes of rows gathered before they are multiplied: a millisecond of work or more, so that handing over is cheap. */
const slotBytes = 4 << 20;
/** With many columns a slot is larger, up to these rows or bytes: each passes once over a d × d sum in memory. */
const wideSlotRows = 1024;
const wideSlotBytes = 16 << 20;
/** The fast kernels pack this many rows at a time; a slot holds a multiple of it. */
const packRows = 256;
const maximumLanes = 8;
const laneBytesBudget = 128 << 20;
/** The first slots share two lanes: a sum over few rows is not worth more, each of which is touched and added up. */
const fewLanes = 2;
const fewSlots = 16;

/** Buffers of one accumulation, and the two things that are done on them off the calling thread. */
export interface GramRoom {
  /** Buffers for `slotRows(d)` rows each, filled by the caller while others are being multiplied. */
  readonly slots: readonly Float64Array[];
  /**
   * Adds XᵀX of the first `rows` rows of a slot to a lane's sum, which is set to zero before its first block. Never
   * called for a lane while it is under way for the same.
   */
  multiply(slot: number, rows: number, lane: number, first: boolean): Promise<void>;
  /** Sums the first `lanes` lanes in order and returns the full matrix. */
  fold(lanes: number): Promise<Float64Array>;
  release(): void;
}

/** Rows of a slot: a multiple of 256, at least 256. */
export function slotRows(d: number): number {
  const rows = Math.max(slotBytes / (8 * d), Math.min(wideSlotRows, wideSlotBytes / (8 * d)));
  return Math.max(1, Math.floor(rows / packRows)) * packRows;
}

/**
 * How many partial sums are kept. It depends on d alone, never on the number of workers, so the sums are formed in
 * the same order whatever runs them; and no more than this many workers can share one accumulation.
 */
export function laneCount(d: number): number {
  const affordable = Math.floor(laneBytesBudget / (8 * d * d));
  return d > 8192 ? 1 : Math.max(2, Math.min(maximumLanes, affordable));
}

/** The lane of the n-th slot, from its number alone. */
export function laneOf(slotNumber: number, lanes: number): number {
  return slotNumber % (slotNumber < fewSlots ? Math.min(fewLanes, lanes) : lanes);
}

/** XᵀX over slots of rows. How the caller cut the rows into blocks makes no difference to a single bit of the result. */
export class BlockedGram implements GramAccumulator {
  readonly #d: number;
  readonly #room: GramRoom;
  readonly #slots: Slots;
  #ended = false;
  readonly #onEnd: () => void;

  /** @param onEnd - called once, after the room was released */
  constructor(d: number, room: GramRoom, onEnd: () => void) {
    this.#d = d;
    this.#room = room;
    this.#onEnd = onEnd;
    const lanes = laneCount(d);
    this.#slots = new Slots({
      slots: room.slots.length,
      slotRows: slotRows(d),
      rowBytes: 8 * d,
      lanes,
      laneOf: (slotNumber) => laneOf(slotNumber, lanes),
      run: (slot, rows, lane, first) => room.multiply(slot, rows, lane, first),
    });
  }

  async add(block: Float64Array, rows: number): Promise<void> {
    this.#requireOpen();
    const d = this.#d;
    checkBlock(block, rows, d);
    return this.#slots.add(rows, (slot, at, from, count) => {
      this.#room.slots[slot]!.set(block.subarray(from * d, (from + count) * d), at * d);
    });
  }

  async finish(): Promise<Float64Array> {
    this.#requireOpen();
    this.#ended = true;
    try {
      const used = await this.#slots.drain();
      const sum = used === 0 ? new Float64Array(this.#d ** 2) : await this.#room.fold(used);
      checkGramDiagonal(sum, this.#d);
      return sum;
    } finally {
      await this.#slots.settle();
      this.#room.release();
      this.#onEnd();
    }
  }

  #requireOpen(): void {
    if (this.#ended) throw new RangeError("this accumulation has ended: start another with gram()");
  }
}

import { setImmediate } from "node:timers/promises";
import type { GramAccumulator } from "@consilium/core/linalg/kernels";
import { checkBlock, checkGramDiagonal } from "@consilium/core/linalg/plain";

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
/** Bytes copied without letting the event loop see that a slot was multiplied and hand on the next. */
const uninterruptedBytes = 1 << 20;

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

/** One slot for each worker, one that waits for the first to be free, and one that the caller fills. */
export function slotCount(workers: number): number {
  return workers + 2;
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

/**
 * Gathers rows into slots and spreads the slots over lanes in turn; a lane's slots are multiplied one after another.
 * How the caller cut the rows into blocks makes no difference to a single bit of the result.
 */
export class BlockedGram implements GramAccumulator {
  readonly #d: number;
  readonly #room: GramRoom;
  readonly #slotRows: number;
  /** When the last block given to each lane has been added. */
  readonly #lanes: Promise<void>[];
  #lanesUsed = 0;
  readonly #free: number[];
  #wake: (() => void) | undefined;
  #filling: number | undefined;
  #filled = 0;
  #dispatched = 0;
  /** Since the event loop last had its turn. */
  #copiedBytes = 0;
  #failure: unknown;
  /** When the last add() so far has been copied. */
  #turn: Promise<void> = Promise.resolve();
  #ended = false;
  readonly #onEnd: () => void;

  /** @param onEnd - called once, after the room was released */
  constructor(d: number, room: GramRoom, onEnd: () => void) {
    this.#d = d;
    this.#room = room;
    this.#onEnd = onEnd;
    this.#slotRows = slotRows(d);
    this.#lanes = Array.from({ length: laneCount(d) }, () => Promise.resolve());
    this.#free = room.slots.map((_, slot) => slot);
  }

  async add(block: Float64Array, rows: number): Promise<void> {
    this.#requireOpen();
    checkBlock(block, rows, this.#d);
    const copied = this.#turn.then(() => this.#copy(block, rows));
    this.#turn = copied.catch(() => {});
    return copied;
  }

  async finish(): Promise<Float64Array> {
    this.#requireOpen();
    this.#ended = true;
    try {
      await this.#turn;
      if (this.#filled > 0) this.#dispatch();
      await Promise.all(this.#lanes);
      const used = this.#lanesUsed;
      const sum = used === 0 ? new Float64Array(this.#d ** 2) : await this.#room.fold(used);
      checkGramDiagonal(sum, this.#d);
      return sum;
    } finally {
      await Promise.allSettled(this.#lanes);
      this.#room.release();
      this.#onEnd();
    }
  }

  #requireOpen(): void {
    if (this.#ended) throw new RangeError("this accumulation has ended: start another with gram()");
  }

  async #copy(block: Float64Array, rows: number): Promise<void> {
    const d = this.#d;
    const atOnce = Math.max(1, Math.floor(uninterruptedBytes / (8 * d)));
    let done = 0;
    while (done < rows) {
      const slot = this.#filling ?? (await this.#nextSlot());
      this.#filling = slot;
      const count = Math.min(rows - done, this.#slotRows - this.#filled, atOnce);
      this.#room.slots[slot]!.set(block.subarray(done * d, (done + count) * d), this.#filled * d);
      this.#filled += count;
      done += count;
      if (this.#filled === this.#slotRows) this.#dispatch();
      this.#copiedBytes += 8 * d * count;
      if (this.#copiedBytes >= uninterruptedBytes) {
        this.#copiedBytes = 0;
        await setImmediate();
      }
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits while every slot is being multiplied: this is what holds a fast reader back. */
  async #nextSlot(): Promise<number> {
    while (this.#free.length === 0 && this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
    return this.#free.pop()!;
  }

  #dispatch(): void {
    const slot = this.#filling!;
    const rows = this.#filled;
    const lane = laneOf(this.#dispatched, this.#lanes.length);
    const first = lane >= this.#lanesUsed;
    this.#lanesUsed = Math.max(this.#lanesUsed, lane + 1);
    this.#filling = undefined;
    this.#filled = 0;
    this.#dispatched++;
    const multiplied = this.#lanes[lane]!.then(() => this.#room.multiply(slot, rows, lane, first));
    this.#lanes[lane] = multiplied;
    multiplied.then(
      () => this.#slotFreed(slot),
      (failure: unknown) => {
        this.#failure ??= failure;
        this.#slotFreed(slot);
      },
    );
  }

  #slotFreed(slot: number): void {
    this.#free.push(slot);
    this.#wake?.();
    this.#wake = undefined;
  }
}

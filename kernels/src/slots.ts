import { setImmediate } from "node:timers/promises";

/** Bytes copied without letting the event loop see that a slot was worked off and hand on the next. */
const uninterruptedBytes = 1 << 20;

/** The slots of one accumulation and what is done with them off the calling thread. */
interface SlotOptions {
  readonly slots: number;
  readonly slotRows: number;
  readonly rowBytes: number;
  /** Partial sums. */
  readonly lanes: number;
  /** The lane of the n-th slot; each lane but the first is first used after the one before it. */
  laneOf(slotNumber: number): number;
  /**
   * Adds the first `rows` rows of a slot to a lane's sum, which is set to zero before its first slot. Never called for
   * a lane while it is under way for the same.
   */
  run(slot: number, rows: number, lane: number, first: boolean): Promise<void>;
}

/** One slot for each worker, one that waits for the first to be free, and one that the caller fills. */
export function slotCount(workers: number): number {
  return workers + 2;
}

/**
 * Gathers rows into slots and spreads the slots over lanes; a lane's slots are worked off one after another. Which rows
 * share a slot does not depend on how the caller cut them into blocks.
 */
export class Slots {
  readonly #options: SlotOptions;
  /** When the last slot given to each lane has been added. */
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

  constructor(options: SlotOptions) {
    this.#options = options;
    this.#lanes = Array.from({ length: options.lanes }, () => Promise.resolve());
    this.#free = Array.from({ length: options.slots }, (_, slot) => slot);
  }

  /**
   * Takes rows, after those of earlier calls.
   * @param copy - copies `count` rows of the caller's from row `from` on into a slot, from its row `at` on
   */
  add(rows: number, copy: (slot: number, at: number, from: number, count: number) => void): Promise<void> {
    const copied = this.#turn.then(() => this.#copy(rows, copy));
    this.#turn = copied.catch(() => {});
    return copied;
  }

  /** Waits until every row has been added. @returns how many lanes were used */
  async drain(): Promise<number> {
    await this.#turn;
    if (this.#filled > 0) this.#dispatch();
    await Promise.all(this.#lanes);
    return this.#lanesUsed;
  }

  /** Waits until nothing is under way, whatever became of it. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#lanes);
  }

  async #copy(
    rows: number,
    copy: (slot: number, at: number, from: number, count: number) => void,
  ): Promise<void> {
    const { slotRows, rowBytes } = this.#options;
    const atOnce = Math.max(1, Math.floor(uninterruptedBytes / rowBytes));
    let done = 0;
    while (done < rows) {
      const slot = this.#filling ?? (await this.#nextSlot());
      this.#filling = slot;
      const count = Math.min(rows - done, slotRows - this.#filled, atOnce);
      copy(slot, this.#filled, done, count);
      this.#filled += count;
      done += count;
      if (this.#filled === slotRows) this.#dispatch();
      this.#copiedBytes += rowBytes * count;
      if (this.#copiedBytes >= uninterruptedBytes) {
        this.#copiedBytes = 0;
        await setImmediate();
      }
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits while every slot is being worked off: this is what holds a fast reader back. */
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
    const lane = this.#options.laneOf(this.#dispatched);
    const first = lane >= this.#lanesUsed;
    this.#lanesUsed = Math.max(this.#lanesUsed, lane + 1);
    this.#filling = undefined;
    this.#filled = 0;
    this.#dispatched++;
    const added = this.#lanes[lane]!.then(() => this.#options.run(slot, rows, lane, first));
    this.#lanes[lane] = added;
    added.then(
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

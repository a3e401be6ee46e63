import {
  type CorrelationSearch,
  checkGroups,
  type LargestCorrelations,
  type RowGroups,
  searchEnded,
} from "@consilium/core/linalg/correlations";
import { type Arena, Regions } from "./arena.js";
import type { KernelPool } from "./wasmGram.js";

/** With fewer rows than these a call to a worker takes longer than the plain loops, about 0.05 ms a column. */
export const workerRows = 256;
/** A task of fewer rows is not worth a worker of its own. */
const taskRows = 4096;
/** Bytes of a row while it is sorted: two pairs of value and label. */
const sortedBytes = 32;

/** Bytes of one search where there is a choice; the tables that a study may have fit the module's memory with one lane. */
const roomBytes = 2 ** 30;

/** A search on worker threads: columns side by side, and of each column runs of groups. */
export class WasmCorrelations implements CorrelationSearch {
  readonly #room: CorrelationRoom;
  readonly #onEnd: () => void;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #slots: NumberedSemaphore;
  #ended = false;

  /** @param onEnd - called once, after the room was released */
  constructor(room: CorrelationRoom, onEnd: () => void) {
    this.#room = room;
    this.#onEnd = onEnd;
    this.#slots = new NumberedSemaphore(room.slots);
  }

  async column(fill: (values: Float64Array) => void): Promise<LargestCorrelations> {
    if (this.#ended) throw searchEnded();
    const found = this.#search(fill);
    this.#underWay.add(found);
    try {
      return await found;
    } finally {
      this.#underWay.delete(found);
    }
  }

  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await Promise.allSettled(this.#underWay);
    this.#room.release();
    this.#onEnd();
  }

  async #search(fill: (values: Float64Array) => void): Promise<LargestCorrelations> {
    const slot = await this.#slots.take();
    try {
      fill(this.#room.values(slot));
      return await this.#room.run(slot);
    } finally {
      this.#slots.give(slot);
    }
  }
}

/** Numbered places, each taken by one at a time, in the order of the requests. */
class NumberedSemaphore {
  readonly #free: number[];
  readonly #waiting: ((place: number) => void)[] = [];

  constructor(count: number) {
    this.#free = Array.from({ length: count }, (_, place) => place);
  }

  async take(): Promise<number> {
    return this.#free.pop() ?? new Promise<number>((resolve) => this.#waiting.push(resolve));
  }

  give(place: number): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(place);
    else next(place);
  }
}

/** The memory of one search, and what the workers do with it. */
export class CorrelationRoom {
  readonly slots: number;
  readonly #arena: Arena;
  readonly #pool: KernelPool;
  readonly #regions: Regions;
  readonly #rows: number;
  readonly #groups: number;
  readonly #classes: number;
  readonly #labels: number;
  readonly #starts: number;
  /** Of each slot: values, then correlations and cuts. */
  readonly #slotStarts: readonly { readonly values: number; readonly found: number }[];
  /** Tasks at the same time, each with room of its own to sort in. */
  readonly #lanes: NumberedSemaphore;
  readonly #work: readonly { readonly pairs: number; readonly counts: number }[];
  /** Runs of groups, [from, to). */
  readonly #tasks: readonly (readonly [from: number, to: number])[];

  /** @throws RangeError as `checkGroups`, or if the memory is exhausted */
  constructor(groups: RowGroups, arena: Arena, pool: KernelPool) {
    checkGroups(groups);
    const { starts, labels, classes } = groups;
    this.#arena = arena;
    this.#pool = pool;
    this.#regions = new Regions(arena);
    this.#rows = labels.length;
    this.#groups = starts.length - 1;
    this.#classes = classes;
    const largest = starts.reduce((most, start, g) => Math.max(most, start - (starts[g - 1] ?? 0)), 0);
    const laneBytes = Math.max(1, 8 * this.#rows + sortedBytes * largest);
    const lanes = Math.min(pool.size, Math.max(1, Math.floor(roomBytes / laneBytes)));
    this.#lanes = new NumberedSemaphore(lanes);
    // One column for each task, and one that is filled meanwhile.
    this.slots = lanes + 1;
    this.#labels = this.#regions.take(2 * labels.length);
    arena.shorts(this.#labels, labels.length).set(labels);
    this.#starts = this.#regions.take(4 * starts.length);
    arena.integers(this.#starts, starts.length).set(starts);
    this.#slotStarts = Array.from({ length: this.slots }, () => ({
      values: this.#regions.take(8 * this.#rows),
      found: this.#regions.take(16 * this.#groups),
    }));
    this.#work = Array.from({ length: lanes }, () => ({
      pairs: this.#regions.take(sortedBytes * largest),
      counts: this.#regions.take(16 * classes),
    }));
    this.#tasks = tasksOf(starts, Math.max(taskRows, Math.ceil(this.#rows / lanes)));
  }

  values(slot: number): Float64Array {
    return this.#arena.doubles(this.#slotStarts[slot]!.values, this.#rows);
  }

  async run(slot: number): Promise<LargestCorrelations> {
    const { values, found } = this.#slotStarts[slot]!;
    const cuts = found + 8 * this.#groups;
    // A slot is free again only when no worker writes into it, whatever became of the others.
    const done = await Promise.allSettled(
      this.#tasks.map(async ([from, to]) => {
        const lane = await this.#lanes.take();
        const { pairs, counts } = this.#work[lane]!;
        const input = [values, this.#labels, this.#starts, from, to, this.#classes];
        try {
          await this.#pool.call("largestCorrelations", [...input, pairs, counts, found, cuts]);
        } finally {
          this.#lanes.give(lane);
        }
      }),
    );
    for (const one of done) if (one.status === "rejected") throw one.reason;
    return {
      correlations: this.#arena.doubles(found, this.#groups).slice(),
      cuts: this.#arena.doubles(cuts, this.#groups).slice(),
    };
  }

  release(): void {
    this.#regions.release();
  }
}

/** Runs of whole groups with at least so many rows each, but the last. */
function tasksOf(starts: Uint32Array, rows: number): [from: number, to: number][] {
  const tasks: [number, number][] = [];
  let from = 0;
  for (let to = 1; to < starts.length; to++) {
    if (starts[to]! - starts[from]! < rows && to + 1 < starts.length) continue;
    tasks.push([from, to]);
    from = to;
  }
  return tasks;
}

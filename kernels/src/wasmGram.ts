import { setFlagsFromString } from "node:v8";
import type { GramAccumulator } from "@consilium/core/linalg/kernels";
import { Arena, Regions } from "./arena.js";
import { BlockedGram, type GramRoom, laneCount, slotRows } from "./blockedGram.js";
import { maximumPages, moduleBase64 } from "./generated/module.js";
import { slotCount } from "./slots.js";
import { Memory, Module, type WasmMemory, type WasmModule } from "./webassembly.js";

/** Largest d of a Gram matrix: its accumulator is then half of what the module can address. */
export const maximumColumns = 16384;

/** Rows that gramBlock packs at a time; its room for them is this many times the padded number of columns. */
const packRows = 256;

/** What calls the exports of the module: threads that share its memory, or the calling thread. */
export interface KernelPool {
  /** How many calls may run at once. */
  readonly size: number;
  /** @param args - what to pass, or a function of the index of the one who calls where it has room of its own */
  call(name: string, args: readonly number[] | ((worker: number) => readonly number[])): Promise<number>;
  close(): Promise<void>;
}

export type OpenPool = (module: WasmModule, memory: WasmMemory) => KernelPool;

/** Gram matrices in WebAssembly. */
export class WasmGram {
  readonly name = "wasm";
  protected readonly arena: Arena;
  protected readonly pool: KernelPool;
  /** Frees the memory of accumulators that were dropped without finish(), as after an error between two blocks. */
  protected readonly dropped = new FinalizationRegistry<{ release(): void }>((room) => room.release());

  constructor(open: OpenPool) {
    // The baseline compiler's code would run until a first long call returns, at less than half the speed.
    setFlagsFromString("--no-liftoff");
    const module = new Module(Buffer.from(moduleBase64, "base64"));
    const memory = new Memory({ initial: 1, maximum: maximumPages, shared: true });
    this.arena = new Arena(memory, maximumPages);
    this.pool = open(module, memory);
  }

  /** Bytes of the shared memory in use. */
  get takenBytes(): number {
    return this.arena.takenBytes;
  }

  /**
   * As `NumericKernels` says. The result's bits depend on the rows alone: not on how they were cut into blocks, nor on
   * the number of workers. For integers it is exact while every sum is below 2^53.
   * @throws RangeError if d is not an integer from 1 to 16384
   */
  gram(d: number): GramAccumulator {
    if (!Number.isInteger(d) || d < 1 || d > maximumColumns) {
      throw new RangeError(`number of columns ${d} is not an integer from 1 to ${maximumColumns}`);
    }
    const room = this.#gramRoom(d);
    const accumulator: BlockedGram = new BlockedGram(d, room, () => this.dropped.unregister(room));
    this.dropped.register(accumulator, room, room);
    return accumulator;
  }

  #gramRoom(d: number): GramRoom {
    const arena = this.arena;
    const pool = this.pool;
    const padded = (d + 3) & ~3;
    const laneBytes = 8 * padded * padded;
    const regions = new Regions(arena);
    const lanes = regions.take(laneCount(d) * laneBytes);
    const packed = Array.from({ length: pool.size }, () => regions.take(8 * packRows * padded));
    const slotStarts = Array.from({ length: slotCount(pool.size) }, () => regions.take(8 * slotRows(d) * d));
    return {
      slots: slotStarts.map((start) => arena.doubles(start, slotRows(d) * d)),
      async multiply(slot, rows, lane, first) {
        const sum = lanes + lane * laneBytes;
        const start = slotStarts[slot]!;
        await pool.call("gramBlock", (worker) => [start, rows, d, sum, packed[worker]!, first ? 1 : 0]);
      },
      async fold(count) {
        await pool.call("gramFold", [lanes, count, d]);
        return copyRows(arena.doubles(lanes, padded * padded), padded, d, d);
      },
      release: () => regions.release(),
    };
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}

/** The first `columns` of each of `rows` rows that are `width` apart, packed. */
export function copyRows(source: Float64Array, width: number, rows: number, columns: number): Float64Array {
  const target = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    target.set(source.subarray(i * width, i * width + columns), i * columns);
  }
  return target;
}

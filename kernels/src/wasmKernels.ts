import { setFlagsFromString } from "node:v8";
import {
  checkEigenproblem,
  eigenvalueOrder,
  orientEigenvectors,
  unscaleEigenvalues,
} from "@consilium/core/linalg/eigenConvention";
import { ConsiliumError } from "@consilium/core/errors";
import type { GramAccumulator, NumericKernels, SymmetricEigen } from "@consilium/core/linalg/kernels";
import { Arena } from "./arena.js";
import { BlockedGram, type GramRoom, laneCount, slotRows } from "./blockedGram.js";
import { maximumPages, moduleBase64 } from "./generated/module.js";
import { WorkerPool } from "./pool.js";
import { Memory, Module } from "./webassembly.js";

/** Largest d of a Gram matrix: its accumulator is then half of what the module can address. */
export const maximumColumns = 16384;

/** Rows that gramBlock packs at a time; its room for them is this many times the padded number of columns. */
const packRows = 256;

/** Up to this order QL with vectors takes well under a millisecond, and inverse iteration has nothing to win. */
const qlOrder = 64;
/** Above this share of all vectors, making clusters orthogonal costs more than accumulating rotations. */
const qlShare = 1 / 3;

/** The kernels in WebAssembly, on a pool of worker threads that share one memory. */
export class WasmKernels implements NumericKernels {
  readonly name = "wasm";
  readonly #arena: Arena;
  readonly #pool: WorkerPool;
  /** Frees the memory of accumulators that were dropped without finish(), as after an error between two blocks. */
  readonly #dropped = new FinalizationRegistry<GramRoom>((room) => room.release());

  constructor(workers: number) {
    // The baseline compiler's code would run until a first long call returns, at less than half the speed.
    setFlagsFromString("--no-liftoff");
    const module = new Module(Buffer.from(moduleBase64, "base64"));
    const memory = new Memory({ initial: 1, maximum: maximumPages, shared: true });
    this.#arena = new Arena(memory, maximumPages);
    this.#pool = new WorkerPool(module, memory, workers);
  }

  /** Bytes of the shared memory in use. */
  get takenBytes(): number {
    return this.#arena.takenBytes;
  }

  /**
   * As the interface says. The result's bits depend on the rows alone: not on how they were cut into blocks, nor on
   * the number of workers. For integers it is exact while every sum is below 2^53.
   * @throws RangeError if d is not an integer from 1 to 16384
   */
  gram(d: number): GramAccumulator {
    if (!Number.isInteger(d) || d < 1 || d > maximumColumns) {
      throw new RangeError(`number of columns ${d} is not an integer from 1 to ${maximumColumns}`);
    }
    const room = this.#gramRoom(d);
    const accumulator: BlockedGram = new BlockedGram(d, room, () => this.#dropped.unregister(room));
    this.#dropped.register(accumulator, room, room);
    return accumulator;
  }

  #gramRoom(d: number): GramRoom {
    const arena = this.#arena;
    const pool = this.#pool;
    const padded = (d + 3) & ~3;
    const laneBytes = 8 * padded * padded;
    const regions: number[] = [];
    const take = (bytes: number): number => {
      const start = arena.allocate(bytes);
      regions.push(start);
      return start;
    };
    try {
      const lanes = take(laneCount(d) * laneBytes);
      const packed = Array.from({ length: pool.size }, () => take(8 * packRows * padded));
      const slotStarts = Array.from({ length: pool.size + 2 }, () => take(8 * slotRows(d) * d));
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
        release: () => regions.splice(0).forEach((start) => arena.free(start)),
      };
    } catch (error) {
      for (const start of regions) arena.free(start);
      throw error;
    }
  }

  async symmetricEigen(a: Float64Array, d: number, k: number): Promise<SymmetricEigen> {
    const scale = checkEigenproblem(a, d, k);
    const room = new EigenRoom(this.#arena, d, k);
    try {
      room.load(a, scale);
      return await this.#decompose(room, scale);
    } finally {
      room.release();
    }
  }

  async #decompose(room: EigenRoom, scale: number): Promise<SymmetricEigen> {
    const { d, k, stride, matrix, diagonal, subdiagonal, tau, work, vectors } = room;
    const pool = this.#pool;
    await pool.call("mirrorUpper", [matrix, d, stride]);
    await pool.call("tridiagonalise", [matrix, d, stride, diagonal, subdiagonal, tau, work]);
    room.copyTridiagonal();
    requireConverged(await pool.call("qlValues", [d, room.values, room.couplings]), d);
    const unordered = room.unorderedValues();
    const order = eigenvalueOrder(unordered);
    const values = Float64Array.from(order, (position) => unordered[position]!);

    const iterate = d > qlOrder && k <= d * qlShare;
    if (iterate) this.#chooseValues(room, values);
    const iterated =
      iterate &&
      (await pool.call("inverseIteration", [d, diagonal, subdiagonal, k, room.values, vectors, stride, work]));
    if (!iterated) await this.#accumulate(room, order);
    await pool.call("applyReflectors", [matrix, d, stride, tau, vectors, k]);

    const rows = room.vectorRows();
    orientEigenvectors(rows, d);
    unscaleEigenvalues(values, scale);
    return { values, vectors: rows };
  }

  #chooseValues(room: EigenRoom, values: Float64Array): void {
    this.#arena.doubles(room.values, room.k).set(values.subarray(0, room.k));
  }

  /** The eigenvectors of T at the first k positions of `order`, by accumulating the rotations of QL. */
  async #accumulate(room: EigenRoom, order: Uint32Array): Promise<void> {
    const { d, k, stride, vectors } = room;
    const positions = this.#arena.allocate(4 * k);
    const rotations = this.#arena.allocate(8 * (64 * d + 48));
    const panels = this.#arena.allocate(64 * Math.ceil(d / 8) * d);
    try {
      this.#arena.integers(positions, k).set(order.subarray(0, k));
      room.copyTridiagonal();
      const args = [d, room.values, room.couplings, positions, k, vectors, stride, panels, rotations];
      requireConverged(await this.#pool.call("qlVectors", args), d);
    } finally {
      for (const start of [positions, rotations, panels]) this.#arena.free(start);
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

/** The memory of one eigenproblem. Offsets are in bytes; `stride` is that of a row of the matrix or of the vectors. */
class EigenRoom {
  readonly stride: number;
  readonly matrix: number;
  readonly diagonal: number;
  readonly subdiagonal: number;
  readonly tau: number;
  readonly values: number;
  readonly couplings: number;
  readonly work: number;
  readonly vectors: number;
  readonly #start: number;
  readonly #arena: Arena;

  constructor(
    arena: Arena,
    readonly d: number,
    readonly k: number,
  ) {
    this.#arena = arena;
    const even = d + (d & 1);
    this.stride = 8 * even;
    const lengths = [d * even, even, even, even, even, even, 5 * (d + 4), k * even];
    this.#start = arena.allocate(8 * lengths.reduce((sum, length) => sum + even8(length), 0));
    let next = this.#start;
    const [matrix, diagonal, subdiagonal, tau, values, couplings, work, vectors] = lengths.map((length) => {
      const start = next;
      next += 8 * even8(length);
      return start;
    }) as [number, number, number, number, number, number, number, number];
    this.matrix = matrix;
    this.diagonal = diagonal;
    this.subdiagonal = subdiagonal;
    this.tau = tau;
    this.values = values;
    this.couplings = couplings;
    this.work = work;
    this.vectors = vectors;
  }

  /** Copies the upper triangle of a [d × d] matrix, scaled. */
  load(a: Float64Array, scale: number): void {
    const width = this.stride / 8;
    const target = this.#arena.doubles(this.matrix, this.d * width);
    for (let i = 0; i < this.d; i++) {
      const from = i * this.d;
      const to = i * width;
      for (let j = i; j < this.d; j++) target[to + j] = a[from + j]! * scale;
    }
  }

  /** QL destroys what it works on; the tridiagonal matrix itself is needed again. */
  copyTridiagonal(): void {
    const { d } = this;
    this.#arena.doubles(this.values, d).set(this.#arena.doubles(this.diagonal, d));
    this.#arena.doubles(this.couplings, d).set(this.#arena.doubles(this.subdiagonal, d));
  }

  unorderedValues(): Float64Array {
    return Float64Array.from(this.#arena.doubles(this.values, this.d));
  }

  vectorRows(): Float64Array {
    const width = this.stride / 8;
    return copyRows(this.#arena.doubles(this.vectors, this.k * width), width, this.k, this.d);
  }

  release(): void {
    this.#arena.free(this.#start);
  }
}

/** Rounds a number of doubles up to whole cache lines. */
function even8(length: number): number {
  return (length + 7) & ~7;
}

/** The first `columns` of each of `rows` rows that are `width` apart, packed. */
function copyRows(source: Float64Array, width: number, rows: number, columns: number): Float64Array {
  const target = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    target.set(source.subarray(i * width, i * width + columns), i * columns);
  }
  return target;
}

function requireConverged(converged: number, d: number): void {
  if (converged === 0) {
    throw new ConsiliumError("INTERNAL", `the eigenvalues of a matrix of order ${d} did not converge`);
  }
}

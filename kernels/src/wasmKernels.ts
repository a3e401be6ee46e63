import { setFlagsFromString } from "node:v8";
import { ConsiliumError } from "@consilium/core/errors";
import type { CorrelationSearch, RowGroups } from "@consilium/core/linalg/correlations";
import {
  checkEigenproblem,
  eigenvalueOrder,
  orientEigenvectors,
  unscaleEigenvalues,
} from "@consilium/core/linalg/eigenConvention";
import type { HistogramAccumulator, HistogramShape } from "@consilium/core/linalg/histograms";
import type { GramAccumulator, NumericKernels, SymmetricEigen } from "@consilium/core/linalg/kernels";
import { plainCorrelations } from "@consilium/core/linalg/plainCorrelations";
import { Arena, Regions } from "./arena.js";
import { BlockedGram, type GramRoom, laneCount, slotRows } from "./blockedGram.js";
import { maximumPages, moduleBase64 } from "./generated/module.js";
import { WorkerPool } from "./pool.js";
import { slotCount } from "./slots.js";
import { CorrelationRoom, WasmCorrelations, workerRows } from "./wasmCorrelations.js";
import { HistogramRoom, WasmHistograms } from "./wasmHistograms.js";
import { Memory, Module } from "./webassembly.js";

/** Largest d of a Gram matrix: its accumulator is then half of what the module can address. */
export const maximumColumns = 16384;

/** Rows that gramBlock packs at a time; its room for them is this many times the padded number of columns. */
const packRows = 256;

/** Up to this order QL with vectors takes well under a millisecond, and inverse iteration has nothing to win. */
const qlOrder = 64;
/** Above this share of all vectors, making clusters orthogonal costs more than accumulating rotations. */
export const qlShare = 1 / 3;

/** The kernels in WebAssembly, on a pool of worker threads that share one memory. */
export class WasmKernels implements NumericKernels {
  readonly name = "wasm";
  readonly #arena: Arena;
  readonly #pool: WorkerPool;
  /** Frees the memory of accumulators that were dropped without finish(), as after an error between two blocks. */
  readonly #dropped = new FinalizationRegistry<{ release(): void }>((room) => room.release());

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

  histograms(shape: HistogramShape): HistogramAccumulator {
    const room = new HistogramRoom(shape, this.#arena, this.#pool);
    const accumulator = new WasmHistograms(room, () => this.#dropped.unregister(room));
    this.#dropped.register(accumulator, room, room);
    return accumulator;
  }

  correlations(groups: RowGroups): CorrelationSearch {
    if (groups.labels.length < workerRows) return plainCorrelations(groups);
    const room = new CorrelationRoom(groups, this.#arena, this.#pool);
    const search: WasmCorrelations = new WasmCorrelations(room, () => this.#dropped.unregister(room));
    this.#dropped.register(search, room, room);
    return search;
  }

  async symmetricEigen(a: Float64Array, d: number, k: number): Promise<SymmetricEigen> {
    const scale = checkEigenproblem(a, d, k);
    const regions = new Regions(this.#arena);
    try {
      const room = new TridiagonalRoom(this.#arena, regions, d, k);
      const reduction = new ReductionRoom(this.#arena, regions, d);
      const { diagonal, subdiagonal, stride, vectors } = room;
      const { matrix, tau, work } = reduction;
      reduction.load(a, scale);
      await this.#pool.call("mirrorUpper", [matrix, d, stride]);
      await this.#pool.call("tridiagonalise", [matrix, d, stride, diagonal, subdiagonal, tau, work]);
      const values = await this.#solveTridiagonal(room);
      await this.#pool.call("applyReflectors", [matrix, d, stride, tau, vectors, k]);
      const rows = room.vectorRows();
      orientEigenvectors(rows, d);
      unscaleEigenvalues(values, scale);
      return { values, vectors: rows };
    } finally {
      regions.release();
    }
  }

  /**
   * Eigen-decomposition of a symmetric tridiagonal matrix with entries of moderate size, for a caller that has reduced
   * its matrix by other means.
   * @param subdiagonal - [d]; element i couples i-1 and i, element 0 is not used
   * @returns as `symmetricEigen`, the signs of the vectors arbitrary
   */
  async tridiagonalEigen(
    diagonal: Float64Array,
    subdiagonal: Float64Array,
    k: number,
  ): Promise<SymmetricEigen> {
    const d = diagonal.length;
    const regions = new Regions(this.#arena);
    try {
      const room = new TridiagonalRoom(this.#arena, regions, d, k);
      this.#arena.doubles(room.diagonal, d).set(diagonal);
      this.#arena.doubles(room.subdiagonal, d).set(subdiagonal);
      this.#arena.doubles(room.subdiagonal, 1)[0] = 0;
      const values = await this.#solveTridiagonal(room);
      return { values, vectors: room.vectorRows() };
    } finally {
      regions.release();
    }
  }

  /** Fills the room's vectors and returns the eigenvalues in order. */
  async #solveTridiagonal(room: TridiagonalRoom): Promise<Float64Array> {
    const { d, k, stride, diagonal, subdiagonal, work, vectors } = room;
    room.copyTridiagonal();
    requireConverged(await this.#pool.call("qlValues", [d, room.values, room.couplings]), d);
    const unordered = Float64Array.from(this.#arena.doubles(room.values, d));
    const order = eigenvalueOrder(unordered);
    const values = Float64Array.from(order, (position) => unordered[position]!);
    if (d > qlOrder && k <= d * qlShare) {
      this.#arena.doubles(room.values, k).set(values.subarray(0, k));
      const args = [d, diagonal, subdiagonal, k, room.values, vectors, stride, work];
      if (await this.#pool.call("inverseIteration", args)) return values;
    }
    await this.#accumulateRotations(room, order);
    return values;
  }

  /** The eigenvectors of T at the first k positions of `order`. */
  async #accumulateRotations(room: TridiagonalRoom, order: Uint32Array): Promise<void> {
    const { d, k, stride, vectors } = room;
    const regions = new Regions(this.#arena);
    try {
      const positions = regions.take(4 * k);
      const rotations = regions.take(8 * (64 * d + 48));
      const panels = regions.take(64 * Math.ceil(d / 8) * d);
      this.#arena.integers(positions, k).set(order.subarray(0, k));
      room.copyTridiagonal();
      const args = [d, room.values, room.couplings, positions, k, vectors, stride, panels, rotations];
      requireConverged(await this.#pool.call("qlVectors", args), d);
    } finally {
      regions.release();
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

/** Bytes of a row of a matrix of order d: whole pairs of doubles. */
function rowBytes(d: number): number {
  return 8 * (d + (d & 1));
}

/** The memory of a tridiagonal matrix, its eigenvalues and k eigenvectors; offsets in bytes. */
class TridiagonalRoom {
  /** Bytes per row of the vectors. */
  readonly stride: number;
  readonly diagonal: number;
  readonly subdiagonal: number;
  readonly values: number;
  readonly couplings: number;
  readonly work: number;
  readonly vectors: number;
  readonly #arena: Arena;

  constructor(
    arena: Arena,
    regions: Regions,
    readonly d: number,
    readonly k: number,
  ) {
    this.#arena = arena;
    this.stride = rowBytes(d);
    this.diagonal = regions.take(8 * d);
    this.subdiagonal = regions.take(8 * d);
    this.values = regions.take(8 * d);
    this.couplings = regions.take(8 * d);
    this.work = regions.take(8 * 5 * d);
    this.vectors = regions.take(k * this.stride);
  }

  /** QL destroys what it works on; the tridiagonal matrix itself is needed again. */
  copyTridiagonal(): void {
    const { d } = this;
    this.#arena.doubles(this.values, d).set(this.#arena.doubles(this.diagonal, d));
    this.#arena.doubles(this.couplings, d).set(this.#arena.doubles(this.subdiagonal, d));
  }

  vectorRows(): Float64Array {
    const width = this.stride / 8;
    return copyRows(this.#arena.doubles(this.vectors, this.k * width), width, this.k, this.d);
  }
}

/** The memory of a full matrix while it is reduced, and of its reflectors afterwards. */
class ReductionRoom {
  readonly matrix: number;
  readonly tau: number;
  readonly work: number;
  readonly #d: number;
  readonly #arena: Arena;

  constructor(arena: Arena, regions: Regions, d: number) {
    this.#arena = arena;
    this.#d = d;
    this.matrix = regions.take(d * rowBytes(d));
    this.tau = regions.take(8 * d);
    this.work = regions.take(8 * 4 * (d + 4));
  }

  /** Copies the upper triangle of a [d × d] matrix, scaled. */
  load(a: Float64Array, scale: number): void {
    const d = this.#d;
    const width = rowBytes(d) / 8;
    const target = this.#arena.doubles(this.matrix, d * width);
    for (let i = 0; i < d; i++) {
      const from = i * d;
      const to = i * width;
      for (let j = i; j < d; j++) target[to + j] = a[from + j]! * scale;
    }
  }
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

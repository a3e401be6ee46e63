import { ConsiliumError } from "@consilium/core/errors";
import type { CorrelationSearch, RowGroups } from "@consilium/core/linalg/correlations";
import {
  checkEigenproblem,
  eigenvalueOrder,
  orientEigenvectors,
  unscaleEigenvalues,
} from "@consilium/core/linalg/eigenConvention";
import type { HistogramAccumulator, HistogramShape } from "@consilium/core/linalg/histograms";
import type { NumericKernels, SymmetricEigen } from "@consilium/core/linalg/kernels";
import { plainCorrelations } from "@consilium/core/linalg/plainCorrelations";
import { type Arena, Regions } from "./arena.js";
import { CorrelationRoom, WasmCorrelations, workerRows } from "./wasmCorrelations.js";
import { copyRows, WasmGram } from "./wasmGram.js";
import { HistogramRoom, WasmHistograms } from "./wasmHistograms.js";

/** Up to this order QL with vectors takes well under a millisecond, and inverse iteration has nothing to win. */
const qlOrder = 64;
/** Above this share of all vectors, making clusters orthogonal costs more than accumulating rotations. */
export const qlShare = 1 / 3;

/** All kernels in WebAssembly. */
export class WasmKernels extends WasmGram implements NumericKernels {
  histograms(shape: HistogramShape): HistogramAccumulator {
    const room = new HistogramRoom(shape, this.arena, this.pool);
    const accumulator = new WasmHistograms(room, () => this.dropped.unregister(room));
    this.dropped.register(accumulator, room, room);
    return accumulator;
  }

  correlations(groups: RowGroups): CorrelationSearch {
    if (groups.labels.length < workerRows) return plainCorrelations(groups);
    const room = new CorrelationRoom(groups, this.arena, this.pool);
    const search: WasmCorrelations = new WasmCorrelations(room, () => this.dropped.unregister(room));
    this.dropped.register(search, room, room);
    return search;
  }

  async symmetricEigen(a: Float64Array, d: number, k: number): Promise<SymmetricEigen> {
    const scale = checkEigenproblem(a, d, k);
    const regions = new Regions(this.arena);
    try {
      const room = new TridiagonalRoom(this.arena, regions, d, k);
      const reduction = new ReductionRoom(this.arena, regions, d);
      const { diagonal, subdiagonal, stride, vectors } = room;
      const { matrix, tau, work } = reduction;
      reduction.load(a, scale);
      await this.pool.call("mirrorUpper", [matrix, d, stride]);
      await this.pool.call("tridiagonalise", [matrix, d, stride, diagonal, subdiagonal, tau, work]);
      const values = await this.#solveTridiagonal(room);
      await this.pool.call("applyReflectors", [matrix, d, stride, tau, vectors, k]);
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
    const regions = new Regions(this.arena);
    try {
      const room = new TridiagonalRoom(this.arena, regions, d, k);
      this.arena.doubles(room.diagonal, d).set(diagonal);
      this.arena.doubles(room.subdiagonal, d).set(subdiagonal);
      this.arena.doubles(room.subdiagonal, 1)[0] = 0;
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
    requireConverged(await this.pool.call("qlValues", [d, room.values, room.couplings]), d);
    const unordered = Float64Array.from(this.arena.doubles(room.values, d));
    const order = eigenvalueOrder(unordered);
    const values = Float64Array.from(order, (position) => unordered[position]!);
    if (d > qlOrder && k <= d * qlShare) {
      this.arena.doubles(room.values, k).set(values.subarray(0, k));
      const args = [d, diagonal, subdiagonal, k, room.values, vectors, stride, work];
      if (await this.pool.call("inverseIteration", args)) return values;
    }
    await this.#accumulateRotations(room, order);
    return values;
  }

  /** The eigenvectors of T at the first k positions of `order`. */
  async #accumulateRotations(room: TridiagonalRoom, order: Uint32Array): Promise<void> {
    const { d, k, stride, vectors } = room;
    const regions = new Regions(this.arena);
    try {
      const positions = regions.take(4 * k);
      const rotations = regions.take(8 * (64 * d + 48));
      const panels = regions.take(64 * Math.ceil(d / 8) * d);
      this.arena.integers(positions, k).set(order.subarray(0, k));
      room.copyTridiagonal();
      const args = [d, room.values, room.couplings, positions, k, vectors, stride, panels, rotations];
      requireConverged(await this.pool.call("qlVectors", args), d);
    } finally {
      regions.release();
    }
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

function requireConverged(converged: number, d: number): void {
  if (converged === 0) {
    throw new ConsiliumError("INTERNAL", `the eigenvalues of a matrix of order ${d} did not converge`);
  }
}

import { readFileSync } from "node:fs";
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
import { BlockedGram, type GramRoom, slotRows } from "./blockedGram.js";
import { slotCount } from "./slots.js";
import { maximumColumns } from "./wasmGram.js";
import { qlShare, type WasmKernels } from "./wasmKernels.js";

/**
 * Where OpenBLAS with 32-bit integers and LAPACK usually is. The bare name asks the dynamic linker; Debian's variants
 * follow, the one with POSIX threads first.
 */
const usualPaths = [
  "libopenblas.so.0",
  "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0",
  "/usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0",
  "/usr/lib64/libopenblas.so.0",
  "/opt/homebrew/opt/openblas/lib/libopenblas.dylib",
  "/usr/local/opt/openblas/lib/libopenblas.dylib",
];

// CBLAS and LAPACK constants. A row-major upper triangle is a column-major lower one, which is what LAPACK gets.
const rowMajor = 101;
const transposed = 112;
const upperTriangle = 121;
const lower = Buffer.from("L");
const left = Buffer.from("L");
const notTransposed = Buffer.from("N");
const withVectors = Buffer.from("V");

type Argument = number | Uint8Array | Int32Array | Float64Array;
/** A foreign function, called on a thread of its own. Arrays are passed by address. */
type Foreign = (...args: Argument[]) => Promise<void>;

/** Arguments of the calls under way: their arrays must not be collected while the library works on them. */
const inUse = new Set<readonly Argument[]>();

interface OpenBlasLibrary {
  readonly path: string;
  readonly dsyrk: Foreign;
  readonly daxpy: Foreign;
  readonly dsytrd: Foreign;
  readonly dormtr: Foreign;
  readonly dsyevd: Foreign;
}

/**
 * Loads OpenBLAS if this machine has it: from `CONSILIUM_OPENBLAS` (a path) or one of the usual places.
 * @returns undefined if there is none, or koffi cannot load it, or it lacks a function
 */
export async function loadOpenBlas(): Promise<OpenBlasLibrary | undefined> {
  let koffi: typeof import("koffi");
  try {
    koffi = await import("koffi");
  } catch {
    return undefined;
  }
  const configured = process.env.CONSILIUM_OPENBLAS;
  for (const path of configured ? [configured] : usualPaths) {
    try {
      return bind(koffi, path);
    } catch {
      // not here: the next place may have it
    }
  }
  return undefined;
}

function bind(koffi: typeof import("koffi"), path: string): OpenBlasLibrary {
  const library = withLibraryEnvironment(() => koffi.load(path));
  const pointers = (count: number): string[] => Array.from({ length: count }, () => "void *");
  const foreign = (name: string, args: string[]): Foreign => {
    const call = library.func(name, "void", args);
    return (...values) =>
      new Promise((resolve, reject) => {
        inUse.add(values);
        call.async(...values, (error: unknown) => {
          inUse.delete(values);
          if (error) reject(error);
          else resolve();
        });
      });
  };
  library.func("openblas_set_num_threads", "void", ["int"])(1);
  const syrkArgs = [
    ...Array.from({ length: 5 }, () => "int"),
    "double",
    "void *",
    "int",
    "double",
    "void *",
    "int",
  ];
  // Fortran passes the lengths of its character arguments after the others.
  const lengths = (count: number): string[] => Array.from({ length: count }, () => "size_t");
  return {
    path,
    dsyrk: foreign("cblas_dsyrk", syrkArgs),
    daxpy: foreign("cblas_daxpy", ["int", "double", "void *", "int", "void *", "int"]),
    dsytrd: foreign("dsytrd_", [...pointers(10), ...lengths(1)]),
    dormtr: foreign("dormtr_", [...pointers(13), ...lengths(3)]),
    dsyevd: foreign("dsyevd_", [...pointers(11), ...lengths(2)]),
  };
}

/**
 * OpenBLAS reads its settings from the environment while it is loaded. One thread: parallelism is ours, and its own
 * threads spin when the machine is busy. It takes AMD's processors with AVX-512 for ones without, unless told.
 */
function withLibraryEnvironment<T>(load: () => T): T {
  const settings: Record<string, string> = { OPENBLAS_NUM_THREADS: "1" };
  if (process.env.OPENBLAS_CORETYPE === undefined && hasAvx512()) settings.OPENBLAS_CORETYPE = "SkylakeX";
  const before = Object.keys(settings).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, settings);
  try {
    return load();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** What kernels compiled for SkylakeX use; a processor with avx512f alone would stop at an illegal instruction. */
function hasAvx512(): boolean {
  let text: string;
  try {
    text = readFileSync("/proc/cpuinfo", "utf8");
  } catch {
    return false;
  }
  const flags = new Set(/^flags\s*:(.*)$/m.exec(text)?.[1]?.split(/\s+/));
  return ["avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"].every((flag) => flags.has(flag));
}

/** The kernels on OpenBLAS, and on WASM where that is as good: for what is left once a matrix is tridiagonal. */
export class OpenBlasKernels implements NumericKernels {
  readonly name = "openblas";
  readonly portable: WasmKernels;
  readonly #library: OpenBlasLibrary;
  readonly #workers: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #spare: Float64Array[] = [];

  /** @param wasm - owned from here on: closed with this */
  constructor(library: OpenBlasLibrary, wasm: WasmKernels, workers: number) {
    this.#library = library;
    this.portable = wasm;
    this.#workers = workers;
  }

  /**
   * As the interface says, and as in WASM: the result depends neither on how the rows were cut into blocks nor on the
   * number of workers, and is exact for integers. Other values may differ from WASM's in the last bits.
   * @throws RangeError if d is not an integer from 1 to 16384
   */
  gram(d: number): GramAccumulator {
    if (!Number.isInteger(d) || d < 1 || d > maximumColumns) {
      throw new RangeError(`number of columns ${d} is not an integer from 1 to ${maximumColumns}`);
    }
    return new BlockedGram(d, this.#gramRoom(d), () => {});
  }

  histograms(shape: HistogramShape): HistogramAccumulator {
    return this.portable.histograms(shape);
  }

  correlations(groups: RowGroups): CorrelationSearch {
    return this.portable.correlations(groups);
  }

  #gramRoom(d: number): GramRoom {
    const lanes: Float64Array[] = [];
    const slots = Array.from({ length: slotCount(this.#workers) }, () => this.#buffer(slotRows(d) * d));
    return {
      slots,
      multiply: async (slot, rows, lane, first) => {
        // lane 0 becomes the caller's, so it is never one that was used before
        if (first) lanes[lane] = lane === 0 ? new Float64Array(d * d) : this.#buffer(d * d);
        const beta = first ? 0 : 1;
        const args = [
          rowMajor,
          upperTriangle,
          transposed,
          d,
          rows,
          1,
          slots[slot]!,
          d,
          beta,
          lanes[lane]!,
          d,
        ];
        await this.#limited(() => this.#library.dsyrk(...args));
      },
      fold: async (count) => {
        const [sum, ...others] = lanes.slice(0, count) as [Float64Array, ...Float64Array[]];
        for (const other of others)
          await this.#limited(() => this.#library.daxpy(d * d, 1, other, 1, sum, 1));
        mirrorUpper(sum, d);
        return sum;
      },
      release: () => {
        this.#spare = [...slots, ...lanes.splice(0).slice(1)];
      },
    };
  }

  /** A buffer of the last accumulation that fits, its contents arbitrary, or a new one: fresh pages are slow to touch. */
  #buffer(length: number): Float64Array {
    const index = this.#spare.findIndex((buffer) => buffer.length === length);
    return index < 0 ? new Float64Array(length) : this.#spare.splice(index, 1)[0]!;
  }

  async symmetricEigen(a: Float64Array, d: number, k: number): Promise<SymmetricEigen> {
    const scale = checkEigenproblem(a, d, k);
    const matrix = new Float64Array(d * d);
    for (let i = 0; i < d; i++) for (let p = i * d + i; p < (i + 1) * d; p++) matrix[p] = a[p]! * scale;
    const solved =
      k > d * qlShare ? await this.#allVectors(matrix, d, k) : await this.#leadingVectors(matrix, d, k);
    orientEigenvectors(solved.vectors, d);
    unscaleEigenvalues(solved.values, scale);
    return solved;
  }

  /** Divide and conquer for all vectors; the first k are kept. */
  async #allVectors(matrix: Float64Array, d: number, k: number): Promise<SymmetricEigen> {
    const ascending = new Float64Array(d);
    const work = new Float64Array(1 + 6 * d + 2 * d * d);
    const integers = new Int32Array(3 + 5 * d);
    const info = new Int32Array(1);
    const n = Int32Array.of(d);
    await this.#limited(() =>
      this.#library.dsyevd(
        withVectors,
        lower,
        n,
        matrix,
        n,
        ascending,
        work,
        Int32Array.of(work.length),
        integers,
        Int32Array.of(integers.length),
        info,
        1,
        1,
      ),
    );
    requireSuccess("dsyevd", info);
    const order = eigenvalueOrder(ascending);
    const vectors = new Float64Array(k * d);
    for (let q = 0; q < k; q++) {
      const position = order[q]!;
      vectors.set(matrix.subarray(position * d, (position + 1) * d), q * d);
    }
    return { values: Float64Array.from(order, (position) => ascending[position]!), vectors };
  }

  /** LAPACK reduces to tridiagonal form and transforms back; the tridiagonal problem in between is ours. */
  async #leadingVectors(matrix: Float64Array, d: number, k: number): Promise<SymmetricEigen> {
    const diagonal = new Float64Array(d);
    const couplings = new Float64Array(d);
    const tau = new Float64Array(d);
    const work = new Float64Array(64 * Math.max(d, k));
    const workLength = Int32Array.of(work.length);
    const info = new Int32Array(1);
    const n = Int32Array.of(d);
    await this.#limited(() =>
      this.#library.dsytrd(lower, n, matrix, n, diagonal, couplings, tau, work, workLength, info, 1),
    );
    requireSuccess("dsytrd", info);
    const subdiagonal = new Float64Array(d);
    subdiagonal.set(couplings.subarray(0, d - 1), 1);
    const solved = await this.portable.tridiagonalEigen(diagonal, subdiagonal, k);
    const columns = Int32Array.of(k);
    await this.#limited(() =>
      this.#library.dormtr(
        left,
        lower,
        notTransposed,
        n,
        columns,
        matrix,
        n,
        tau,
        solved.vectors,
        n,
        work,
        workLength,
        info,
        1,
        1,
        1,
      ),
    );
    requireSuccess("dormtr", info);
    return solved;
  }

  async close(): Promise<void> {
    await this.portable.close();
  }

  /** Runs at most as many foreign calls at a time as there are to be workers. */
  async #limited(call: () => Promise<void>): Promise<void> {
    if (this.#running >= this.#workers) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      await call();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

function requireSuccess(name: string, info: Int32Array): void {
  if (info[0] !== 0) throw new ConsiliumError("INTERNAL", `LAPACK's ${name} returned ${info[0]}`);
}

/** Copies the upper triangle onto the lower, tile by tile. */
function mirrorUpper(a: Float64Array, d: number): void {
  const tile = 32;
  for (let ib = 0; ib < d; ib += tile) {
    for (let jb = ib; jb < d; jb += tile) {
      for (let i = ib; i < Math.min(ib + tile, d); i++) {
        for (let j = Math.max(jb, i + 1); j < Math.min(jb + tile, d); j++) a[j * d + i] = a[i * d + j]!;
      }
    }
  }
}

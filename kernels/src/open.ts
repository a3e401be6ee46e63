import { availableParallelism } from "node:os";
import type { CorrelationSearch, RowGroups } from "@consilium/core/linalg/correlations";
import type { HistogramAccumulator, HistogramShape } from "@consilium/core/linalg/histograms";
import type { GramAccumulator, NumericKernels, SymmetricEigen } from "@consilium/core/linalg/kernels";
import { threads } from "./pool.js";
import { WasmGram } from "./wasmGram.js";

const maximumWorkers = 8;

/** Threads to compute on; by default as many as the processor runs at once, at most 8. */
export interface WorkerCount {
  readonly workers?: number;
}

/**
 * Opens the numeric kernels in WebAssembly: no native library is loaded and no environment is read, so that a process
 * that sees records may use them. They run off the calling thread; an idle set does not keep the process alive.
 * @throws RangeError if `workers` is not a positive integer
 */
export async function openKernels(options: WorkerCount = {}): Promise<NumericKernels> {
  return new SiteKernels(workerCount(options));
}

/** Gram matrices, which proven methods need, at once; the rest is loaded when a published method first asks for it. */
class SiteKernels implements NumericKernels {
  readonly name = "wasm";
  readonly #workers: number;
  readonly #gram: WasmGram;
  #others: Promise<NumericKernels> | null = null;

  constructor(workers: number) {
    this.#workers = workers;
    this.#gram = new WasmGram(threads(workers));
  }

  gram(d: number): GramAccumulator {
    return this.#gram.gram(d);
  }

  async symmetricEigen(a: Float64Array, d: number, k: number): Promise<SymmetricEigen> {
    return (await this.#all()).symmetricEigen(a, d, k);
  }

  histograms(shape: HistogramShape): HistogramAccumulator {
    const made = this.#all().then((all) => all.histograms(shape));
    // The caller that adds or finishes gets the error.
    made.catch(() => undefined);
    return {
      add: async (block) => (await made).add(block),
      finish: async () => (await made).finish(),
    };
  }

  correlations(groups: RowGroups): CorrelationSearch {
    const made = this.#all().then((all) => all.correlations(groups));
    made.catch(() => undefined);
    return {
      column: async (fill) => (await made).column(fill),
      end: async () => (await made).end(),
    };
  }

  #all(): Promise<NumericKernels> {
    this.#others ??= import("./wasmKernels.js").then(
      ({ WasmKernels }) => new WasmKernels(threads(this.#workers)),
    );
    return this.#others;
  }

  async close(): Promise<void> {
    await this.#gram.close();
    await (await this.#others)?.close();
  }
}

/** @throws RangeError if `workers` is not a positive integer */
export function workerCount(options: WorkerCount): number {
  const workers = options.workers ?? Math.min(availableParallelism(), maximumWorkers);
  if (Number.isInteger(workers) && workers >= 1) return workers;
  throw new RangeError(`number of workers ${workers} is not a positive integer`);
}

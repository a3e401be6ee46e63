import { availableParallelism } from "node:os";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { WasmKernels } from "./wasmKernels.js";

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
  return new WasmKernels(workerCount(options));
}

/** @throws RangeError if `workers` is not a positive integer */
export function workerCount(options: WorkerCount): number {
  const workers = options.workers ?? Math.min(availableParallelism(), maximumWorkers);
  if (Number.isInteger(workers) && workers >= 1) return workers;
  throw new RangeError(`number of workers ${workers} is not a positive integer`);
}

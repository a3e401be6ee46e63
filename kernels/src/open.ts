import { availableParallelism } from "node:os";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { WasmKernels } from "./wasmKernels.js";
export async function openKernels(options: { workers?: number; prefer?: string } = {}): Promise<NumericKernels> {
  return new WasmKernels(options.workers ?? Math.min(availableParallelism(), 8));
}

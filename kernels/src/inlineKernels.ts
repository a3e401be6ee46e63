import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { inline } from "./inlineGram.js";
import { WasmKernels } from "./wasmKernels.js";

/** All kernels in WebAssembly without a thread: for a process of which there are as many as cores. */
export const openInlineKernels = (): NumericKernels => new WasmKernels(inline);

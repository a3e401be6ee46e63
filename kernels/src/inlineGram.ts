import type { GramAccumulator } from "@consilium/core/linalg/kernels";
import { type OpenPool, WasmGram } from "./wasmGram.js";
import { Instance } from "./webassembly.js";

/** Calls the kernels on the calling thread, one after another. */
export const inline: OpenPool = (module, memory) => {
  const { exports } = new Instance(module, { env: { memory } });
  return {
    size: 1,
    async call(name, args) {
      return exports[name]!(...(typeof args === "function" ? args(0) : args)) ?? 0;
    },
    close: async () => undefined,
  };
};

/** Gram matrices in WebAssembly without a thread: for a process of which there are as many as cores. */
export function openInlineGram(): { gram(d: number): GramAccumulator } {
  return new WasmGram(inline);
}

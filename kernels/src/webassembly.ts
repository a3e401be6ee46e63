/** The part of the WebAssembly API that the kernels use; Node's typings leave it to the browser's library. */
export interface WasmMemory {
  readonly buffer: SharedArrayBuffer;
  /** Returns the size before, in pages of 64 KiB. Throws RangeError when the system refuses. */
  grow(pages: number): number;
}

/** A compiled module: posted to workers, which instantiate it. */
export type WasmModule = object & { readonly __brand: "WasmModule" };

export interface WasmInstance {
  readonly exports: Readonly<Record<string, (...args: readonly number[]) => number | undefined>>;
}

interface WebAssemblyApi {
  readonly Memory: new (limits: { initial: number; maximum: number; shared: true }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (module: WasmModule, imports: { env: { memory: WasmMemory } }) => WasmInstance;
}

export const { Instance, Memory, Module } = (globalThis as unknown as { WebAssembly: WebAssemblyApi })
  .WebAssembly;

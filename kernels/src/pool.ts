import { Worker } from "node:worker_threads";
import { ConsiliumError } from "@consilium/core/errors";
import type { KernelPool, OpenPool } from "./wasmGram.js";
import type { WasmMemory, WasmModule } from "./webassembly.js";

/**
 * A worker calls the exports of the WASM module that it is asked to call, and nothing else. It is embedded as text so
 * that it is the same from sources, from a build and from a bundle, with no file to find.
 */
const workerText = `
const { parentPort, workerData } = require("node:worker_threads");
const instance = new WebAssembly.Instance(workerData.module, { env: { memory: workerData.memory } });
parentPort.on("message", ({ name, args }) => {
  let answer;
  try {
    answer = { value: instance.exports[name](...args) ?? 0 };
  } catch (error) {
    answer = { fault: String(error) };
  }
  parentPort.postMessage(answer);
});
`;

interface Call {
  readonly name: string;
  readonly argsFor: (worker: number) => readonly number[];
  readonly resolve: (value: number) => void;
  readonly reject: (error: Error) => void;
}

interface Seat {
  readonly worker: Worker;
  readonly index: number;
  current: Call | undefined;
}

type Answer = { readonly value: number } | { readonly fault: string };

/** Opens a pool of so many worker threads. */
export const threads =
  (workers: number): OpenPool =>
  (module, memory) =>
    new WorkerPool(module, memory, workers);

/** Worker threads that share one WASM memory and call the kernels on it. An idle pool lets the process end. */
export class WorkerPool implements KernelPool {
  readonly #seats: Seat[];
  readonly #queue: Call[] = [];
  #failure: ConsiliumError | undefined;

  constructor(module: WasmModule, memory: WasmMemory, workers: number) {
    this.#seats = Array.from({ length: workers }, (_, index) => this.#seat(module, memory, index));
  }

  get size(): number {
    return this.#seats.length;
  }

  /**
   * Calls an export on whichever worker is free first, in the order of the requests.
   * @param args - what to pass, or a function of the worker's index where it has room of its own
   */
  call(name: string, args: readonly number[] | ((worker: number) => readonly number[])): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#failure) {
        reject(this.#failure);
        return;
      }
      this.#queue.push({ name, argsFor: typeof args === "function" ? args : () => args, resolve, reject });
      this.#dispatch();
    });
  }

  /** Ends the workers; calls not answered yet are rejected. */
  async close(): Promise<void> {
    this.#fail(new ConsiliumError("INTERNAL", "the numeric kernels were closed"));
    await Promise.all(
      this.#seats.map((seat) => {
        // Idle workers keep no process alive, so without this a process with nothing else to do would end here;
        // and the first one's end must not let go of the others again.
        seat.worker.removeAllListeners("exit");
        seat.worker.ref();
        return seat.worker.terminate();
      }),
    );
  }

  #seat(module: WasmModule, memory: WasmMemory, index: number): Seat {
    const worker = new Worker(workerText, { eval: true, workerData: { module, memory }, execArgv: [] });
    const seat: Seat = { worker, index, current: undefined };
    worker.on("message", (answer: Answer) => this.#answered(seat, answer));
    worker.on("error", (cause) => {
      this.#fail(new ConsiliumError("INTERNAL", "a worker of the numeric kernels failed", { cause }));
    });
    worker.on("exit", () =>
      this.#fail(new ConsiliumError("INTERNAL", "a worker of the numeric kernels ended")),
    );
    // last: listening for messages makes the worker count again
    worker.unref();
    return seat;
  }

  #dispatch(): void {
    for (const seat of this.#seats) {
      if (seat.current !== undefined) continue;
      const next = this.#queue.shift();
      if (next === undefined) return;
      seat.current = next;
      seat.worker.ref();
      seat.worker.postMessage({ name: next.name, args: next.argsFor(seat.index) });
    }
  }

  #answered(seat: Seat, answer: Answer): void {
    const call = seat.current;
    seat.current = undefined;
    this.#dispatch();
    if (seat.current === undefined) seat.worker.unref();
    if (call === undefined) return;
    if ("value" in answer) call.resolve(answer.value);
    else {
      call.reject(
        new ConsiliumError("INTERNAL", `the numeric kernel ${call.name} failed`, { cause: answer.fault }),
      );
    }
  }

  /** The first failure ends the pool: what a dead worker was adding to can no longer be trusted. */
  #fail(failure: ConsiliumError): void {
    this.#failure ??= failure;
    const waiting = this.#queue.splice(0);
    for (const seat of this.#seats) {
      if (seat.current !== undefined) waiting.push(seat.current);
      seat.current = undefined;
      seat.worker.unref();
    }
    for (const call of waiting) call.reject(this.#failure);
  }
}

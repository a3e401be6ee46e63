import { setTimeout as delay } from "node:timers/promises";
import { Semaphore } from "@consilium/runtime/semaphore";

/**
 * Bounds how many transfers are under way at once, and with them the memory that they need: a thousand sites are asked, and
 * answer, in the same second. What takes longer than `patienceMs` waits for its peer; it continues, and gives its turn to
 * the next.
 */
export class Turns {
  readonly #semaphore: Semaphore;
  readonly #patienceMs: number;

  constructor(options: { readonly most: number; readonly patienceMs: number }) {
    this.#semaphore = new Semaphore(options.most);
    this.#patienceMs = options.patienceMs;
  }

  /** Runs `work` in its turn, in the order of the calls; at once where there is room. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      void this.#semaphore.run(async () => {
        const patience = new AbortController();
        const done = (async () => work())().finally(() => patience.abort());
        done.then(resolve, reject);
        await delay(this.#patienceMs, undefined, { signal: patience.signal, ref: false }).catch(
          () => undefined,
        );
      });
    });
  }
}

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
      void this.#semaphore.run(
        () =>
          new Promise<void>((yieldTurn) => {
            const patience = setTimeout(yieldTurn, this.#patienceMs).unref();
            const done = (async () => work())();
            done.then(resolve, reject).finally(() => {
              clearTimeout(patience);
              yieldTurn();
            });
          }),
      );
    });
  }
}

/** Lets so many pieces of work run at once; the others wait for their turn, first come, first served. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  /** @param count - at least 1 */
  constructor(count: number) {
    if (!Number.isInteger(count) || count < 1) throw new RangeError("at least one piece of work must run");
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    // Anyone who ends hands its permit on, so it never counts as free in between.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

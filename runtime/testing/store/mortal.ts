import type { Store } from "../../src/store/store.js";

/** A process's life, which may end at any write. What it does afterwards leaves no trace. */
export class Life {
  readonly #onEnd: () => void;
  #isOver = false;
  /** It ends at the write after so many more. */
  writesLeft = Number.POSITIVE_INFINITY;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd();
  }
}

class Undone extends Error {}

/**
 * A store as such a process has it: the write at which the life ends, and all after it, are taken back, as those of a process
 * that was killed never were. They do not throw: its code, which nothing can stop, runs on without effect.
 */
export function mortalStore(store: Store, life: Life): Store {
  let depth = 0;
  const write = <T>(work: () => T): T => {
    if (depth > 0) return work();
    if (life.writesLeft-- <= 0) life.end();
    depth++;
    try {
      return life.isOver ? undone(work) : work();
    } finally {
      depth--;
    }
  };
  const undone = <T>(work: () => T): T => {
    let value!: T;
    try {
      store.transaction(() => {
        value = work();
        throw new Undone();
      });
    } catch (thrown) {
      if (!(thrown instanceof Undone)) throw thrown;
    }
    return value;
  };
  return {
    run: (sql, ...params) => write(() => store.run(sql, ...params)),
    get: (sql, ...params) => store.get(sql, ...params),
    all: (sql, ...params) => store.all(sql, ...params),
    transaction: (work) => write(() => store.transaction(work)),
    close: () => undefined,
  };
}

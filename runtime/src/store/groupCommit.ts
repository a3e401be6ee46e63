import { clearTimeout, setTimeout } from "node:timers";
import type { Store } from "./store.js";

/** Notes how to take back what the work has changed in memory, should it not become durable after all. */
type OnUndo = (undo: () => void) => void;

/** Writes to the store, and changes in memory what depends on it. It must not wait. */
export type GroupedWork<T> = (onUndo: OnUndo) => T;

interface Job {
  readonly work: GroupedWork<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * Group commit: writes in one turn of the event loop share one commit and one disk flush, with those that were waiting for it.
 */
export class GroupCommit {
  readonly #store: Pick<Store, "transaction">;
  #jobs: Job[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Pick<Store, "transaction">) {
    this.#store = store;
  }

  /**
   * Runs `work` at the end of this turn of the event loop, in a transaction that others may share.
   * @param lingerMs - how much longer it may wait for others to share with
   * @returns what `work` returned, once that is durable. Where it throws, nothing of it is kept, and nobody else's work
   *   is lost for it: work may therefore run a second time, after it was taken back
   */
  run<T>(work: GroupedWork<T>, lingerMs = 0): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#jobs.push({ work, resolve: resolve as (value: unknown) => void, reject });
      if (lingerMs === 0) setImmediate(() => this.#flush());
      else this.#timer ??= setTimeout(() => this.#flush(), lingerMs).unref();
    });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const jobs = this.#jobs;
    this.#jobs = [];
    if (jobs.length > 1 && this.#together(jobs)) return;
    for (const job of jobs) {
      try {
        this.#commit([job]);
      } catch (thrown) {
        job.reject(thrown);
      }
    }
  }

  /** @returns false when one of them failed, and all of them were taken back */
  #together(jobs: readonly Job[]): boolean {
    try {
      this.#commit(jobs);
      return true;
    } catch {
      return false;
    }
  }

  #commit(jobs: readonly Job[]): void {
    const undos: (() => void)[] = [];
    let values: unknown[];
    try {
      values = this.#store.transaction(() => jobs.map(({ work }) => work((undo) => undos.push(undo))));
    } catch (thrown) {
      for (const undo of undos.reverse()) undo();
      throw thrown;
    }
    for (const [i, { resolve }] of jobs.entries()) resolve(values[i]);
  }
}

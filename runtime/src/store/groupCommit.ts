import { type After, afterMs } from "../after.js";
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
  readonly #after: After;
  #jobs: Job[] = [];
  #cancel: (() => void) | undefined;
  #isOpen = false;

  constructor(store: Pick<Store, "transaction">, after: After = afterMs) {
    this.#store = store;
    this.#after = after;
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
      else this.#cancel ??= this.#after(lingerMs, () => this.#flush());
    });
  }

  /**
   * Runs `work` in a transaction now, after what waits for others to share with. Where that fails it is tried again by
   * itself; within a transaction of the group's nothing joins, for nobody knows yet whether it lasts.
   */
  transaction<T>(work: () => T): T {
    if (this.#isOpen) return this.#store.transaction(work);
    const jobs = this.#takeJobs();
    const undos: (() => void)[] = [];
    let values: unknown[] | null = null;
    try {
      return this.#inTransaction(() => {
        values = this.#joined(jobs, undos);
        return work();
      });
    } catch (thrown) {
      takeBack(undos);
      values = null;
      throw thrown;
    } finally {
      if (values === null) {
        this.#jobs.unshift(...jobs);
        setImmediate(() => this.#flush());
      } else resolveAll(jobs, values);
    }
  }

  /** Has what waits for others durable now, as far as it does not fail. */
  settle(): void {
    if (this.#jobs.length > 0) this.transaction(() => undefined);
  }

  /** @returns null when one of them failed, and all of them were taken back */
  #joined(jobs: readonly Job[], undos: (() => void)[]): unknown[] | null {
    try {
      return jobs.length === 0 ? [] : this.#store.transaction(() => worked(jobs, undos));
    } catch {
      takeBack(undos);
      return null;
    }
  }

  #inTransaction<T>(work: () => T): T {
    this.#isOpen = true;
    try {
      return this.#store.transaction(work);
    } finally {
      this.#isOpen = false;
    }
  }

  #takeJobs(): Job[] {
    this.#cancel?.();
    this.#cancel = undefined;
    return this.#jobs.splice(0);
  }

  #flush(): void {
    const jobs = this.#takeJobs();
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
      values = this.#inTransaction(() => worked(jobs, undos));
    } catch (thrown) {
      takeBack(undos);
      throw thrown;
    }
    resolveAll(jobs, values);
  }
}

function worked(jobs: readonly Job[], undos: (() => void)[]): unknown[] {
  return jobs.map(({ work }) => work((undo) => undos.push(undo)));
}

function takeBack(undos: (() => void)[]): void {
  for (const undo of undos.splice(0).reverse()) undo();
}

function resolveAll(jobs: readonly Job[], values: readonly unknown[]): void {
  for (const [i, { resolve }] of jobs.entries()) resolve(values[i]);
}

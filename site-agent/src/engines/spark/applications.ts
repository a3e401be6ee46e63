import { Semaphore } from "@consilium/runtime/semaphore";
import { SparkApplication } from "./application.js";
import type { ResolvedCluster } from "./sparkConfig.js";

interface Running {
  /** Its cluster, as JSON. */
  readonly key: string;
  readonly idleMinutes: number;
  /** The study that it is for; null while it has only looked at tables. */
  study: string | null;
  readonly application: Promise<SparkApplication>;
  /** Once it has started. */
  current: SparkApplication | null;
  /** It does one thing after the other. */
  readonly turns: Semaphore;
  users: number;
  idle: NodeJS.Timeout | null;
}

/**
 * The Spark applications of this process: one for each study that runs on a cluster, from its first stage until the study is over or
 * no stage has come for a while. What is asked of a table before any study has begun gets an application too, which the next study
 * takes over.
 */
class SparkApplications {
  #running: Running[] = [];
  readonly #awaited = new WeakSet<AbortSignal>();

  /**
   * @param study - its hash; null for what is asked of a table alone
   * @throws ConsiliumError as `SparkApplication.start`
   */
  async *use<T>(
    cluster: ResolvedCluster,
    study: string | null,
    act: (application: SparkApplication) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const running = this.#find(cluster, study) ?? this.#start(cluster, study);
    running.study ??= study;
    running.users++;
    if (running.idle !== null) clearTimeout(running.idle);
    running.idle = null;
    const end = await turnOf(running.turns);
    try {
      running.current = await running.application;
      yield* act(running.current);
    } finally {
      end();
      running.users--;
      if (running.current?.isOver !== false) this.#forget(running);
      else if (running.users === 0) running.idle = this.#endLater(running);
    }
  }

  /** Ends a study's application, whatever it is doing, when the signal of the study's end comes. */
  endWith(signal: AbortSignal, study: string): void {
    signal.throwIfAborted();
    if (this.#awaited.has(signal)) return;
    this.#awaited.add(signal);
    const end = () => void this.#end(this.#running.filter((one) => one.study === study));
    signal.addEventListener("abort", end, { once: true });
  }

  async close(): Promise<void> {
    await this.#end(this.#running);
  }

  #find(cluster: ResolvedCluster, study: string | null): Running | undefined {
    const isRunning = ({ key, current }: Running) =>
      key === JSON.stringify(cluster) && current?.isOver !== true;
    const own = this.#running.filter(isRunning);
    return own.find((one) => one.study === study) ?? own.find((one) => study === null || one.study === null);
  }

  #start(cluster: ResolvedCluster, study: string | null): Running {
    const application = SparkApplication.start(cluster);
    // Anyone who uses it is told.
    application.catch(() => undefined);
    const own = { key: JSON.stringify(cluster), idleMinutes: cluster.idleMinutes };
    const running: Running = {
      ...own,
      study,
      application,
      current: null,
      turns: new Semaphore(1),
      users: 0,
      idle: null,
    };
    this.#running.push(running);
    return running;
  }

  #endLater(running: Running): NodeJS.Timeout {
    return setTimeout(() => void this.#end([running]), running.idleMinutes * 60_000).unref();
  }

  #forget(running: Running): void {
    this.#running = this.#running.filter((one) => one !== running);
    if (running.idle !== null) clearTimeout(running.idle);
  }

  async #end(all: readonly Running[]): Promise<void> {
    for (const running of all) this.#forget(running);
    await Promise.all(all.map(async ({ application }) => (await application.catch(() => null))?.end()));
  }
}

/** Waits for its turn. @returns what ends it */
function turnOf(turns: Semaphore): Promise<() => void> {
  return new Promise((begin) => {
    void turns.run(() => new Promise<void>((end) => begin(end)));
  });
}

export const applications = new SparkApplications();

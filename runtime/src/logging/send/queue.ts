import { setTimeout as sleep } from "node:timers/promises";
import type { EcsLine } from "../ecs.js";

/** Takes lines in order; throws while it cannot. What was thrown at may have been sent in part. */
export interface Receiver {
  /** For the log, such as `syslog siem.example.org:6514`. */
  readonly name: string;
  send(lines: readonly EcsLine[]): Promise<void>;
  close(): void;
}

/** What becomes of the sending, for the log itself. */
export interface QueueEvents {
  readonly failing: (fault: unknown) => void;
  readonly resumed: () => void;
  readonly dropped: (lines: number) => void;
}

const batchLines = 500;
/** A receiver that hangs is one that is down. */
const sendTimeoutMs = 15_000;
const retryMs = { first: 1_000, last: 60_000 };

/**
 * Lines on their way to one receiver, in memory. Adding one never waits and never throws: beyond the limit the newest are
 * dropped and counted, so that the beginning of an incident is kept.
 */
export class LineQueue {
  readonly #receiver: Receiver;
  readonly #most: number;
  readonly #events: QueueEvents;
  readonly #retry: { readonly first: number; readonly last: number };
  readonly #closing = new AbortController();
  #lines: EcsLine[] = [];
  #dropped = 0;
  #running: Promise<void> | null = null;
  #isFailing = false;

  constructor(
    receiver: Receiver,
    options: { readonly most: number; readonly events: QueueEvents; readonly retry?: typeof retryMs },
  ) {
    this.#receiver = receiver;
    this.#most = options.most;
    this.#events = options.events;
    this.#retry = options.retry ?? retryMs;
  }

  add(line: EcsLine): void {
    if (this.#lines.length >= this.#most) {
      this.#dropped++;
      return;
    }
    this.#lines.push(line);
    if (this.#closing.signal.aborted) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** Sends what waits, for at most so long. */
  async close(withinMs: number): Promise<void> {
    const running = this.#running;
    const timer = new AbortController();
    if (running !== null && !this.#isFailing)
      await Promise.race([
        running,
        sleep(withinMs, undefined, { signal: timer.signal }).catch(() => undefined),
      ]);
    timer.abort();
    this.#closing.abort();
    this.#receiver.close();
  }

  async #run(): Promise<void> {
    // Lines of the same turn go together.
    await Promise.resolve();
    let pauseMs = this.#retry.first;
    while (this.#lines.length > 0 && !this.#closing.signal.aborted) {
      const batch = this.#lines.slice(0, batchLines);
      try {
        await within(sendTimeoutMs, this.#receiver.send(batch));
      } catch (thrown) {
        if (this.#closing.signal.aborted) return;
        if (!this.#isFailing) {
          this.#isFailing = true;
          this.#events.failing(thrown);
        }
        await sleep(pauseMs, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined);
        pauseMs = Math.min(this.#retry.last, 2 * pauseMs);
        continue;
      }
      this.#lines = this.#lines.slice(batch.length);
      pauseMs = this.#retry.first;
      this.#report();
    }
  }

  #report(): void {
    if (this.#isFailing) {
      this.#isFailing = false;
      this.#events.resumed();
    }
    if (this.#dropped === 0) return;
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.#events.dropped(dropped);
  }
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { ref: false, signal: timer.signal }).then(() => {
    throw Object.assign(new Error("no answer"), { code: "ETIMEDOUT" });
  });
  late.catch(() => undefined);
  try {
    await Promise.race([work, late]);
  } finally {
    timer.abort();
    work.catch(() => undefined);
  }
}

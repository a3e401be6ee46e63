import { createCipheriv, createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { RandomSource } from "@consilium/core/random";
import type { After } from "@consilium/runtime/after";

/** Chance that depends on a seed alone. Each part of a simulation has its own: one that asks more changes no other's. */
export class SeededRandom implements RandomSource {
  readonly #cipher: ReturnType<typeof createCipheriv>;

  constructor(seed: string) {
    const key = createHash("sha256").update(seed).digest();
    this.#cipher = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
  }

  bytes(count: number): Uint8Array {
    return new Uint8Array(this.#cipher.update(Buffer.alloc(count)));
  }

  /** In [0, 1). */
  uniform(): number {
    return Buffer.from(this.bytes(4)).readUInt32LE() / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  between(least: number, most: number): number {
    return least + this.uniform() * (most - least);
  }

  below(count: number): number {
    return Math.floor(this.uniform() * count);
  }
}

interface Event {
  readonly at: number;
  readonly call: () => void;
}

/** Calls of Node that are under way, by the names under which it lists them. */
const underWay = /^(?:FSReq|FileHandle|CloseReq|Immediate|Worker)/;
/** So often a check may ask for another moment, of 2 ms and more. */
const checksMost = 5_000;
/** Turns of the event loop without any before nothing more follows from what happened. */
const calmTurns = 4;

/**
 * Time of its own: it stands while anything computes, writes or reads, and then jumps to what happens next. Files are real,
 * so what is under way is asked of Node.
 */
export class World {
  #now: number;
  /** By time, and of one time in the order in which they were made. */
  readonly #events: Event[] = [];

  constructor(now: number) {
    this.#now = now;
  }

  get now(): number {
    return this.#now;
  }

  after: After = (ms, call) => {
    // Clocks are read in whole milliseconds.
    const event = { at: this.#now + Math.max(0, Math.round(ms)), call };
    let at = this.#events.length;
    while (at > 0 && this.#events[at - 1]!.at > event.at) at--;
    this.#events.splice(at, 0, event);
    return () => {
      const place = this.#events.indexOf(event);
      if (place !== -1) this.#events.splice(place, 1);
    };
  };

  /**
   * Runs to a time, or until nothing is left to happen.
   * @param check - called whenever nothing is under way; false: something is that Node does not list, such as a module that
   *   is loaded. It is called again a moment later, and has the last word in the end
   */
  async run(until: number, check: (isLast: boolean) => boolean): Promise<void> {
    for (;;) {
      await settled();
      for (let tries = 1; !check(tries === checksMost); tries++) {
        await delay(2);
        await settled();
      }
      const next = this.#events[0];
      if (next === undefined || next.at > until) break;
      this.#events.shift();
      this.#now = next.at;
      next.call();
    }
    this.#now = Math.max(this.#now, until);
  }
}

async function settled(): Promise<void> {
  for (let calm = 0; calm < calmTurns; ) {
    await new Promise((resolve) => setImmediate(resolve));
    calm = process.getActiveResourcesInfo().some((name) => underWay.test(name)) ? 0 : calm + 1;
  }
}

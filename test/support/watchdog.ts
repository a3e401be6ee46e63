/** Nothing at all happens for so long on no machine, however busy, but where something hangs or waits for a deadline. */
export const stallMs = 180_000;

/** Looking costs the processes some work. */
const lookEveryMs = 2_000;

/**
 * A limit that counts progress, not seconds: on a busy machine everything takes long, but something happens all the while.
 */
export class Watchdog {
  readonly #pulse: () => Promise<string>;
  readonly #stallMs: number;
  #last: string | null = null;
  #changedAt = performance.now();
  #lookedAt = performance.now();

  /** @param pulse - a text that changes with whatever happens, and with nothing else */
  constructor(pulse: () => Promise<string>, limitMs = stallMs) {
    this.#pulse = pulse;
    this.#stallMs = limitMs;
  }

  /** Whether nothing has happened for the time that is allowed. */
  async hasStalled(): Promise<boolean> {
    const now = performance.now();
    if (now - this.#lookedAt < Math.min(lookEveryMs, this.#stallMs)) return false;
    this.#lookedAt = now;
    const pulse = await this.#pulse();
    if (pulse !== this.#last) this.#changedAt = performance.now();
    this.#last = pulse;
    return performance.now() - this.#changedAt >= this.#stallMs;
  }
}

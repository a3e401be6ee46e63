/** A site's frame limits: a burst, and a sustained rate per second. A busy site sends a few frames per second. */
export const frameLimits = { burst: 1_000, perSecond: 100 } as const;

/** Counts one site's frames over all its streams, so that a new stream does not reset the limit. */
export class FrameBudget {
  readonly #now: () => number;
  #left: number = frameLimits.burst;
  #at: number;

  /** @param now - milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#at = now();
  }

  /** Whether one more frame may be accepted now. */
  take(): boolean {
    const now = this.#now();
    // A clock set back neither refills nor drains the budget.
    const gained = (Math.max(0, now - this.#at) / 1000) * frameLimits.perSecond;
    this.#left = Math.min(frameLimits.burst, this.#left + gained);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

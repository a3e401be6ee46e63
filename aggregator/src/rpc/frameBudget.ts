/** How many frames a site may send: so many at once, and so many a second for ever. A busy site sends a few a second. */
export const frameLimits = { burst: 1_000, perSecond: 100 } as const;

/** Counts one site's frames over all its streams, so that a new stream is no new allowance. */
export class FrameBudget {
  readonly #now: () => number;
  #left: number = frameLimits.burst;
  #at: number;

  /** @param now - milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#at = now();
  }

  /** Whether one more frame may be taken now. */
  take(): boolean {
    const now = this.#now();
    // A clock that was set back gives nothing and takes nothing.
    const gained = (Math.max(0, now - this.#at) / 1000) * frameLimits.perSecond;
    this.#left = Math.min(frameLimits.burst, this.#left + gained);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

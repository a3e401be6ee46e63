import type { SiteId } from "@consilium/core/ids";

/** One line per key in this interval; further events are counted. */
const everyMs = 10 * 60_000;
/** More keys than sites and codes can produce; beyond it the oldest is dropped. */
const keysMax = 4_096;

/**
 * Writes repeated events into the audit log without letting anyone flood it: for each kind of event one line in ten
 * minutes, with the number of events since the previous line.
 */
export class EventSampler {
  readonly #write: (about: { readonly site?: SiteId; readonly detail: string }) => void;
  readonly #now: () => number;
  readonly #written = new Map<string, { at: number; skipped: number }>();

  constructor(
    write: (about: { readonly site?: SiteId; readonly detail: string }) => void,
    now: () => number,
  ) {
    this.#write = write;
    this.#now = now;
  }

  /** @param key - at most one line per key is written in ten minutes */
  note(key: string, about: { readonly site?: SiteId; readonly detail: string }): void {
    const now = this.#now();
    const before = this.#written.get(key);
    if (before !== undefined && now - before.at < everyMs) {
      before.skipped += 1;
      return;
    }
    this.#written.delete(key);
    if (this.#written.size >= keysMax) this.#written.delete(this.#written.keys().next().value!);
    this.#written.set(key, { at: now, skipped: 0 });
    const skipped = before?.skipped ?? 0;
    const detail = skipped === 0 ? about.detail : `${about.detail}; ${skipped} more since the previous line`;
    this.#write({ ...about, detail });
  }
}

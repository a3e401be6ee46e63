import type { Sha256, SiteId } from "@consilium/core/ids";
import type { EventSampler } from "./eventSampler.js";
import { short } from "./invitations.js";

export interface DisplacedKey {
  readonly fingerprint: Sha256;
  /** The address of the newest attempt. */
  readonly from: string;
  readonly attempts: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** An agent dials again within seconds: one that was not heard of for so long has stopped. */
const forgottenAfterMs = 24 * 3_600_000;

/**
 * Keys that another enrolment replaced and that still try to connect, one for each site: either a hospital's old machine,
 * or the hospital itself, displaced by somebody else. In memory: whoever still tries is noticed again after a restart.
 */
export class DisplacedKeys {
  readonly #attempts = new Map<SiteId, DisplacedKey>();
  readonly #events: EventSampler;
  readonly #now: () => number;

  constructor(events: EventSampler, now: () => number) {
    this.#events = events;
    this.#now = now;
  }

  note(site: SiteId, fingerprint: Sha256, from: string): void {
    const now = this.#now();
    const before = this.#attempts.get(site);
    const isSame = before?.fingerprint === fingerprint;
    this.#attempts.set(site, {
      fingerprint,
      from,
      attempts: isSame ? before.attempts + 1 : 1,
      firstAt: isSame ? before.firstAt : now,
      lastAt: now,
    });
    this.#events.note(`${site} ${fingerprint}`, { site, detail: `key ${short(fingerprint)}, from ${from}` });
  }

  /** @param enrolled - the key that is in force now */
  of(site: SiteId, enrolled: Sha256 | null): DisplacedKey | null {
    const found = this.#attempts.get(site);
    if (found === undefined || found.fingerprint === enrolled) return null;
    return this.#now() - found.lastAt < forgottenAfterMs ? found : null;
  }
}

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

/** Agents reconnect within seconds: one that is silent for this long has stopped. */
const forgottenAfterMs = 24 * 3_600_000;

/**
 * Replaced keys that still try to connect, one per site: either a hospital's old machine, or the hospital itself,
 * displaced by an attacker. In memory: attempts after a restart are noticed again.
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

  /** @param enrolled - the current key */
  of(site: SiteId, enrolled: Sha256 | null): DisplacedKey | null {
    const found = this.#attempts.get(site);
    if (found === undefined || found.fingerprint === enrolled) return null;
    return this.#now() - found.lastAt < forgottenAfterMs ? found : null;
  }
}

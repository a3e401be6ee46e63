import { EventEmitter } from "node:events";
import type { ConsiliumError } from "@consilium/core/errors";
import type { SiteId } from "@consilium/core/ids";
import type { SitePresence } from "@consilium/core/operator/views";
import type { AggregatorFrame } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import { type Instances, withInstance } from "./instances.js";
import { Turns } from "./turns.js";

/** Sites send a heartbeat this often. */
export const heartbeatMs = 5_000;
/** Without a heartbeat for this long a site is shown as slow: connected, but late. */
export const slowAfterMs = 12_500;
/** Without a heartbeat for this long the connection is closed, so that a dead site shows within 45 seconds. */
export const offlineAfterMs = 30_000;

/** A site that is refused dials again within minutes; one that has not for so long is gone. */
const refusedForMs = 600_000;

/** Two agents of one site take turns within seconds; where they have not for so long, one of them was stopped. */
const alternatedForMs = 3_600_000;

/** Why and when a connecting site was refused. */
export interface TurnedAway {
  readonly error: ConsiliumError;
  readonly at: number;
}

export function turnedAwayView(away: TurnedAway | null) {
  if (away === null) return null;
  const { code, message } = away.error;
  return { code, message, at: new Date(away.at).toISOString() };
}

/** One site's open control stream. */
export interface SiteSession {
  readonly site: SiteId;
  /** DER of the connection's leaf and issuing certificates. */
  readonly chain: readonly Uint8Array[];
  readonly signingKey: Uint8Array;
  /** Instance of the agent's process, hexadecimal. */
  readonly instance: string;
  send(frame: AggregatorFrame): void;
  /** Once the site has taken what was sent, or the stream has ended; left out: at once. */
  flushed?(): Promise<void>;
  /** @param reason - sent to the site; without one the stream simply ends */
  close(reason?: ConsiliumError): void;
}

/**
 * Tasks are built and written for so many sites at once: the first one of a study has its roster, some megabytes with a
 * thousand sites, and all of them at once fill the memory, most of all where every site is slow. A connection that takes
 * nothing for so long is closed.
 */
const tellAtOnce = { most: 12, patienceMs: offlineAfterMs };

interface Attendance {
  readonly session: SiteSession;
  lastHeardAt: number;
}

/** The connected sites. Emits `connected`, `disconnected` and `changed`, each with the site's id. */
export class Presence extends EventEmitter<{
  connected: [SiteSession];
  disconnected: [SiteId];
  changed: [SiteId];
}> {
  readonly #attending = new Map<SiteId, Attendance>();
  readonly #slow = new Set<SiteId>();
  readonly #turnedAway = new Map<SiteId, TurnedAway>();
  readonly #instances = new Map<SiteId, Instances>();
  readonly #now: () => number;
  readonly #telling = new Turns(tellAtOnce);
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => number) {
    super();
    this.#now = now;
    this.setMaxListeners(0);
  }

  start(): void {
    this.#timer = setInterval(() => this.#sweep(), 1_000);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const { session } of this.#attending.values()) session.close();
  }

  /** A second stream of the same site replaces and closes the first: the site has restarted. */
  connect(session: SiteSession): void {
    const before = this.#attending.get(session.site);
    this.#attending.set(session.site, { session, lastHeardAt: this.#now() });
    this.#slow.delete(session.site);
    this.#turnedAway.delete(session.site);
    const instances = this.#instances.get(session.site);
    this.#instances.set(session.site, withInstance(instances, session.instance, this.#now()));
    before?.session.close();
    this.emit("connected", session);
    this.emit("changed", session.site);
  }

  disconnect(session: SiteSession): void {
    if (this.#attending.get(session.site)?.session !== session) return;
    this.#attending.delete(session.site);
    this.#slow.delete(session.site);
    this.emit("disconnected", session.site);
    this.emit("changed", session.site);
  }

  /** Records that a connecting site was refused, for example for an unsupported version. */
  turnAway(site: SiteId, error: ConsiliumError): void {
    this.#turnedAway.set(site, { error, at: this.#now() });
    this.emit("changed", site);
  }

  /** Why a site was refused at its last connection; null if it has connected since. */
  turnedAway(site: SiteId): TurnedAway | null {
    return this.#turnedAway.get(site) ?? null;
  }

  /** When two agents of a site last took turns, in milliseconds since 1970; null: not in the last hour. */
  alternatedAt(site: SiteId): number | null {
    const at = this.#instances.get(site)?.alternatedAt ?? null;
    return at !== null && this.#now() - at < alternatedForMs ? at : null;
  }

  heard(site: SiteId): void {
    const attendance = this.#attending.get(site);
    if (attendance === undefined) return;
    attendance.lastHeardAt = this.#now();
    if (this.#slow.delete(site)) this.emit("changed", site);
  }

  session(site: SiteId): SiteSession | null {
    return this.#attending.get(site)?.session ?? null;
  }

  sessions(): SiteSession[] {
    return [...this.#attending.values()].map((attendance) => attendance.session);
  }

  /**
   * Sends a frame that may be large, in its turn.
   * @param make - builds it when its turn comes; null: there is nothing left to send
   * @throws what `make` throws
   */
  async tell(session: SiteSession, make: () => AggregatorFrame | null): Promise<void> {
    await this.#telling.run(async () => {
      const frame = this.session(session.site) === session ? make() : null;
      if (frame === null) return;
      session.send(frame);
      await session.flushed?.();
    });
  }

  /** Of a site that has enrolled. */
  presenceOf(site: SiteId): Extract<SitePresence, "online" | "slow" | "refused" | "gone"> {
    const away = this.#turnedAway.get(site);
    // Also where an earlier stream stands yet: what the site told on that one does not hold any more.
    if (away !== undefined && this.#now() - away.at < refusedForMs) return "refused";
    if (!this.#attending.has(site)) return "gone";
    return this.#slow.has(site) ? "slow" : "online";
  }

  #sweep(): void {
    const now = this.#now();
    for (const [site, { session, lastHeardAt }] of this.#attending) {
      const silence = now - lastHeardAt;
      if (silence > offlineAfterMs) {
        session.close();
        this.disconnect(session);
      } else if (silence > slowAfterMs && !this.#slow.has(site)) {
        this.#slow.add(site);
        this.emit("changed", site);
      }
    }
  }
}

import type { ConsiliumError } from "@consilium/core/errors";
import type { SiteId } from "@consilium/core/ids";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { heartbeatMs, offlineAfterMs, Presence, type SiteSession, slowAfterMs } from "./presence.js";

const site = "hospital-a" as SiteId;

interface Watched extends SiteSession {
  readonly closed: (ConsiliumError | undefined)[];
}

/** A session that, as the real one, leaves when it is closed. */
function session(presence: Presence, of: SiteId = site, instance = "a"): Watched {
  const closed: (ConsiliumError | undefined)[] = [];
  const made: Watched = {
    site: of,
    chain: [],
    signingKey: new Uint8Array(32),
    instance,
    send: () => undefined,
    close(reason) {
      closed.push(reason);
      presence.disconnect(made);
    },
    closed,
  };
  return made;
}

let presence: Presence;
let events: string[];
beforeEach(() => {
  vi.useFakeTimers();
  presence = new Presence(Date.now);
  presence.start();
  events = [];
  presence.on("connected", ({ site: id }) => events.push(`connected ${id}`));
  presence.on("disconnected", (id) => events.push(`disconnected ${id}`));
  presence.on("changed", (id) => events.push(`changed ${id} ${presence.presenceOf(id)}`));
});
afterEach(() => {
  presence.stop();
  vi.useRealTimers();
});

it("shows a silent site as slow, then as gone, within 45 seconds", () => {
  const attending = session(presence);
  presence.connect(attending);
  expect(presence.presenceOf(site)).toBe("online");
  vi.advanceTimersByTime(slowAfterMs);
  expect(presence.presenceOf(site)).toBe("online");
  vi.advanceTimersByTime(1_100);
  expect(presence.presenceOf(site)).toBe("slow");
  expect(attending.closed).toEqual([]);
  vi.advanceTimersByTime(offlineAfterMs + 1_000 - slowAfterMs);
  expect(presence.presenceOf(site)).toBe("gone");
  expect(attending.closed).toHaveLength(1);
  expect(offlineAfterMs + 1_000).toBeLessThan(45_000);
  expect(events).toEqual([
    `connected ${site}`,
    `changed ${site} online`,
    `changed ${site} slow`,
    `disconnected ${site}`,
    `changed ${site} gone`,
  ]);
});

it("keeps a site online whose heartbeats come, and takes a slow one back", () => {
  presence.connect(session(presence));
  for (let i = 0; i < 20; i++) {
    vi.advanceTimersByTime(heartbeatMs);
    presence.heard(site);
  }
  expect(events).toEqual([`connected ${site}`, `changed ${site} online`]);
  vi.advanceTimersByTime(slowAfterMs + 2_000);
  expect(presence.presenceOf(site)).toBe("slow");
  presence.heard(site);
  expect(presence.presenceOf(site)).toBe("online");
  expect(events.slice(-2)).toEqual([`changed ${site} slow`, `changed ${site} online`]);
});

it("lets a second stream take the first one's place, without a moment of absence", () => {
  const first = session(presence);
  const second = session(presence);
  presence.connect(first);
  presence.connect(second);
  expect(first.closed).toHaveLength(1);
  expect(presence.session(site)).toBe(second);
  expect(events).not.toContain(`disconnected ${site}`);
  // The first one's late end is not the second one's.
  presence.disconnect(first);
  expect(presence.presenceOf(site)).toBe("online");
  presence.disconnect(second);
  expect(presence.presenceOf(site)).toBe("gone");
});

it("knows each site by itself, and closes all when it stops", () => {
  const one = session(presence);
  const other = session(presence, "hospital-b" as SiteId);
  presence.connect(one);
  presence.connect(other);
  vi.advanceTimersByTime(slowAfterMs);
  presence.heard(one.site);
  vi.advanceTimersByTime(2_000);
  expect(presence.presenceOf(one.site)).toBe("online");
  expect(presence.presenceOf(other.site)).toBe("slow");
  expect(presence.sessions()).toEqual([one, other]);
  presence.stop();
  expect([one.closed, other.closed].map(({ length }) => length)).toEqual([1, 1]);
});

it("is not disturbed by who is not there", () => {
  presence.heard("nobody" as SiteId);
  presence.disconnect(session(presence, "nobody" as SiteId));
  expect(presence.presenceOf("nobody" as SiteId)).toBe("gone");
  expect(presence.session("nobody" as SiteId)).toBeNull();
  expect(events).toEqual([]);
});

it("remembers for an hour that two agents of a site took turns", () => {
  for (const instance of ["a", "b"]) presence.connect(session(presence, site, instance));
  expect(presence.alternatedAt(site)).toBeNull();
  presence.connect(session(presence, site, "a"));
  expect(presence.alternatedAt(site)).toBe(Date.now());
  expect(presence.alternatedAt("hospital-b" as SiteId)).toBeNull();
  vi.advanceTimersByTime(3_599_000);
  expect(presence.alternatedAt(site)).not.toBeNull();
  vi.advanceTimersByTime(1_000);
  expect(presence.alternatedAt(site)).toBeNull();
});

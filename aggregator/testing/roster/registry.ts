import type { Sha256, SiteId } from "@consilium/core/ids";
import { openTestStore } from "@consilium/runtime/testing/store/store";
import { Invitations } from "../../src/roster/invitations.js";
import { SiteRegistry } from "../../src/roster/registry.js";
import { migrations } from "../../src/store/schema.js";

/** An empty registry with its invitations, for tests: which events they write, and which keys count as expelled. */
export function testRegistry() {
  const store = openTestStore(migrations);
  const registry = new SiteRegistry(store);
  const events: { kind: string; site: SiteId; detail: string; actor?: string | null }[] = [];
  const expelled = new Set<Sha256>();
  const invitations = new Invitations({
    store,
    registry,
    isExpelled: (fingerprint) => expelled.has(fingerprint),
    record: (_, kind, about) => void events.push({ kind, ...about }),
  });
  const invite = (
    site: SiteId,
    secretHash: Sha256,
    expiresAt: number,
    existing: "refuse" | "replace" | "same-key" = "refuse",
    now = 0,
  ) => invitations.invite({ site, secretHash, expiresAt, existing }, "anna", now);
  return { store, registry, invitations, events, expelled, invite };
}

/** A key with some certificate. */
export function testIdentity(fingerprint: Sha256) {
  return {
    signingKey: new Uint8Array(32).fill(1),
    fingerprint,
    chain: "[]",
    expiresAt: 9_000,
    software: "0.1.0",
  };
}

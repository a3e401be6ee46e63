/**
 * Enrols simulated sites in the store of an aggregator that stands still, with certificates of its issuing key. What is
 * measured begins with their connections: a thousand enrolments by way of the network are three thousand durable writes.
 */
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { type NewIdentity, SiteRegistry } from "@consilium/aggregator/roster/registry";
import { migrations } from "@consilium/aggregator/store/schema";
import type { SiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { issueLeaf } from "@consilium/runtime/identity/authority";
import { loadIssuer } from "@consilium/runtime/identity/authorityFiles";
import { signingKeyFingerprint } from "@consilium/runtime/identity/names";
import { ed25519Raw, pemChainToDer, privateKeyToPem } from "@consilium/runtime/identity/x509";
import { openStore } from "@consilium/runtime/store/store";
import { writeTestIdentity } from "@consilium/runtime/testing/identity/federation";

const lifetimeMs = 7 * 86_400_000;

/** @param folderOf - where a site's keys and certificates are written */
export async function enrolInStore(
  aggregatorState: string,
  sites: readonly SiteId[],
  folderOf: (site: SiteId) => string,
): Promise<void> {
  const issuer = unwrap(await loadIssuer(join(aggregatorState, "issuing")));
  const now = Date.now();
  const enrolled: (readonly [SiteId, NewIdentity])[] = [];
  for (const id of sites) {
    const tlsKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    const signing = generateKeyPairSync("ed25519").privateKey;
    const signingKey = ed25519Raw(signing);
    const tlsPublicKey = createPublicKey(tlsKey);
    const asked = { federation: issuer.federation, role: "site", id, tlsPublicKey, signingKey } as const;
    const chainPem = await issueLeaf(issuer, { ...asked, lifetimeMs, now });
    const leaf = { tlsKey, tlsKeyPem: privateKeyToPem(tlsKey), signingKey: signing, chainPem };
    await writeTestIdentity(folderOf(id), leaf, issuer.rootPem);
    const chain = pemChainToDer(chainPem).slice(0, 2);
    const identity = {
      signingKey,
      fingerprint: signingKeyFingerprint(signingKey),
      chain: JSON.stringify(chain.map((der) => Buffer.from(der).toString("base64"))),
      expiresAt: now + lifetimeMs,
      software: "bench",
    };
    enrolled.push([id, identity]);
  }
  const store = openStore(join(aggregatorState, "state.db"), migrations);
  try {
    const registry = new SiteRegistry(store);
    store.transaction(() => {
      for (const [site, identity] of enrolled) {
        store.run("INSERT INTO sites (id) VALUES (?)", site);
        registry.enrolled(site, identity, now);
      }
    });
  } finally {
    store.close();
  }
}

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { ConsiliumError } from "@consilium/core/errors";
import { parseSiteId, type Sha256 } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { secretHash } from "@consilium/runtime/identity/invitation";
import { createRequest } from "@consilium/runtime/identity/request";
import { type TestFederation, testFederation } from "@consilium/runtime/identity/testFederation";
import { verifyPeer } from "@consilium/runtime/identity/verify";
import { ed25519Raw } from "@consilium/runtime/identity/x509";
import { openTestStore } from "@consilium/runtime/store/testStore";
import { beforeEach, expect, it } from "vitest";
import { migrations } from "../store/schema.js";
import { Enrolment } from "./enrolment.js";
import { SiteRegistry } from "./registry.js";
import type { SitePeer } from "./sitePeer.js";

const site = unwrap(parseSiteId("hospital-a"));
const secret = new Uint8Array(32).fill(7);

let federation: TestFederation;
let registry: SiteRegistry;
let enrolment: Enrolment;
let expelled: Set<Sha256>;
let signingKey: KeyObject;
const now = Date.now();

beforeEach(async () => {
  federation = await testFederation("harbour", now);
  registry = new SiteRegistry(openTestStore(migrations));
  registry.invite(site, secretHash(secret), now + 60_000);
  expelled = new Set();
  enrolment = new Enrolment({
    issuer: federation.issuer,
    registry,
    isExpelled: (fingerprint) => expelled.has(fingerprint),
    now: () => now,
    lifetimeMs: 3_600_000,
  });
  signingKey = generateKeyPairSync("ed25519").privateKey;
});

const request = (id = site, key = signingKey) =>
  createRequest({
    id,
    tlsKey: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
    signingKey: key,
  });

async function codeFrom(enrolling: Promise<unknown>): Promise<string> {
  try {
    await enrolling;
    return "accepted";
  } catch (error) {
    return error instanceof ConsiliumError ? error.code : `foreign error ${String(error)}`;
  }
}

it("gives a certificate that every peer accepts, for the invited site and its own key", async () => {
  const { site: enrolled, chain } = await enrolment.enrol(secret, await request(), "0.1.0");
  expect(enrolled).toBe(site);
  const rootPem = federation.root.certificatePem;
  const identity = unwrap(verifyPeer(chain, { rootPem, now, role: "site", purpose: "client" }));
  expect(identity).toMatchObject({
    id: site,
    federation: "harbour",
    notAfter: Math.floor((now + 3_600_000) / 1000) * 1000,
  });
  expect(Buffer.from(identity.signingKey).equals(ed25519Raw(signingKey))).toBe(true);
  expect(registry.site(site)).toMatchObject({ fingerprint: identity.fingerprint, enrolledAt: now });
});

it("answers again when the answer was lost, but no other key", async () => {
  await enrolment.enrol(secret, await request(), "0.1.0");
  expect(await codeFrom(enrolment.enrol(secret, await request(), "0.1.0"))).toBe("accepted");
  const other = generateKeyPairSync("ed25519").privateKey;
  expect(await codeFrom(enrolment.enrol(secret, await request(site, other), "0.1.0"))).toBe("TOKEN_USED");
});

it("does not spend the token on a request for another site", async () => {
  const foreign = await request(unwrap(parseSiteId("hospital-b")));
  expect(await codeFrom(enrolment.enrol(secret, foreign, "0.1.0"))).toBe("FIELD_INVALID");
  expect(await codeFrom(enrolment.enrol(secret, await request(), "0.1.0"))).toBe("accepted");
});

it("certifies no key that was expelled, whatever the token", async () => {
  const made = await request();
  await enrolment.enrol(secret, made, "0.1.0");
  expelled.add(registry.site(site)!.fingerprint!);
  expect(await codeFrom(enrolment.enrol(secret, await request(), "0.1.0"))).toBe("SITE_EXPELLED");
  const fresh = new Uint8Array(32).fill(8);
  registry.invite(site, secretHash(fresh), now + 60_000);
  expect(await codeFrom(enrolment.enrol(fresh, await request(), "0.1.0"))).toBe("SITE_EXPELLED");
  // The hospital may come back under a new key.
  const other = generateKeyPairSync("ed25519").privateKey;
  expect(await codeFrom(enrolment.enrol(fresh, await request(site, other), "0.1.0"))).toBe("accepted");
});

it("renews under the same signing key only", async () => {
  const peer = { site, signingKey: ed25519Raw(signingKey) } as unknown as SitePeer;
  expect(await codeFrom(enrolment.renew(peer, await request(), "0.1.0"))).toBe("accepted");
  const other = generateKeyPairSync("ed25519").privateKey;
  expect(await codeFrom(enrolment.renew(peer, await request(site, other), "0.1.0"))).toBe("NOT_PERMITTED");
});

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { ConsiliumError } from "@consilium/core/errors";
import { parseSiteId, type Sha256 } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { secretHash } from "@consilium/runtime/identity/invitation";
import { createRequest } from "@consilium/runtime/identity/request";
import { verifyPeer } from "@consilium/runtime/identity/verify";
import { ed25519Raw } from "@consilium/runtime/identity/x509";
import { type TestFederation, testFederation } from "@consilium/runtime/testing/identity/federation";
import { beforeEach, expect, it } from "vitest";
import { testRegistry } from "../../testing/roster/registry.js";
import { Enrolment } from "./enrolment.js";
import { EventSampler } from "./eventSampler.js";
import type { SiteRegistry } from "./registry.js";
import type { SitePeer } from "./sitePeer.js";

const site = unwrap(parseSiteId("hospital-a"));
const secret = new Uint8Array(32).fill(7);

let federation: TestFederation;
let made: ReturnType<typeof testRegistry>;
let registry: SiteRegistry;
let refused: string[];
let replaced: string[];
let enrolment: Enrolment;
let expelled: Set<Sha256>;
let signingKey: KeyObject;
const now = Date.now();
const by = { software: "0.1.0", from: "10.0.0.9" };

beforeEach(async () => {
  federation = await testFederation("harbour", now);
  made = testRegistry();
  ({ registry, expelled } = made);
  made.invite(site, secretHash(secret), now + 60_000, "refuse", now);
  refused = [];
  replaced = [];
  enrolment = new Enrolment({
    issuer: federation.issuer,
    registry,
    invitations: made.invitations,
    refusals: new EventSampler(
      ({ site: of = null, detail }) => void refused.push(`${of} ${detail}`),
      () => now,
    ),
    replaced: (which) => void replaced.push(which),
    isExpelled: (fingerprint) => expelled.has(fingerprint),
    record: () => undefined,
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
  const { site: enrolled, chain } = await enrolment.enrol(secret, await request(), by);
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
  await enrolment.enrol(secret, await request(), by);
  expect(await codeFrom(enrolment.enrol(secret, await request(), by))).toBe("accepted");
  const other = generateKeyPairSync("ed25519").privateKey;
  expect(await codeFrom(enrolment.enrol(secret, await request(site, other), by))).toBe("TOKEN_USED");
});

it("does not spend the token on a request for another site", async () => {
  const foreign = await request(unwrap(parseSiteId("hospital-b")));
  expect(await codeFrom(enrolment.enrol(secret, foreign, by))).toBe("FIELD_INVALID");
  expect(await codeFrom(enrolment.enrol(secret, await request(), by))).toBe("accepted");
});

it("certifies no key that was expelled, whatever the token", async () => {
  await enrolment.enrol(secret, await request(), by);
  expelled.add(registry.site(site)!.fingerprint!);
  expect(await codeFrom(enrolment.enrol(secret, await request(), by))).toBe("SITE_EXPELLED");
  const fresh = new Uint8Array(32).fill(8);
  made.invite(site, secretHash(fresh), now + 60_000, "refuse", now);
  expect(await codeFrom(enrolment.enrol(fresh, await request(), by))).toBe("SITE_EXPELLED");
  // The hospital may come back under a new key.
  const other = generateKeyPairSync("ed25519").privateKey;
  expect(await codeFrom(enrolment.enrol(fresh, await request(site, other), by))).toBe("accepted");
});

it("renews under the same signing key only", async () => {
  const identity = { notAfter: now + 1 };
  const peer = { site, signingKey: ed25519Raw(signingKey), identity } as unknown as SitePeer;
  expect(await codeFrom(enrolment.renew(peer, await request(), "0.1.0"))).toBe("accepted");
  const other = generateKeyPairSync("ed25519").privateKey;
  expect(await codeFrom(enrolment.renew(peer, await request(site, other), "0.1.0"))).toBe("NOT_PERMITTED");
});

it("tells of a replaced key, once it is replaced", async () => {
  await enrolment.enrol(secret, await request(), by);
  const fresh = new Uint8Array(32).fill(8);
  made.invite(site, secretHash(fresh), now + 60_000, "replace", now);
  expect(replaced).toEqual([]);
  const other = generateKeyPairSync("ed25519").privateKey;
  await enrolment.enrol(fresh, await request(site, other), by);
  expect(replaced).toEqual([site]);
});

it("lets one of many keys that race for a token in, and keeps it", async () => {
  const keys = Array.from({ length: 8 }, () => generateKeyPairSync("ed25519").privateKey);
  const requests = await Promise.all(keys.map((key) => request(site, key)));
  const codes = await Promise.all(requests.map((one) => codeFrom(enrolment.enrol(secret, one, by))));
  expect(codes.filter((code) => code === "accepted")).toHaveLength(1);
  expect(codes.filter((code) => code === "TOKEN_USED")).toHaveLength(7);
  const winner = requests[codes.indexOf("accepted")]!;
  expect(Buffer.from(registry.site(site)!.signingKey!).equals(winner.signingKey)).toBe(true);
});

it("writes refused enrolments down, and those with unknown tokens without letting them flood the log", async () => {
  for (let i = 0; i < 20; i++) {
    const guess = new Uint8Array(32).fill(100 + i);
    expect(await codeFrom(enrolment.enrol(guess, await request(), by))).toBe("TOKEN_INVALID");
  }
  expect(refused).toEqual(["null TOKEN_INVALID, from 10.0.0.9"]);
  await enrolment.enrol(secret, await request(), by);
  await codeFrom(enrolment.enrol(secret, await request(site, generateKeyPairSync("ed25519").privateKey), by));
  expect(refused[1]).toBe(`${site} TOKEN_USED, from 10.0.0.9`);
});

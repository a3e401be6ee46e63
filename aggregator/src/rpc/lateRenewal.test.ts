/** A certificate that has expired, over TLS as sites speak it: it opens its own renewal, for a while, and nothing else. */
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { lateRenewalMs } from "@consilium/core/identity/warnings";
import { parseSiteId } from "@consilium/core/ids";
import { protocolVersions } from "@consilium/core/limits";
import { unwrap } from "@consilium/core/result";
import type { EnrollRequest } from "@consilium/proto/generated/consilium/v1/EnrollRequest";
import { Federation } from "@consilium/proto/load";
import { fromServiceError } from "@consilium/proto/status";
import { issueIssuer, issueLeaf } from "@consilium/runtime/identity/authority";
import { requestFields } from "@consilium/runtime/identity/certificateCall";
import { secretHash } from "@consilium/runtime/identity/invitation";
import { issueRevocations } from "@consilium/runtime/identity/issueRevocations";
import { signingKeyFingerprint } from "@consilium/runtime/identity/names";
import { createRequest } from "@consilium/runtime/identity/request";
import { verifyRevocations } from "@consilium/runtime/identity/revocations";
import { verifyPeer } from "@consilium/runtime/identity/verify";
import { derToPem, ed25519Raw, privateKeyToPem } from "@consilium/runtime/identity/x509";
import { createLogger } from "@consilium/runtime/log";
import { SampledWarnings } from "@consilium/runtime/sampledLog";
import { type TestFederation, testFederation } from "@consilium/runtime/testing/identity/federation";
import { testDisk } from "@consilium/runtime/testing/store/disk";
import { clientChannel } from "@consilium/runtime/tls/clientCredentials";
import { closeGrpc, createGrpcServer, listenGrpc } from "@consilium/runtime/tls/grpcServer";
import { MutualTlsServerCredentials } from "@consilium/runtime/tls/serverCredentials";
import type { Server } from "@grpc/grpc-js";
import { afterEach, beforeEach, expect, it } from "vitest";
import { testRegistry } from "../../testing/roster/registry.js";
import { DisplacedKeys } from "../roster/displacedKeys.js";
import { Enrolment } from "../roster/enrolment.js";
import { EventSampler } from "../roster/eventSampler.js";
import { authoriseRenewal, authoriseSite } from "../roster/sitePeer.js";
import { federationHandlers } from "./federation.js";

const dayMs = 86_400_000;
const lifetimeMs = 30 * dayMs;
const site = unwrap(parseSiteId("st-mary"));
const other = unwrap(parseSiteId("st-vincent"));
const log = createLogger({ service: "test", level: "error", stream: { write: () => undefined } });
const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

interface Held {
  readonly signingKey: KeyObject;
  readonly tlsKey: KeyObject;
  readonly chainPem: string;
}

let federation: TestFederation;
let made: ReturnType<typeof testRegistry>;
let server: Server;
let port: number;
let enrolment: Enrolment;
/** The aggregator's clock. */
let now: number;
let enrolledAt: number;
let held: Held;
let signingKey: KeyObject;
let expelled: Uint8Array | null;
const clients: { close(): void }[] = [];

beforeEach(async () => {
  enrolledAt = Date.now();
  now = enrolledAt;
  federation = await testFederation("harbour", now - dayMs);
  made = testRegistry();
  expelled = null;
  const rootPem = federation.root.certificatePem;
  const list = () =>
    expelled === null ? undefined : unwrap(verifyRevocations(expelled, { rootPem, knownSequence: 0 }));
  const trust = { rootPem, now: () => now, revocations: list };
  const displaced = new DisplacedKeys(
    new EventSampler(
      () => undefined,
      () => now,
    ),
    () => now,
  );
  const roster = { registry: made.registry, displaced };
  enrolment = new Enrolment({
    issuer: federation.issuer,
    registry: made.registry,
    invitations: made.invitations,
    refusals: new EventSampler(
      () => undefined,
      () => now,
    ),
    replaced: () => undefined,
    isExpelled: () => false,
    record: (_, kind, about) => void made.events.push({ kind, ...about }),
    now: () => now,
    lifetimeMs,
  });
  server = createGrpcServer();
  server.addService(
    Federation.service,
    federationHandlers({
      federation: "harbour",
      software: "0.1.0",
      enrolment,
      registry: made.registry,
      authorise: (call: never) => authoriseSite(call, trust, roster),
      authoriseRenewal: (call: never) => authoriseRenewal(call, trust, roster),
      revocations: () => null,
      disk: testDisk(),
      now: () => now,
      strangers: new SampledWarnings(log),
      log,
    } as never),
  );
  const leaf = await federation.leaf("aggregator", "aggregator", { lifetimeMs: 365 * dayMs });
  port = await listenGrpc(
    server,
    { host: "127.0.0.1", port: 0 },
    new MutualTlsServerCredentials({ ...leaf, rootPem }),
  );
  signingKey = generateKeyPairSync("ed25519").privateKey;
  held = await enrolled(site, signingKey);
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await closeGrpc(server, 100);
});

/** Enrols a key by the aggregator's own hand, as any hospital's. */
async function enrolled(id: typeof site, key: KeyObject): Promise<Held> {
  const secret = Uint8Array.from(Buffer.from(id.padEnd(32, "-")));
  made.invite(id, secretHash(secret), now + dayMs, "refuse", now);
  const tlsKey = newKey();
  const { chain } = await enrolment.enrol(secret, await createRequest({ id, tlsKey, signingKey: key }), {
    software: "0.1.0",
    from: "127.0.0.1",
  });
  return { signingKey: key, tlsKey, chainPem: chain.map((der) => derToPem(der)).join("") };
}

function clientOf(identity: Pick<Held, "tlsKey" | "chainPem"> | undefined) {
  const channel = clientChannel(
    { host: "127.0.0.1", port },
    {
      rootPem: federation.root.certificatePem,
      serverRole: "aggregator",
      identity: identity && { tlsKeyPem: privateKeyToPem(identity.tlsKey), chainPem: identity.chainPem },
      now: () => enrolledAt,
    },
  );
  const options = { ...channel.options, "grpc.use_local_subchannel_pool": 1 };
  const client = new Federation(channel.target, channel.credentials, options);
  clients.push(client);
  return client;
}

interface Asked {
  /** Whose certificate the connection shows; undefined for none. */
  readonly shows?: Pick<Held, "tlsKey" | "chainPem"> | undefined;
  readonly key?: KeyObject;
  readonly id?: typeof site;
  readonly tlsKey?: KeyObject;
}

async function renewalOf({
  key = signingKey,
  id = site,
  tlsKey = newKey(),
}: Asked = {}): Promise<EnrollRequest> {
  const request = await createRequest({ id, tlsKey, signingKey: key });
  return { proof: "renewal", renewal: true, ...requestFields(request, "0.1.0") };
}

/** @returns the chain, leaf first, or the code of the refusal */
async function send(request: EnrollRequest, shows: Asked["shows"]): Promise<readonly Uint8Array[] | string> {
  return new Promise((resolve) => {
    clientOf(shows).enroll(request, (error, response) => {
      resolve(error ? fromServiceError(error).code : response!.chain.map((der) => Uint8Array.from(der)));
    });
  });
}

async function renewing(asked: Asked = {}): Promise<readonly Uint8Array[] | string> {
  return send(await renewalOf(asked), "shows" in asked ? asked.shows : held);
}

const at = (expiredMs: number) => {
  now = enrolledAt + lifetimeMs + expiredMs;
};

it("is renewed for sixty days after its end, under its own key, and the operator can read of it", async () => {
  at(40 * dayMs);
  const chain = await renewing();
  if (typeof chain === "string") throw new Error(chain);
  const rootPem = federation.root.certificatePem;
  const identity = unwrap(verifyPeer(chain, { rootPem, now, role: "site", purpose: "client" }));
  expect(identity).toMatchObject({ id: site, fingerprint: signingKeyFingerprint(ed25519Raw(signingKey)) });
  expect(identity.notAfter).toBe(Math.floor((now + lifetimeMs) / 1000) * 1000);
  expect(made.events.at(-1)).toMatchObject({ kind: "certificate renewed late", site });
});

it("is refused where sixty days are over", async () => {
  at(61 * dayMs);
  expect(await renewing()).toBe("CERTIFICATE_INVALID");
  now = Math.floor((enrolledAt + lifetimeMs) / 1000) * 1000 + lateRenewalMs;
  expect(await renewing()).toBeInstanceOf(Array);
});

it("opens nothing but its renewal", async () => {
  at(dayMs);
  const client = clientOf(held);
  const codeOf = (stream: { on(event: "error", then: (error: Error) => void): unknown }) =>
    new Promise((resolve) => stream.on("error", (error) => resolve(fromServiceError(error).code)));
  const attend = client.attend();
  attend.on("data", () => undefined);
  expect(await codeOf(attend)).toBe("CERTIFICATE_INVALID");
  for (const send of [() => client.sendVector(), () => client.sendRows()]) {
    const upload = send();
    upload.on("data", () => undefined);
    expect(await codeOf(upload)).toBe("CERTIFICATE_INVALID");
  }
  const fetched = client.fetchVector({ studyId: "small-0123456789" });
  fetched.on("data", () => undefined);
  expect(await codeOf(fetched)).toBe("CERTIFICATE_INVALID");
  const checked = new Promise((resolve) => {
    client.check({ versions: { ...protocolVersions, software: "0.1.0" } }, (_, reply) =>
      resolve(reply?.certificateCode),
    );
  });
  expect(await checked).toBe("CERTIFICATE_INVALID");
  expect(await renewing()).toBeInstanceOf(Array);
});

it("is of no use to a stranger who recorded a renewal, or holds the certificate without its key", async () => {
  at(dayMs);
  const recorded = await renewalOf();
  expect(await send(recorded, undefined)).toBe("CERTIFICATE_MISSING");
  // With a certificate that is their own, valid or expired.
  const theirs = await federation.leaf("site", other, { now, lifetimeMs: dayMs });
  expect(await send(recorded, theirs)).toBe("NOT_PERMITTED");
  const foreign = await (await testFederation("harbour", now)).leaf("site", site);
  expect(await send(recorded, foreign)).toBe("CERTIFICATE_INVALID");
  // The handshake proves the certificate's key: without it there is no connection.
  expect(() => clientOf({ ...held, tlsKey: newKey() })).toThrow();
  expect(await send(recorded, held)).toBeInstanceOf(Array);
});

it("is not renewed for another key or another site, nor with a signature by another key", async () => {
  at(dayMs);
  const strange = generateKeyPairSync("ed25519").privateKey;
  expect(await renewing({ key: strange })).toBe("NOT_PERMITTED");
  expect(await renewing({ id: other })).toBe("FIELD_INVALID");
  const forged = await renewalOf();
  const { signingKeyProof } = await renewalOf({ key: strange });
  expect(await send({ ...forged, signingKeyProof }, held)).toBe("FIELD_INVALID");
});

it("is not renewed for an expelled site", async () => {
  at(dayMs);
  const fingerprint = signingKeyFingerprint(ed25519Raw(signingKey));
  expelled = issueRevocations(federation.root, undefined, [
    { siteId: site, signingKeyFingerprint: fingerprint, reason: "test", revokedAt: now },
  ]);
  expect(await renewing()).toBe("SITE_EXPELLED");
});

it("is not renewed for a key that is not enrolled, or was replaced", async () => {
  at(dayMs);
  const strange = generateKeyPairSync("ed25519").privateKey;
  const never = await federation.leaf("site", other, { now: enrolledAt, lifetimeMs, signingKey: strange });
  expect(await renewing({ shows: never, key: strange, id: other })).toBe("CERTIFICATE_INVALID");
  const secret = new Uint8Array(32).fill(9);
  made.invite(site, secretHash(secret), now + dayMs, "replace", now);
  const key = generateKeyPairSync("ed25519").privateKey;
  await enrolment.enrol(secret, await createRequest({ id: site, tlsKey: newKey(), signingKey: key }), {
    software: "0.1.0",
    from: "127.0.0.1",
  });
  expect(await renewing()).toBe("IDENTITY_REPLACED");
});

it("is not renewed where a newer one is known: of an old copy of a site's folder nothing comes", async () => {
  now = enrolledAt + 15 * dayMs;
  const next = newKey();
  const chain = await renewing({ tlsKey: next });
  if (typeof chain === "string") throw new Error(chain);
  at(20 * dayMs);
  expect(await renewing()).toBe("CERTIFICATE_INVALID");
  expect(
    await renewing({ shows: { tlsKey: next, chainPem: chain.map((der) => derToPem(der)).join("") } }),
  ).toBeInstanceOf(Array);
});

it("is renewed where the answer to its last renewal was lost: the site asks for the same key again", async () => {
  now = enrolledAt + 15 * dayMs;
  const next = newKey();
  expect(await renewing({ tlsKey: next })).toBeInstanceOf(Array);
  at(20 * dayMs);
  expect(await renewing({ tlsKey: next })).toBeInstanceOf(Array);
});

it("is renewed by an aggregator whose store is older than the certificate", async () => {
  now = enrolledAt + 15 * dayMs;
  const issued = {
    federation: "harbour",
    role: "site",
    id: site,
    signingKey: ed25519Raw(signingKey),
    lifetimeMs,
    now,
  } as const;
  const tlsKey = newKey();
  const chainPem = await issueLeaf(federation.issuer, { ...issued, tlsPublicKey: createPublicKey(tlsKey) });
  at(20 * dayMs);
  expect(await renewing({ shows: { tlsKey, chainPem } })).toBeInstanceOf(Array);
});

it("is not renewed under an issuing certificate that has ended itself", async () => {
  const yearMs = 365 * dayMs;
  const issuer = await issueIssuer(federation.root, {
    now: enrolledAt + lifetimeMs + 10 * dayMs - 5 * yearMs,
  });
  const tlsKey = newKey();
  const chainPem = await issueLeaf(issuer, {
    federation: "harbour",
    role: "site",
    id: site,
    signingKey: ed25519Raw(signingKey),
    lifetimeMs,
    now: enrolledAt,
    tlsPublicKey: createPublicKey(tlsKey),
  });
  at(20 * dayMs);
  expect(await renewing({ shows: { tlsKey, chainPem } })).toBe("CERTIFICATE_INVALID");
  at(5 * dayMs);
  expect(await renewing({ shows: { tlsKey, chainPem } })).toBeInstanceOf(Array);
});

it("is judged by the aggregator's clock alone", async () => {
  // Far behind: not valid yet. Far ahead: as one that has expired for long.
  now = enrolledAt - dayMs / 2;
  expect(await renewing()).toBe("CERTIFICATE_INVALID");
  now = enrolledAt + 4 * 365 * dayMs;
  expect(await renewing()).toBe("CERTIFICATE_INVALID");
  now = enrolledAt;
  expect(await renewing()).toBeInstanceOf(Array);
});

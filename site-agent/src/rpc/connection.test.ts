/** The one connection and its certificate, against a played aggregator: who is renewed, when, and by whose clock. */
import { createPublicKey } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import type { AggregatorFrame } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { SiteFrame__Output } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import { Federation } from "@consilium/proto/load";
import { issueLeaf } from "@consilium/runtime/identity/authority";
import { loadIdentityWhenever } from "@consilium/runtime/identity/certificateSpan";
import { pemChainToDer, x509 } from "@consilium/runtime/identity/x509";
import { createLogger } from "@consilium/runtime/log";
import {
  type TestFederation,
  testFederation,
  writeTestIdentity,
} from "@consilium/runtime/testing/identity/federation";
import { closeGrpc, createGrpcServer, listenGrpc } from "@consilium/runtime/tls/grpcServer";
import { peerChain } from "@consilium/runtime/tls/peer";
import { MutualTlsServerCredentials } from "@consilium/runtime/tls/serverCredentials";
import type { Server, ServerDuplexStream } from "@grpc/grpc-js";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Connection } from "./connection.js";

const dayMs = 86_400_000;
const lifetimeMs = 30 * dayMs;
const log = createLogger({ service: "test", level: "error", stream: { write: () => undefined } });

let federation: TestFederation;
let stateFolder: string;
let server: Server;
let port: number;
let connection: Connection | null;
/** What the site asked for, in order. */
let asked: string[];
/** How far the aggregator's clock is before this site's; its own is the true one. */
let siteIsBehindMs: number;
const trueNow = Date.now();
const streams: ServerDuplexStream<SiteFrame__Output, AggregatorFrame>[] = [];

beforeEach(async () => {
  asked = [];
  connection = null;
  siteIsBehindMs = 0;
  stateFolder = await mkdtemp(join(tmpdir(), "consilium-connection-"));
  federation = await testFederation("harbour", trueNow - 200 * dayMs);
  const rootPem = federation.root.certificatePem;
  server = createGrpcServer();
  server.addService(Federation.service, {
    Enroll: async (call: never, callback: (error: null, response: object) => void) => {
      const { request } = call as { request: { certificateRequest: Buffer; signingKey: Buffer } };
      asked.push(`enroll with ${ended(call)}`);
      const csr = new x509.Pkcs10CertificateRequest(Uint8Array.from(request.certificateRequest));
      const chainPem = await issueLeaf(federation.issuer, {
        federation: "harbour",
        role: "site",
        id: "st-mary" as never,
        tlsPublicKey: createPublicKey({
          key: Buffer.from(csr.publicKey.rawData),
          format: "der",
          type: "spki",
        }),
        signingKey: Uint8Array.from(request.signingKey),
        lifetimeMs,
        now: trueNow,
      });
      callback(null, {
        federation: "harbour",
        siteId: "st-mary",
        chain: pemChainToDer(chainPem).slice(0, 2),
      });
    },
    Attend: (call: ServerDuplexStream<SiteFrame__Output, AggregatorFrame>) => {
      const shown = ended(call as never);
      asked.push(`attend with ${shown}`);
      streams.push(call);
      call.on("error", () => undefined);
      call.on("data", () => undefined);
      if (shown === "expired") {
        const fault = { code: "CERTIFICATE_INVALID", message: "it expired on 2026-01-01T00:00:00.000Z" };
        call.write({ frame: "fault", fault });
        call.end();
      } else
        call.write({
          frame: "welcome",
          welcome: { protocol: 4, software: "0.1.0", federation: "harbour", heartbeatMs: 60_000 },
        });
    },
  } as never);
  const leaf = await federation.leaf("aggregator", "aggregator", { lifetimeMs: 1_000 * dayMs });
  const credentials = new MutualTlsServerCredentials({ ...leaf, rootPem });
  port = await listenGrpc(server, { host: "127.0.0.1", port: 0 }, credentials);
});

afterEach(async () => {
  connection?.stop();
  await closeGrpc(server, 100);
  await rm(stateFolder, { recursive: true });
});

/** What the aggregator thinks of the certificate that a call shows. */
function ended(call: never): "valid" | "expired" {
  const [der] = peerChain(call);
  const { notAfter } = new x509.X509Certificate(Uint8Array.from(der!));
  return notAfter.getTime() < trueNow ? "expired" : "valid";
}

/** A site whose certificate was made so long ago, by the true clock. */
async function connected(madeMsAgo: number, siteClock = () => trueNow - siteIsBehindMs): Promise<Connection> {
  const leaf = await federation.leaf("site", "st-mary", { now: trueNow - madeMsAgo, lifetimeMs });
  await writeTestIdentity(join(stateFolder, "identity"), leaf, federation.root.certificatePem);
  const identity = unwrap(await loadIdentityWhenever(join(stateFolder, "identity"), siteClock()));
  const message = { take: () => ({ frame: "heartbeat", heartbeat: { sequence: 0 } }) } as never;
  connection = new Connection({
    routes: [{ address: `127.0.0.1:${port}`, proxy: null }],
    identity,
    stateFolder,
    software: "0.1.0",
    revocations: () => undefined,
    now: siteClock,
    log,
    handlers: {
      hello: async () => message,
      heartbeat: () => message,
      renewing: () => undefined,
      welcomed: () => undefined,
      message: () => undefined,
      refused: () => undefined,
      refusedThere: () => undefined,
    },
  });
  connection.start();
  await expect.poll(() => connection!.status.connected, { timeout: 20_000, interval: 20 }).toBe(true);
  return connection;
}

it("renews an expired certificate before anything else, and attends with the new one", async () => {
  const { identity } = await connected(45 * dayMs);
  expect(asked).toEqual(["enroll with expired", "attend with valid"]);
  expect(identity.notAfter).toBeGreaterThan(trueNow + 29 * dayMs);
  const kept = unwrap(await loadIdentityWhenever(join(stateFolder, "identity"), trueNow));
  expect(kept.chainPem).toBe(identity.chainPem);
});

it("renews where the aggregator calls expired what is valid by this site's own clock, which is behind", async () => {
  siteIsBehindMs = 20 * dayMs;
  const { status } = await connected(45 * dayMs);
  expect(asked).toEqual(["attend with expired", "enroll with expired", "attend with valid"]);
  expect(status.lastFault).toBeNull();
});

it("does not ask for one certificate after another where its clock is far ahead", async () => {
  siteIsBehindMs = -40 * dayMs;
  await connected(dayMs);
  expect(asked).toEqual(["enroll with valid", "attend with valid"]);
  for (let times = 2; times <= 4; times++) {
    streams.at(-1)!.end();
    await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(times + 1);
  }
  expect(asked.filter((call) => call.startsWith("enroll"))).toHaveLength(1);
});

it("looks at the date at each connection: a timer stood still while the machine was suspended", async () => {
  let now = trueNow - 16 * dayMs;
  await connected(20 * dayMs, () => now);
  expect(asked).toEqual(["attend with valid"]);
  now = trueNow;
  streams.at(-1)!.end();
  await expect
    .poll(() => asked, { timeout: 20_000 })
    .toEqual(["attend with valid", "attend with valid", "enroll with valid", "attend with valid"]);
});

import { errorTable } from "@consilium/core/errors";
import { protocolVersions } from "@consilium/core/limits";
import { unwrap } from "@consilium/core/result";
import type { AggregatorFrame__Output } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { SiteFrame } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import { Federation } from "@consilium/proto/load";
import { fromServiceError } from "@consilium/proto/status";
import { issueRevocations } from "@consilium/runtime/identity/issueRevocations";
import { verifyPeer } from "@consilium/runtime/identity/verify";
import { pemChainToDer } from "@consilium/runtime/identity/x509";
import { createLogger } from "@consilium/runtime/log";
import { SampledWarnings } from "@consilium/runtime/sampledLog";
import { type TestFederation, testFederation } from "@consilium/runtime/testing/identity/federation";
import { testDisk } from "@consilium/runtime/testing/store/disk";
import { clientChannel } from "@consilium/runtime/tls/clientCredentials";
import { closeGrpc, createGrpcServer, listenGrpc } from "@consilium/runtime/tls/grpcServer";
import { MutualTlsServerCredentials } from "@consilium/runtime/tls/serverCredentials";
import type { Server } from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testIdentity, testRegistry } from "../../testing/roster/registry.js";
import { DisplacedKeys } from "../roster/displacedKeys.js";
import { EventSampler } from "../roster/eventSampler.js";
import { Presence } from "../roster/presence.js";
import { Revocations } from "../roster/revocations.js";
import { authoriseSite } from "../roster/sitePeer.js";
import { federationHandlers } from "./federation.js";

const site = "st-mary";
const log = createLogger({ service: "test", level: "error", stream: { write: () => undefined } });

let federation: TestFederation;
let server: Server;
let port: number;
let presence: Presence;
let made: ReturnType<typeof testRegistry>;
let displaced: DisplacedKeys;
let handled: string[];
let revocations: Revocations;
const clients: { close(): void }[] = [];

beforeEach(async () => {
  federation = await testFederation("harbour");
  made = testRegistry();
  presence = new Presence(Date.now);
  handled = [];
  displaced = new DisplacedKeys(new EventSampler(() => undefined, Date.now), Date.now);
  const rootPem = federation.root.certificatePem;
  revocations = await Revocations.open("/nowhere", rootPem);
  const trust = { rootPem, now: Date.now, revocations: () => revocations.list };
  server = createGrpcServer();
  server.addService(
    Federation.service,
    federationHandlers({
      federation: "harbour",
      software: "0.1.0",
      registry: made.registry,
      presence,
      studies: { handle: (_: unknown, { kind }: { kind: string }) => void handled.push(kind) },
      authorise: (call: never) => authoriseSite(call, trust, { registry: made.registry, displaced }),
      revocations: () => revocations.confirmed(federation.issuer, Date.now()),
      now: Date.now,
      disk: testDisk(),
      together: async (work: () => unknown) => work(),
      strangers: new SampledWarnings(log),
      log,
    } as never),
  );
  const leaf = await federation.leaf("aggregator", "aggregator");
  port = await listenGrpc(
    server,
    { host: "127.0.0.1", port: 0 },
    new MutualTlsServerCredentials({ ...leaf, rootPem }),
  );
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await closeGrpc(server, 100);
});

/** A site whose certificate ends in some time, connected and greeted. */
async function attend(lifetimeMs: number, highest: number = protocolVersions.highest) {
  const leaf = await federation.leaf("site", site, { now: Date.now(), lifetimeMs });
  const rootPem = federation.root.certificatePem;
  const verified = verifyPeer(pemChainToDer(leaf.chainPem), { rootPem, now: Date.now(), purpose: "client" });
  const identity = unwrap(verified);
  made.store.run("INSERT INTO sites (id) VALUES (?) ON CONFLICT DO NOTHING", site);
  made.registry.enrolled(identity.id, testIdentity(identity.fingerprint), Date.now());
  const channel = clientChannel(
    { host: "127.0.0.1", port },
    { rootPem, serverRole: "aggregator", identity: leaf },
  );
  const client = new Federation(channel.target, channel.credentials, channel.options);
  clients.push(client);
  const stream = client.attend();
  const frames: AggregatorFrame__Output[] = [];
  stream.on("data", (frame: AggregatorFrame__Output) => frames.push(frame));
  const ended = new Promise<{ code: string; message: string; at: number }>((resolve) => {
    stream.on("error", (error) => {
      const { code, message } = fromServiceError(error);
      resolve({ code, message, at: Date.now() });
    });
  });
  const send = (frame: SiteFrame) => stream.write(frame);
  const versions = { lowest: 1, highest, software: "0.0.9" };
  send({ frame: "hello", hello: { versions, tables: [], nowMs: Date.now(), instance: Buffer.alloc(16) } });
  await expect.poll(() => frames.length > 0, { interval: 10 }).toBe(true);
  return { send, ended, frames, notAfter: identity.notAfter, id: identity.id, cancel: () => stream.cancel() };
}

describe("a control stream", () => {
  it("ends with its certificate, whatever kind of frame keeps coming, and its site is gone", async () => {
    const { send, ended, notAfter, id } = await attend(3_000);
    const beat = setInterval(() => {
      send({ frame: "endReceipt", endReceipt: { studyId: "small-0123456789" } });
    }, 50);
    const { code, message, at } = await ended;
    clearInterval(beat);
    expect([code, message]).toEqual(["CERTIFICATE_INVALID", expect.stringContaining("it expired on")]);
    expect(at).toBeGreaterThan(notAfter);
    expect(handled.length).toBeGreaterThan(1);
    expect(presence.presenceOf(id)).toBe("gone");
    const until = handled.length;
    send({ frame: "endReceipt", endReceipt: { studyId: "small-0123456789" } });
    expect(handled).toHaveLength(until);
  });

  it("ends with English words beside the code, which a site of an older version has no sentences for", async () => {
    const { send, ended, frames } = await attend(60_000);
    const versions = { lowest: 1, highest: protocolVersions.highest, software: "0.0.9" };
    send({
      frame: "hello",
      hello: { versions, tables: [], nowMs: Date.now(), instance: Buffer.alloc(16) },
    });
    const { code, message } = await ended;
    expect([code, message]).toEqual(["MESSAGE_UNEXPECTED", "a second hello on one stream"]);
    expect(frames.at(-1)?.fault).toMatchObject({
      code,
      message: `${message}. ${errorTable.MESSAGE_UNEXPECTED.remedy}`,
    });
  });

  it("lets nobody wait for what is sent as its site goes, and for what is sent after", async () => {
    const { id, cancel } = await attend(60_000);
    const session = presence.session(id)!;
    const large = { frame: "revocations" as const, revocations: { list: Buffer.alloc(4_000_000) } };
    for (let frames = 0; frames < 5; frames++) session.send(large as never);
    const flushed = session.flushed!();
    cancel();
    await flushed;
    session.send(large as never);
    await session.flushed!();
    expect(presence.presenceOf(id)).toBe("gone");
  });

  it("ends with its certificate when nothing comes at all", async () => {
    const greeted: string[] = [];
    presence.on("connected", (session) => greeted.push(session.site));
    const { ended, id } = await attend(3_000);
    expect((await ended).code).toBe("CERTIFICATE_INVALID");
    expect(greeted).toEqual([id]);
    expect(presence.presenceOf(id)).toBe("gone");
  });

  it("continues as long as its certificate does", async () => {
    const { send, frames, id } = await attend(3_600_000);
    send({ frame: "heartbeat", heartbeat: { sequence: 7 } });
    await expect.poll(() => frames.some(({ heartbeat }) => heartbeat?.sequence === 7)).toBe(true);
    expect(presence.presenceOf(id)).toBe("online");
  });

  it("of a key that was replaced is ended at its next frame, with a code of its own", async () => {
    const { send, ended, id } = await attend(3_600_000);
    made.registry.enrolled(id, testIdentity("c".repeat(64) as never), Date.now());
    expect(displaced.of(id, "c".repeat(64) as never)).toBeNull();
    send({ frame: "endReceipt", endReceipt: { studyId: "small-0123456789" } });
    expect((await ended).code).toBe("IDENTITY_REPLACED");
    expect(handled).toEqual([]);
    expect(displaced.of(id, "c".repeat(64) as never)).toMatchObject({ attempts: 1, from: "127.0.0.1" });
  });
});

describe("the list of expelled sites", () => {
  const givenList = (list: Uint8Array) => {
    revocations = { confirmed: () => ({ list, confirmation: new Uint8Array(1) }) } as never;
  };

  it("comes confirmed after the welcome", async () => {
    givenList(issueRevocations(federation.root, undefined, []));
    const { frames } = await attend(3_600_000);
    await expect.poll(() => frames.map(({ frame }) => frame)).toEqual(["welcome", "revocations"]);
    expect(frames[1]!.revocations!.confirmation).toHaveLength(1);
  });
});

import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import tls from "node:tls";
import type { Server } from "@grpc/grpc-js";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type TestFederation, type TestLeaf, testFederation } from "../../testing/identity/federation.js";
import { addTestService, TestClient } from "../../testing/tls/network.js";
import type { Address } from "./address.js";
import type { ConnectionLimits } from "./connectionLimits.js";
import { closeGrpc, createGrpcServer, listenGrpc } from "./grpcServer.js";
import { enforceTlsPolicy } from "./policy.js";
import { MutualTlsServerCredentials } from "./serverCredentials.js";

const before = { min: tls.DEFAULT_MIN_VERSION, max: tls.DEFAULT_MAX_VERSION };
let federation: TestFederation;
let foreign: TestLeaf;
let aggregator: TestLeaf;
let site: TestLeaf;
beforeAll(async () => {
  enforceTlsPolicy();
  federation = await testFederation();
  aggregator = await federation.leaf("aggregator", "aggregator");
  site = await federation.leaf("site", "clinic-1");
  foreign = await (await testFederation()).leaf("site", "clinic-1");
});
afterAll(() => {
  tls.DEFAULT_MIN_VERSION = before.min;
  tls.DEFAULT_MAX_VERSION = before.max;
});

let server: Server;
let address: Address;
let closed: number;
const clients: TestClient[] = [];
const strangers: ClientHttp2Session[] = [];

async function serve(limits: Omit<ConnectionLimits, "trust" | "onClosed"> | null): Promise<void> {
  closed = 0;
  const trust = {
    rootPem: federation.root.certificatePem,
    now: Date.now,
    revocations: () => undefined,
  };
  server = createGrpcServer(
    limits === null ? undefined : { trust, onClosed: () => void closed++, ...limits },
  );
  addTestService(server, trust);
  const identity = {
    tlsKeyPem: aggregator.tlsKeyPem,
    chainPem: aggregator.chainPem,
    rootPem: federation.root.certificatePem,
  };
  const port = await listenGrpc(
    server,
    { host: "127.0.0.1", port: 0 },
    new MutualTlsServerCredentials(identity),
  );
  address = { host: "127.0.0.1", port };
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const stranger of strangers.splice(0)) stranger.destroy();
  await closeGrpc(server, 100);
});

function member(identity = site): TestClient {
  const client = new TestClient(address, {
    identity,
    rootPem: federation.root.certificatePem,
    serverRole: "aggregator",
  });
  clients.push(client);
  return client;
}

/** An HTTP/2 connection that answers pings and calls nothing, once it stands or is refused. */
async function stranger(identity?: TestLeaf): Promise<ClientHttp2Session> {
  const session = connect(`https://127.0.0.1:${address.port}`, {
    rejectUnauthorized: false,
    ...(identity && { key: identity.tlsKeyPem, cert: identity.chainPem }),
  });
  session.on("error", () => undefined);
  strangers.push(session);
  await new Promise<void>((resolve) => {
    session.once("remoteSettings", () => resolve());
    session.once("close", () => resolve());
  });
  return session;
}

const openOf = (sessions: readonly ClientHttp2Session[]) =>
  sessions.filter(({ closed, destroyed }) => !closed && !destroyed).length;

async function open(count: number, identity?: TestLeaf): Promise<ClientHttp2Session[]> {
  const sessions: ClientHttp2Session[] = [];
  for (let index = 0; index < count; index++) sessions.push(await stranger(identity));
  return sessions;
}

describe("strangers", () => {
  it.each([
    ["without a certificate", () => undefined],
    ["with another federation's", () => foreign],
  ])("%s are held up to their number, the newest of them, and a site still gets in", async (_, identity) => {
    await serve({ strangers: 10 });
    const early = member();
    expect(await early.whoAmI()).toBe("site/clinic-1");
    const sessions = await open(40, identity());
    await expect.poll(() => openOf(sessions)).toBe(10);
    expect(openOf(sessions.slice(-10))).toBe(10);
    expect(closed).toBe(30);
    expect(await member().whoAmI()).toBe("site/clinic-1");
    // Connections with a certificate are not closed for them: it calls on the connection that it had.
    expect(await early.whoAmI()).toBe("site/clinic-1");
    const channel = early.getChannel();
    expect(channel.getConnectivityState(false)).toBe(2);
  });

  it("are all held where nothing bounds them", async () => {
    await serve(null);
    const sessions = await open(40);
    expect(openOf(sessions)).toBe(40);
  });

  it("give way to sites when there are as many connections as may be", async () => {
    await serve({ strangers: 10, total: 6 });
    const sessions = await open(5);
    for (let index = 0; index < 4; index++) expect(await member().whoAmI()).toBe("site/clinic-1");
    await expect.poll(() => openOf(sessions)).toBe(2);
    // Where sites hold every place, nobody else gets one.
    for (let index = 0; index < 2; index++) expect(await member().whoAmI()).toBe("site/clinic-1");
    await expect.poll(() => openOf(sessions)).toBe(0);
    const late = await stranger();
    await expect.poll(() => openOf([late])).toBe(0);
    for (const client of clients) expect(await client.whoAmI()).toBe("site/clinic-1");
  });
});

it("closes a connection that calls nothing, and not one with a call under way", async () => {
  await serve({ idleMs: 300 });
  const upload = member().upload(4 * 1024 * 1024, 1024);
  const idle = await stranger();
  await once(idle, "close");
  expect(await upload).toBe(4 * 1024 * 1024);
});

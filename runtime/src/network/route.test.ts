import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import type { Server } from "@grpc/grpc-js";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type TestFederation, type TestLeaf, testFederation } from "../../testing/identity/federation.js";
import { type ForeignAuthority, foreignAuthority } from "../../testing/network/certificates.js";
import { PlayedProxy, type PlayedProxyOptions, startTlsTerminator } from "../../testing/network/proxy.js";
import { addTestService, TestClient } from "../../testing/tls/network.js";
import type { Address } from "../tls/address.js";
import { fetchChain } from "../tls/fetchChain.js";
import { closeGrpc, createGrpcServer, listenGrpc } from "../tls/grpcServer.js";
import { MutualTlsServerCredentials } from "../tls/serverCredentials.js";
import { proxyFor, type WebProxy } from "./proxy.js";
import { proxyConfigSchema } from "./proxyConfig.js";
import type { RouteFault } from "./routeFault.js";

let federation: TestFederation;
let gateway: ForeignAuthority;
let site: TestLeaf;
let aggregatorLeaf: TestLeaf;
let server: Server;
let address: Address;
let folder: string;
const opened: { close(): unknown }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-route-"));
  federation = await testFederation();
  gateway = await foreignAuthority();
  site = await federation.leaf("site", "st-mary");
  aggregatorLeaf = await federation.leaf("aggregator", "aggregator");
  server = createGrpcServer();
  const rootPem = federation.root.certificatePem;
  addTestService(server, { rootPem, now: Date.now, revocations: () => undefined });
  const chainPem = aggregatorLeaf.chainPem + rootPem;
  const credentials = new MutualTlsServerCredentials({ ...aggregatorLeaf, chainPem, rootPem });
  address = {
    host: "127.0.0.1",
    port: await listenGrpc(server, { host: "127.0.0.1", port: 0 }, credentials),
  };
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});
afterAll(async () => {
  await closeGrpc(server, 500);
  await rm(folder, { recursive: true });
});

async function played(options: PlayedProxyOptions = {}): Promise<PlayedProxy> {
  const proxy = await PlayedProxy.start(options);
  opened.push(proxy);
  return proxy;
}

function configured(proxy: PlayedProxy, more: Record<string, unknown> = {}): WebProxy {
  const config = proxyConfigSchema.parse({ url: proxy.url, ...more });
  return proxyFor(address, { config, configPath: join(folder, "config.yaml"), environment: {} })!;
}

function client(proxy: WebProxy | null, faults: ConsiliumError[] = [], at = address): TestClient {
  const rootPem = federation.root.certificatePem;
  const made = new TestClient(at, {
    identity: site,
    rootPem,
    serverRole: "aggregator",
    proxy,
    onFault: (fault) => faults.push(fault),
  });
  opened.push(made);
  return made;
}

/** What enrolment's first step and a gRPC call make of the same way. */
async function bothWays(proxy: WebProxy | null, at = address) {
  const fetched = await fetchChain(at, {
    rootFingerprint: federation.root.fingerprint,
    serverRole: "aggregator",
    now: Date.now(),
    proxy,
    timeoutMs: 2_000,
  });
  const faults: ConsiliumError[] = [];
  const answer = await client(proxy, faults, at)
    .whoAmI()
    .catch((thrown: Error) => thrown);
  return {
    fetched,
    answer,
    fault: fetched.ok ? null : (fetched.error as RouteFault),
    grpcFault: faults[0] ?? null,
  };
}

describe("through a proxy", () => {
  it("goes directly without one, and by a tunnel with one", async () => {
    const direct = await bothWays(null);
    expect([direct.fetched.ok, direct.answer]).toEqual([true, "site/st-mary"]);
    const proxy = await played();
    const through = await bothWays(configured(proxy));
    expect([through.fetched.ok, through.answer]).toEqual([true, "site/st-mary"]);
    expect(proxy.tunnels).toEqual([`127.0.0.1:${address.port}`, `127.0.0.1:${address.port}`]);
  });

  it("uploads megabytes through a tunnel in TLS in TLS", async () => {
    const proxy = await played({ tls: await gateway.leaf("127.0.0.1") });
    await writeFile(join(folder, "ca.pem"), gateway.caPem);
    const through = client(configured(proxy, { ca: "ca.pem" }));
    expect(await through.upload(8_000_000, 500_000)).toBe(8_000_000);
    expect(proxy.tunnels).toHaveLength(1);
  });

  it("does not speak to a proxy whose certificate comes from an unknown authority", async () => {
    const proxy = await played({ tls: await gateway.leaf("127.0.0.1") });
    const { fault, grpcFault } = await bothWays(configured(proxy));
    expect(fault).toMatchObject({ code: "PROXY_FAILED", stage: "proxy-tls" });
    expect(grpcFault).toMatchObject({ code: "PROXY_FAILED", stage: "proxy-tls" });
    expect(proxy.tunnels).toEqual([]);
  });

  it("gives Basic credentials from a file, and says when they are wanted or wrong", async () => {
    const password = randomBytes(12).toString("base64");
    const proxy = await played({ credentials: { username: "jo", password } });
    await writeFile(join(folder, "password"), `${password}\n`);
    await writeFile(join(folder, "wrong"), "wrong\n");
    const right = await bothWays(configured(proxy, { username: "jo", passwordFile: "password" }));
    expect([right.fetched.ok, right.answer]).toEqual([true, "site/st-mary"]);
    const none = await bothWays(configured(proxy));
    expect(none.fault).toMatchObject({ stage: "proxy-credentials", reason: "407", detail: "Basic" });
    expect(none.fault!.message).toContain("requires credentials, but none are configured");
    expect(none.grpcFault).toMatchObject({ stage: "proxy-credentials" });
    const wrong = await bothWays(configured(proxy, { username: "jo", passwordFile: "wrong" }));
    expect(wrong.fault!.message).toContain("rejects the credentials");
    expect(`${wrong.fault!.describe()} ${wrong.grpcFault!.describe()} ${String(wrong.answer)}`).not.toContain(
      "wrong\n",
    );
  });

  it("says when a proxy takes no credentials that we can give", async () => {
    const credentials = { username: "jo", password: "x" };
    const proxy = await played({ credentials, challenge: "NTLM\r\nproxy-authenticate: Negotiate" });
    const { fault } = await bothWays(configured(proxy));
    expect(fault).toMatchObject({ stage: "proxy-credentials", detail: "NTLM, Negotiate" });
    expect(fault!.remedy).toContain("only supports Basic");
  });

  it("tells a proxy that refuses, one that is silent, one that is not there and one without a name", async () => {
    const refusing = await bothWays(configured(await played({ refuse: 403 })));
    expect(refusing.fault).toMatchObject({ stage: "proxy-answer", reason: "403" });
    expect(refusing.grpcFault).toMatchObject({ stage: "proxy-answer", reason: "403" });
    const silent = await fetchChain(address, {
      rootFingerprint: federation.root.fingerprint,
      serverRole: "aggregator",
      now: Date.now(),
      proxy: configured(await played({ isSilent: true })),
      timeoutMs: 200,
    });
    expect(silent).toMatchObject({ ok: false, error: { stage: "proxy-answer", reason: "timeout" } });
    const gone = await played();
    const { port } = gone;
    await gone.close();
    opened.pop();
    const absent = await bothWays({ ...configured(await played()), host: "127.0.0.1", port });
    expect(absent.fault).toMatchObject({ stage: "proxy-tcp", reason: "ECONNREFUSED", code: "PROXY_FAILED" });
    const nameless = await bothWays({ ...configured(await played()), host: "no-such-proxy.invalid" });
    expect(nameless.fault).toMatchObject({ stage: "proxy-dns", code: "PROXY_FAILED" });
  });
});

describe("on a way that opens TLS", () => {
  it("recognises the proxy that does it, and names its authority", async () => {
    const proxy = await played({ intercept: await gateway.leaf("127.0.0.1") });
    const { fault, grpcFault, answer } = await bothWays(configured(proxy));
    expect(fault).toMatchObject({ code: "TLS_INTERCEPTED", detail: "Hospital Web Gateway CA" });
    expect(grpcFault).toMatchObject({ code: "TLS_INTERCEPTED" });
    expect(answer).toBeInstanceOf(Error);
  });

  it("recognises the gateway that does it unasked", async () => {
    const terminator = await startTlsTerminator(address.port, await gateway.leaf("127.0.0.1"));
    opened.push(terminator);
    const at = { host: "127.0.0.1", port: terminator.port };
    const { fault, grpcFault } = await bothWays(null, at);
    expect(fault).toMatchObject({ code: "TLS_INTERCEPTED", stage: "interception" });
    expect(grpcFault).toMatchObject({ code: "TLS_INTERCEPTED", stage: "interception" });
  });

  it("calls another federation's aggregator by its name, not an interception", async () => {
    const other = await testFederation("other-federation");
    const leaf = await other.leaf("aggregator", "aggregator");
    const terminator = await startTlsTerminator(address.port, {
      key: leaf.tlsKeyPem,
      cert: leaf.chainPem + other.root.certificatePem,
    });
    opened.push(terminator);
    const { fault, grpcFault } = await bothWays(null, { host: "127.0.0.1", port: terminator.port });
    expect(fault).toMatchObject({ code: "AUTHORITY_MISMATCH" });
    expect(grpcFault).toMatchObject({ code: "CERTIFICATE_INVALID" });
  });

  it("refuses one that speaks HTTP/1.1 only, though its certificate is the federation's", async () => {
    const own = {
      key: aggregatorLeaf.tlsKeyPem,
      cert: aggregatorLeaf.chainPem + federation.root.certificatePem,
    };
    const faultOf = async (protocols: string[]) => {
      const terminator = await startTlsTerminator(address.port, own, protocols);
      opened.push(terminator);
      const faults: ConsiliumError[] = [];
      await client(null, faults, { host: "127.0.0.1", port: terminator.port })
        .whoAmI()
        .catch(() => undefined);
      return faults[0];
    };
    expect(await faultOf([])).toMatchObject({ stage: "alpn" });
    expect(await faultOf(["h2"])).toBeUndefined();
  });
});

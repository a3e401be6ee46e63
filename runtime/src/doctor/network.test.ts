import type { DoctorCheck } from "@consilium/core/hospital/doctorView";
import { doctorCheckSchema } from "@consilium/core/hospital/doctorView";
import { parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type PlayedAggregator,
  playAggregator,
  playDroppedPort,
  playInspector,
  playOldGateway,
  playPlainHttp,
  playTlsThen,
} from "../../testing/doctor/servers.js";
import { type TestFederation, type TestLeaf, testFederation } from "../../testing/identity/federation.js";
import { type ForeignAuthority, foreignAuthority } from "../../testing/network/certificates.js";
import { PlayedProxy, type PlayedProxyOptions, startTlsTerminator } from "../../testing/network/proxy.js";
import { issueRevocations } from "../identity/issueRevocations.js";
import { signingKeyFingerprint } from "../identity/names.js";
import { verifyRevocations } from "../identity/revocations.js";
import { ed25519Raw } from "../identity/x509.js";
import { proxyFor, type WebProxy } from "../network/proxy.js";
import { proxyConfigSchema } from "../network/proxyConfig.js";
import { checkNetwork, type NetworkTarget } from "./network.js";

const hourMs = 3_600_000;
let federation: TestFederation;
let gateway: ForeignAuthority;
let site: TestLeaf;
let leaf: TestLeaf;
const opened: { close(): unknown }[] = [];

beforeAll(async () => {
  federation = await testFederation("test-federation", Date.now() - 72 * hourMs);
  gateway = await foreignAuthority();
  site = await federation.leaf("site", "st-mary", { now: Date.now() });
  leaf = await federation.leaf("aggregator", "aggregator", { now: Date.now() });
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

async function kept<T extends { close(): unknown }>(made: Promise<T>): Promise<T> {
  const one = await made;
  opened.push(one);
  return one;
}

const aggregator = (own = leaf, knowsCheck = true): Promise<PlayedAggregator> =>
  kept(playAggregator(own, federation.root.certificatePem, knowsCheck));

/** As the federation's own: what a load balancer of the operator's would have. */
const own = () => ({ key: leaf.tlsKeyPem, cert: leaf.chainPem + federation.root.certificatePem });

async function examine(port: number, more: Partial<NetworkTarget> = {}) {
  const checks = await checkNetwork({
    address: { host: "127.0.0.1", port },
    proxy: null,
    serverRole: "aggregator",
    rootFingerprint: federation.root.fingerprint,
    identity: site,
    now: Date.now,
    timeoutMs: 700,
    ...more,
  });
  for (const one of checks) doctorCheckSchema.parse(one);
  const of = (id: string): DoctorCheck => checks.find((one) => one.id === id)!;
  const ids = (status: string) => checks.filter((one) => one.status === status).map((one) => one.id);
  return { checks, of, ids, failing: ids("fail") };
}

async function proxyOf(options: PlayedProxyOptions): Promise<WebProxy> {
  const { url } = await kept(PlayedProxy.start(options));
  const config = proxyConfigSchema.parse({ url });
  return proxyFor({ host: "127.0.0.1", port: 1 }, { config, configPath: "/x/config.yaml", environment: {} })!;
}

describe("a healthy way", () => {
  it("has nothing that fails, directly and through a proxy", async () => {
    const { port } = await aggregator();
    const direct = await examine(port);
    expect(direct.ids("ok")).toEqual([
      "dns",
      "tcp",
      "tls",
      "http2",
      "aggregator",
      "clock",
      "certificate",
      "version",
    ]);
    expect(direct.ids("skipped")).toEqual(["proxy"]);
    const through = await examine(port, { proxy: await proxyOf({}) });
    expect(through.ids("ok")).toEqual([
      "proxy",
      "tls",
      "http2",
      "aggregator",
      "clock",
      "certificate",
      "version",
    ]);
    for (const { forIt, remedy } of [...direct.checks, ...through.checks])
      expect([forIt, remedy]).toEqual([null, null]);
  });

  it("is healthy before enrolment too: only the certificate is skipped", async () => {
    const { port } = await aggregator();
    const checks = await checkNetwork({
      address: { host: "localhost", port },
      proxy: null,
      serverRole: "aggregator",
      rootFingerprint: federation.root.fingerprint,
      now: Date.now,
      timeoutMs: 2_000,
    });
    const skippedIds = checks.filter(({ status }) => status === "skipped").map(({ id }) => id);
    expect(skippedIds).toEqual(["proxy", "certificate"]);
    expect(checks.every(({ status }) => status !== "fail")).toBe(true);
  });
});

describe("the name and the way", () => {
  it("says that a name is unknown, and skips the rest", async () => {
    const found = await examine(7443, { address: { host: "aggregator.invalid", port: 7443 } });
    expect(found.failing).toEqual(["dns"]);
    expect(found.of("dns").forIt).toContain("resolve the name aggregator.invalid");
    expect(found.of("tcp").found).toContain('see "Aggregator host name');
  });

  it("tells a port that refuses from one that drops", async () => {
    const gone = await playAggregator(leaf, federation.root.certificatePem);
    await gone.close();
    const refused = await examine(gone.port);
    expect(refused.failing).toEqual(["tcp"]);
    expect(refused.of("tcp").found).toContain("refused");
    expect(refused.of("tcp").forIt).toContain(`outgoing TCP connections to 127.0.0.1:${gone.port}`);
    const { port } = await kept(playDroppedPort());
    const dropped = await examine(port);
    expect(dropped.failing).toEqual(["tcp"]);
    expect(dropped.of("tcp").found).toContain("dropped silently");
    expect(dropped.of("tcp").forIt).toContain("outbound only (no inbound port is needed)");
  });
});

describe("a proxy", () => {
  it.each([
    [
      { credentials: { username: "jo", password: "x" } },
      "407",
      "requires credentials, but none are configured",
    ],
    [{ refuse: 403 }, "403", "refuses a tunnel"],
    [{ isSilent: true }, "timeout", "refuses a tunnel"],
  ] as const)("with %j is named, with what to ask for", async (options, reason, words) => {
    const { port } = await aggregator();
    const found = await examine(port, { proxy: await proxyOf(options) });
    expect(found.failing).toEqual(["proxy"]);
    expect(found.of("proxy").found).toContain(words);
    expect(found.of("proxy").forIt).toContain(reason);
    expect(found.of("proxy").forIt).toContain(`CONNECT to 127.0.0.1:${port}`);
  });

  it("that is not there is no fault of the aggregator's", async () => {
    const { port } = await aggregator();
    const gone = await PlayedProxy.start({});
    const proxy = { ...(await proxyOf({})), port: gone.port };
    await gone.close();
    const found = await examine(port, { proxy });
    expect(found.failing).toEqual(["proxy"]);
    expect(found.of("proxy").forIt).toContain(`web proxy 127.0.0.1:${gone.port}`);
  });

  it("that opens TLS is recognised by its authority", async () => {
    const { port } = await aggregator();
    const intercept = await gateway.leaf("127.0.0.1");
    const found = await examine(port, { proxy: await proxyOf({ intercept }) });
    expect(found.failing).toEqual(["tls"]);
    expect(found.of("proxy").status).toBe("ok");
    expect(found.of("tls").found).toContain("Hospital Web Gateway CA");
    expect(found.of("tls").forIt).toContain(`exempt 127.0.0.1:${port} from TLS inspection`);
  });
});

describe("TLS and HTTP/2", () => {
  it("recognises a gateway that opens TLS unasked, also one that speaks only TLS 1.2", async () => {
    const { port } = await aggregator();
    const newer = await kept(startTlsTerminator(port, await gateway.leaf("127.0.0.1")));
    const older = await kept(playOldGateway(await gateway.leaf("127.0.0.1")));
    for (const one of [newer, older]) {
      const found = await examine(one.port);
      expect(found.failing).toEqual(["tls"]);
      expect(found.of("tls").forIt).toContain('issued by "Hospital Web Gateway CA"');
    }
  });

  it("tells another federation from an interception", async () => {
    const other = await testFederation("other-federation");
    const otherLeaf = await other.leaf("aggregator", "aggregator");
    const { port } = await kept(playAggregator(otherLeaf, other.root.certificatePem));
    const found = await examine(port);
    expect(found.failing).toEqual(["tls"]);
    expect(found.of("tls").forIt).toBeNull();
    expect(inEnglish(found.of("tls").remedy)).toContain("belongs to another federation");
  });

  it("says that what answers speaks no TLS", async () => {
    const found = await examine((await kept(playPlainHttp())).port);
    expect(found.failing).toEqual(["tls"]);
    expect(found.of("tls").found).toContain("does not support TLS");
  });

  it("sees that a terminator takes HTTP/2 away, and that a firewall cuts what offers it", async () => {
    const { port } = await aggregator();
    const stripped = await examine((await kept(startTlsTerminator(port, own(), []))).port);
    expect(stripped.failing).toEqual(["http2"]);
    expect(stripped.of("http2").found).toContain('(ALPN "h2") is removed');
    const offersHttp2 = (first: Buffer) => first.includes(Buffer.from("\u0002h2", "latin1"));
    const cutting = await examine((await kept(playInspector(port, offersHttp2))).port);
    expect(cutting.failing).toEqual(["http2"]);
    expect(cutting.of("http2").forIt).toContain("is closed as soon as HTTP/2");
    const fair = await examine((await kept(playInspector(port, () => false))).port);
    expect(fair.failing).toEqual([]);
  });

  it("says when TLS is cut altogether", async () => {
    const { port } = await aggregator();
    const found = await examine((await kept(playInspector(port, () => true))).port);
    expect(found.failing).toEqual(["tls"]);
    expect(found.of("tls").forIt).toContain("let TLS 1.3 to");
  });

  it("sees that HTTP/2's frames are cut or swallowed after the handshake", async () => {
    const silent = await kept(playTlsThen(own(), () => undefined));
    const swallowed = await examine(silent.port);
    expect(swallowed.failing).toEqual(["http2"]);
    expect(swallowed.of("http2").found).toContain("dropped");
    const cutting = await kept(playTlsThen(own(), (socket) => socket.once("data", () => socket.destroy())));
    const cut = await examine(cutting.port);
    expect(cut.failing).toEqual(["http2"]);
    expect(cut.of("http2").found).toContain("closed at HTTP/2's first frames");
  });
});

describe("clocks and certificates", () => {
  it.each([
    [2 * hourMs, "2h ahead of"],
    [-2 * hourMs, "2h behind"],
  ])("finds this machine's clock wrong by %d ms", async (byMs, words) => {
    const { port } = await aggregator();
    const found = await examine(port, { now: () => Date.now() + byMs });
    expect(found.failing).toEqual(["clock"]);
    expect(found.of("clock").found).toContain(words);
    expect(found.of("clock").forIt).toContain("NTP");
  });

  it("finds a clock wrong by days, when certificates no longer fit, by asking all the same", async () => {
    const { port } = await aggregator();
    const found = await examine(port, { now: () => Date.now() + 100 * 24 * hourMs });
    expect(found.of("tls").status).toBe("warn");
    expect(found.failing).toEqual(["clock"]);
  });

  it("warns of a minute, and lets a second pass", async () => {
    const played = await aggregator();
    expect((await examine(played.port, { now: () => Date.now() + 60_000 })).of("clock").status).toBe("warn");
    expect((await examine(played.port, { now: () => Date.now() + 1_000 })).of("clock").status).toBe("ok");
  });

  it("reads the clock of an aggregator that knows no such question from HTTP's date", async () => {
    const { port } = await aggregator(leaf, false);
    const wrong = await examine(port, { now: () => Date.now() - hourMs });
    expect(wrong.failing).toEqual(["clock"]);
    expect(wrong.of("version").status).toBe("warn");
    expect((await examine(port)).failing).toEqual([]);
  });

  it("blames the aggregator for its own expired certificate, not this clock", async () => {
    const expired = await federation.leaf("aggregator", "aggregator", {
      now: Date.now() - 48 * hourMs,
      lifetimeMs: hourMs,
    });
    const found = await examine((await aggregator(expired)).port);
    expect(found.failing).toEqual(["clock"]);
    expect(found.of("clock").found).toContain("certificate is not valid by its own clock");
    expect(found.of("clock").forIt).toBeNull();
  });

  it("tells what the aggregator thinks of this site: expired, foreign, expelled", async () => {
    const played = await aggregator();
    const expired = await federation.leaf("site", "st-mary", {
      now: Date.now() - 48 * hourMs,
      lifetimeMs: hourMs,
    });
    const late = await examine(played.port, { identity: expired });
    expect(late.failing).toEqual(["certificate"]);
    expect(inEnglish(late.of("certificate").found)).toContain("expired on");
    const foreign = await (await testFederation("other-federation")).leaf("site", "st-mary");
    expect((await examine(played.port, { identity: foreign })).failing).toEqual(["certificate"]);
    expel(played);
    const out = await examine(played.port);
    expect(out.failing).toEqual(["certificate"]);
    expect(out.of("certificate").found).toContain("expelled");
  });

  it("names the side that must be upgraded", async () => {
    const played = await aggregator();
    played.says = { lowest: 7, highest: 9 };
    const ours = await examine(played.port);
    expect(ours.failing).toEqual(["version"]);
    expect(ours.of("version").remedy).toContain("at this site");
    played.says = { lowest: 0, highest: 0 };
    expect((await examine(played.port)).of("version").remedy).toContain("operator must upgrade");
  });
});

/** Puts the site on the aggregator's list of the expelled. */
function expel(played: PlayedAggregator): void {
  const revocation = {
    siteId: unwrap(parseSiteId("st-mary")),
    signingKeyFingerprint: signingKeyFingerprint(ed25519Raw(site.signingKey)),
    reason: "left",
    revokedAt: Date.now(),
  };
  const rootPem = federation.root.certificatePem;
  const list = issueRevocations(federation.root, undefined, [revocation]);
  played.revocations = unwrap(verifyRevocations(list, { rootPem, knownSequence: 0 }));
}

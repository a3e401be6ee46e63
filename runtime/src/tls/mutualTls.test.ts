import { once } from "node:events";
import { createConnection } from "node:net";
import tls from "node:tls";
import { parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import type { Server } from "@grpc/grpc-js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type TestFederation, type TestLeaf, testFederation } from "../../testing/identity/federation.js";
import { addTestService, TestClient } from "../../testing/tls/network.js";
import { issueRevocations } from "../identity/issueRevocations.js";
import { signingKeyFingerprint } from "../identity/names.js";
import { verifyRevocations } from "../identity/revocations.js";
import type { RevocationList } from "../identity/revoked.js";
import { ed25519Raw } from "../identity/x509.js";
import type { Address } from "./address.js";
import { fetchChain } from "./fetchChain.js";
import { closeGrpc, createGrpcServer, listenGrpc } from "./grpcServer.js";
import { enforceTlsPolicy } from "./policy.js";
import { MutualTlsServerCredentials } from "./serverCredentials.js";

const before = { min: tls.DEFAULT_MIN_VERSION, max: tls.DEFAULT_MAX_VERSION };
let federation: TestFederation;
let other: TestFederation;
let aggregator: TestLeaf;
let site: TestLeaf;
beforeAll(async () => {
  enforceTlsPolicy();
  federation = await testFederation();
  other = await testFederation();
  aggregator = await federation.leaf("aggregator", "aggregator");
  site = await federation.leaf("site", "clinic-1");
});
afterAll(() => {
  tls.DEFAULT_MIN_VERSION = before.min;
  tls.DEFAULT_MAX_VERSION = before.max;
});

let server: Server;
let credentials: MutualTlsServerCredentials;
let address: Address;
let revocations: RevocationList | undefined;
let clock: () => number;
const clients: TestClient[] = [];

function identityOf(leaf: TestLeaf, of = federation) {
  return { tlsKeyPem: leaf.tlsKeyPem, chainPem: leaf.chainPem, rootPem: of.root.certificatePem };
}

beforeEach(async () => {
  revocations = undefined;
  clock = Date.now;
  server = createGrpcServer();
  addTestService(server, {
    rootPem: federation.root.certificatePem,
    now: () => clock(),
    revocations: () => revocations,
  });
  credentials = new MutualTlsServerCredentials(identityOf(aggregator));
  const port = await listenGrpc(server, { host: "127.0.0.1", port: 0 }, credentials);
  address = { host: "127.0.0.1", port };
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await closeGrpc(server, 500);
});

function clientOf(
  identity?: { tlsKeyPem: string; chainPem: string },
  rootPem = federation.root.certificatePem,
) {
  const client = new TestClient(address, { identity, rootPem, serverRole: "aggregator" });
  clients.push(client);
  return client;
}

describe("per call, the server", () => {
  it("knows a site and an aggregator by their certificates", async () => {
    expect(await clientOf(site).whoAmI()).toBe("site/clinic-1");
    expect(await clientOf(aggregator).whoAmI()).toBe("aggregator/aggregator");
  });

  it("tells a missing certificate from an invalid one", async () => {
    expect(await clientOf().whoAmI()).toBe("CERTIFICATE_MISSING");
    expect(await clientOf(await other.leaf("site", "clinic-1")).whoAmI()).toBe("CERTIFICATE_INVALID");
  });

  it("refuses an expired certificate, and one that expires while the connection is open", async () => {
    const expired = await federation.leaf("site", "a", { now: Date.now() - 3_600_000, lifetimeMs: 1000 });
    expect(await clientOf(expired).whoAmI()).toBe("CERTIFICATE_INVALID");
    const client = clientOf(site);
    expect(await client.whoAmI()).toBe("site/clinic-1");
    clock = () => Date.now() + 2 * 86_400_000;
    expect(await client.whoAmI()).toBe("CERTIFICATE_INVALID");
  });

  it("refuses a self-signed certificate: a root of one's own, with its key", async () => {
    const { privateKey, certificatePem } = other.root;
    const tlsKeyPem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
    expect(await clientOf({ tlsKeyPem, chainPem: certificatePem }).whoAmI()).toBe("CERTIFICATE_INVALID");
  });

  it("refuses a leaf that comes without its issuing certificate", async () => {
    const leafOnly = site.chainPem.slice(0, site.chainPem.indexOf("-----BEGIN", 10));
    expect(await clientOf({ ...site, chainPem: leafOnly }).whoAmI()).toBe("CERTIFICATE_INVALID");
  });

  it("refuses a site from the moment it is expelled, on the open connection too", async () => {
    const client = clientOf(site);
    expect(await client.whoAmI()).toBe("site/clinic-1");
    const bytes = issueRevocations(federation.root, undefined, [
      {
        siteId: unwrap(parseSiteId("clinic-1")),
        signingKeyFingerprint: signingKeyFingerprint(ed25519Raw(site.signingKey)),
        reason: "left",
        revokedAt: Date.now(),
      },
    ]);
    revocations = unwrap(
      verifyRevocations(bytes, { rootPem: federation.root.certificatePem, knownSequence: 0 }),
    );
    expect(await client.whoAmI()).toBe("SITE_EXPELLED");
    expect(await clientOf(aggregator).whoAmI()).toBe("aggregator/aggregator");
  });
});

describe("the client", () => {
  it("refuses a server of another authority", async () => {
    await expect(clientOf(site, other.root.certificatePem).whoAmI()).rejects.toMatchObject({ code: 14 });
  });

  it("refuses a server of the federation that is not the aggregator", async () => {
    for (const impostor of [site, await federation.leaf("publisher", "publisher")]) {
      credentials.replace(identityOf(impostor));
      await expect(clientOf(site).whoAmI()).rejects.toMatchObject({ code: 14 });
    }
    credentials.replace(identityOf(aggregator));
    expect(await clientOf(site).whoAmI()).toBe("site/clinic-1");
  });
});

describe("the TLS policy", () => {
  const raw = (versions: tls.SecureContextOptions) =>
    new Promise<string>((resolve) => {
      const socket = tls.connect({
        ...address,
        rejectUnauthorized: false,
        ALPNProtocols: ["h2"],
        ...versions,
      });
      socket.once("secureConnect", () => {
        resolve(socket.getProtocol() ?? "none");
        socket.destroy();
      });
      socket.once("error", (cause) => resolve((cause as NodeJS.ErrnoException).code ?? "error"));
    });

  it("refuses TLS 1.2 when it is offered, and speaks 1.3: the control", async () => {
    expect(await raw({ minVersion: "TLSv1.2", maxVersion: "TLSv1.2" })).toMatch(/PROTOCOL_VERSION/);
    expect(await raw({ minVersion: "TLSv1.2", maxVersion: "TLSv1.3" })).toBe("TLSv1.3");
  });

  it("refuses TLS 1.2 after a hot swap too", async () => {
    credentials.replace(identityOf(await federation.leaf("aggregator", "aggregator")));
    expect(await raw({ minVersion: "TLSv1.2", maxVersion: "TLSv1.2" })).toMatch(/PROTOCOL_VERSION/);
  });

  it("binds servers and clients that name no version, for the whole process", async () => {
    const plain = tls.createServer({ key: aggregator.tlsKeyPem, cert: aggregator.chainPem });
    plain.listen(0, "127.0.0.1");
    await once(plain, "listening");
    const gateway = address;
    address = { host: "127.0.0.1", port: (plain.address() as { port: number }).port };
    expect(await raw({ minVersion: "TLSv1.2", maxVersion: "TLSv1.2" })).toMatch(/PROTOCOL_VERSION/);
    expect(await raw({})).toBe("TLSv1.3");
    address = gateway;
    plain.close();
    const old = tls.createServer({
      key: aggregator.tlsKeyPem,
      cert: aggregator.chainPem,
      minVersion: "TLSv1.2",
      maxVersion: "TLSv1.2",
    });
    old.listen(0, "127.0.0.1");
    await once(old, "listening");
    address = { host: "127.0.0.1", port: (old.address() as { port: number }).port };
    expect(await raw({})).not.toMatch(/^TLSv/);
    old.close();
  });
});

describe("a hot swap", () => {
  it("serves the new certificate to new connections and leaves open ones alone", async () => {
    const serialAt = async () => {
      const root = federation.root.fingerprint;
      return unwrap(
        await fetchChain(address, { rootFingerprint: root, serverRole: "aggregator", now: Date.now() }),
      ).server.serial;
    };
    const client = clientOf(site);
    expect(await client.whoAmI()).toBe("site/clinic-1");
    const first = await serialAt();
    expect(await serialAt()).toBe(first);
    credentials.replace(identityOf(await federation.leaf("aggregator", "aggregator")));
    expect(await serialAt()).not.toBe(first);
    expect(await client.whoAmI()).toBe("site/clinic-1");
    expect(await clientOf(site).whoAmI()).toBe("site/clinic-1");
  });
});

describe("fetchChain", () => {
  const fetch = (rootFingerprint = federation.root.fingerprint, at = address, timeoutMs = 2000) =>
    fetchChain(at, { rootFingerprint, serverRole: "aggregator", now: Date.now(), timeoutMs });
  const codeOf = (result: Awaited<ReturnType<typeof fetch>>) => (result.ok ? "ok" : result.error.code);

  it("finds the pinned root, which then serves for enrolling", async () => {
    const { rootPem, server: peer } = unwrap(await fetch());
    expect(rootPem.trim()).toBe(federation.root.certificatePem.trim());
    expect(peer).toMatchObject({ role: "aggregator", id: "aggregator" });
    expect(await clientOf(undefined, rootPem).whoAmI()).toBe("CERTIFICATE_MISSING");
  });

  it("refuses another authority", async () =>
    expect(codeOf(await fetch(other.root.fingerprint))).toBe("AUTHORITY_MISMATCH"));

  it("refuses a stranger who shows the public root behind a certificate of his own", async () => {
    const stranger = await other.leaf("aggregator", "aggregator");
    const { chainPem } = stranger;
    credentials.replace({ ...identityOf(stranger), chainPem: chainPem + federation.root.certificatePem });
    expect(["AUTHORITY_MISMATCH", "CERTIFICATE_INVALID"]).toContain(codeOf(await fetch()));
  });

  it("refuses a member of the federation that is not the aggregator", async () => {
    credentials.replace(identityOf(await federation.leaf("publisher", "publisher")));
    expect(codeOf(await fetch())).toBe("NOT_PERMITTED");
  });

  it("says when nothing, or no TLS, answers", async () => {
    const silent = (await import("node:net")).createServer(() => {});
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const port = (silent.address() as { port: number }).port;
    const mute = await fetch(undefined, { host: "127.0.0.1", port }, 200);
    expect(codeOf(mute)).toBe("UNREACHABLE");
    expect(mute.ok ? "" : mute.error.message).toContain("timeout");
    silent.close();
    const closed = await fetch(undefined, { host: "127.0.0.1", port: 1 });
    expect(closed.ok ? "" : closed.error.message).toContain("ECONNREFUSED");
  });
});

describe("the server", () => {
  it("says when its port is taken", async () => {
    const second = createGrpcServer();
    await expect(listenGrpc(second, address, credentials)).rejects.toMatchObject({ code: "PORT_IN_USE" });
    await closeGrpc(second, 100);
  });

  it("survives bytes that are no TLS", async () => {
    const socket = createConnection(address);
    await once(socket, "connect");
    socket.write(Buffer.alloc(1000, 0xff));
    await once(socket, "close");
    expect(await clientOf(site).whoAmI()).toBe("site/clinic-1");
  });
});

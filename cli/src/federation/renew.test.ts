import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadIssuer } from "@consilium/runtime/identity/authorityFiles";
import { loadIdentity } from "@consilium/runtime/identity/files";
import { verifyPeer } from "@consilium/runtime/identity/verify";
import { pemChainToDer } from "@consilium/runtime/identity/x509";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-renew-"));
  expect(
    (await cli("init", "--aggregator-host", "agg.example.org", "--aggregator-host", "192.0.2.7")).code,
  ).toBe(0);
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function cli(...args: string[]) {
  const io = capturedIo();
  return { code: await runCli([...args, "--home", home, "--json"], io), said: () => JSON.parse(io.out()) };
}

const chainOf = (role: string) => readFile(join(home, role, "identity", "chain.pem"), "utf8");
const identityOf = async (role: string) => {
  const loaded = await loadIdentity(join(home, role, "identity"), Date.now());
  if (!loaded.ok) throw loaded.error;
  return loaded.value;
};
const issuerOf = async () => {
  const loaded = await loadIssuer(join(home, "aggregator", "issuing"));
  if (!loaded.ok) throw loaded.error;
  return loaded.value.certificatePem;
};

describe("consilium renew", () => {
  it("issues a server a new key and certificate for the same signing key and hosts, without the root key", async () => {
    const [before, chain, issuer] = [
      await identityOf("aggregator"),
      await chainOf("aggregator"),
      await issuerOf(),
    ];
    await rm(join(home, "authority"), { recursive: true });
    expect((await cli("renew", "aggregator")).code).toBe(0);
    const after = await identityOf("aggregator");
    expect(after.fingerprint).toBe(before.fingerprint);
    expect(after.tlsKeyPem).not.toBe(before.tlsKeyPem);
    expect(await issuerOf()).toBe(issuer);
    const names = (pem: string) => new X509Certificate(pem).subjectAltName;
    expect(names(await chainOf("aggregator"))).toBe(names(chain));
    expect(names(chain)).toContain("192.0.2.7");
  });

  it("accepts other hosts", async () => {
    expect((await cli("renew", "publisher", "--host", "releases.example.org")).code).toBe(0);
    const certificate = new X509Certificate(await chainOf("publisher"));
    expect(certificate.checkHost("releases.example.org")).toBeDefined();
    expect((await cli("renew", "publisher", "--host", "http://wrong")).code).toBe(2);
  });

  it("recreates a lost publisher's identity if its hosts are given", async () => {
    await rm(join(home, "publisher"), { recursive: true });
    expect((await cli("renew", "publisher")).code).toBe(1);
    expect((await cli("renew", "publisher", "--host", "releases.example.org")).code).toBe(0);
    expect(await identityOf("publisher")).toMatchObject({ role: "publisher" });
  });

  it("replaces the issuing key with the root key, and certificates of the old one stay valid", async () => {
    const [issuer, old, { rootPem }] = [
      await issuerOf(),
      await chainOf("publisher"),
      await identityOf("publisher"),
    ];
    const { code, said } = await cli("renew", "issuing");
    expect(code).toBe(0);
    expect(said().servers.map((one: { what: string }) => one.what)).toEqual(["aggregator", "publisher"]);
    expect(await issuerOf()).not.toBe(issuer);
    for (const role of ["aggregator", "publisher"]) {
      expect(await chainOf(role)).toContain((await issuerOf()).trim());
    }
    const peer = verifyPeer(pemChainToDer(old), { rootPem, now: Date.now(), purpose: "server" });
    expect(peer.ok).toBe(true);
  });

  it("refuses another federation's authority, and changes nothing", async () => {
    const issuer = await issuerOf();
    const other = join(home, "other");
    const io = capturedIo();
    expect(await runCli(["init", "--home", other], io)).toBe(0);
    expect((await cli("renew", "issuing", "--authority", join(other, "authority"))).code).toBe(4);
    expect(await issuerOf()).toBe(issuer);
    await identityOf("aggregator");
  });

  it("continues an interrupted renewal", async () => {
    await cli("renew", "aggregator");
    const waiting = join(home, "aggregator", "identity", "tls-key.next.pem");
    await writeFile(waiting, await readFile(join(home, "aggregator", "identity", "tls-key.pem")));
    expect((await cli("renew", "aggregator")).code).toBe(0);
    await identityOf("aggregator");
  });
});

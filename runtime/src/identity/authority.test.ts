import { execFileSync } from "node:child_process";
import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { beforeAll, describe, expect, it } from "vitest";
import { type TestFederation, testFederation } from "../../testing/identity/federation.js";
import { createAuthority, issueIssuer, issueLeaf } from "./authority.js";
import { rootFingerprint } from "./certificates.js";
import { pemChainToDer, pemToDer } from "./x509.js";

const now = Date.UTC(2030, 0, 1);
let federation: TestFederation;
beforeAll(async () => {
  federation = await testFederation("north-west", now);
});

describe("the authority", () => {
  it("makes a self-signed P-256 root for 20 years and an issuing certificate for 5", () => {
    const root = new X509Certificate(federation.root.certificatePem);
    const issuer = new X509Certificate(federation.issuer.certificatePem);
    expect(root.verify(root.publicKey)).toBe(true);
    expect(issuer.verify(root.publicKey)).toBe(true);
    expect(root.ca && issuer.ca).toBe(true);
    expect(new Date(root.validTo).getUTCFullYear()).toBe(2050);
    expect([2034, 2035]).toContain(new Date(issuer.validTo).getUTCFullYear());
    expect(root.publicKey.asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
  });

  it("has OpenSSL's SHA-256 fingerprint of the root's DER", () => {
    const colons = new X509Certificate(federation.root.certificatePem).fingerprint256;
    expect(federation.root.fingerprint).toBe(colons.replaceAll(":", "").toLowerCase());
    expect(rootFingerprint(federation.root.certificatePem)).toBe(federation.root.fingerprint);
  });

  it("refuses a name that is no federation's", async () => {
    await expect(createAuthority({ federation: "North West", now })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
  });

  it("gives every certificate another serial number", async () => {
    const [a, b] = [await federation.leaf("site", "a"), await federation.leaf("site", "a")];
    expect(new X509Certificate(a.chainPem).serialNumber).not.toBe(
      new X509Certificate(b.chainPem).serialNumber,
    );
  });
});

describe("a leaf", () => {
  it("carries identity, signing key and addresses as alternative names", async () => {
    const { chainPem } = await federation.leaf("aggregator", "aggregator");
    const names = new X509Certificate(chainPem).subjectAltName ?? "";
    expect(names).toContain("URI:consilium:north-west/aggregator/aggregator");
    expect(names).toMatch(/URI:consilium-signing-key:[A-Za-z0-9_-]{43}(,|$)/);
    expect(names).toContain("DNS:localhost");
    expect(names).toContain("IP Address:127.0.0.1");
  });

  it("verifies with the openssl program, as a client", async () => {
    const { chainPem } = await federation.leaf("site", "a");
    const folder = mkdtempSync(join(tmpdir(), "consilium-openssl-"));
    try {
      const root = join(folder, "root.pem");
      const chain = join(folder, "chain.pem");
      writeFileSync(root, federation.root.certificatePem);
      writeFileSync(chain, chainPem);
      const verify = (purpose: string) =>
        execFileSync(
          "openssl",
          [
            "verify",
            "-x509_strict",
            "-attime",
            `${now / 1000}`,
            "-purpose",
            purpose,
            "-CAfile",
            root,
            "-untrusted",
            chain,
            chain,
          ],
          { encoding: "utf8", stdio: "pipe" },
        );
      expect(verify("sslclient")).toContain("OK");
      expect(() => verify("sslserver")).toThrow();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("comes with the issuing and the root certificate, and ends no later than the issuing one", async () => {
    const { chainPem } = await federation.leaf("site", "a", { lifetimeMs: 30 * 365 * 86_400_000 });
    const chain = pemChainToDer(chainPem);
    expect(chain.length).toBe(3);
    expect(chain[2]!.equals(pemToDer(federation.root.certificatePem))).toBe(true);
    expect(new X509Certificate(chain[0]!).validTo).toBe(new X509Certificate(chain[1]!).validTo);
  });

  it("is refused when the issuing certificate has expired, or for another kind of key", async () => {
    await expect(federation.leaf("site", "a", { now: now + 6 * 365.25 * 86_400_000 })).rejects.toMatchObject({
      code: "CERTIFICATE_INVALID",
    });
    const rsa = createPublicKey(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey);
    const request = {
      federation: "north-west",
      role: "site" as const,
      id: unwrap(parseSiteId("a")),
      tlsPublicKey: rsa,
      signingKey: new Uint8Array(32),
      lifetimeMs: 1000,
      now,
    };
    await expect(issueLeaf(federation.issuer, request)).rejects.toThrow(RangeError);
    await expect(issueLeaf(federation.issuer, { ...request, federation: "other" })).rejects.toThrow(
      RangeError,
    );
  });

  it("can be issued by a second issuing key of the same root", async () => {
    const second = await issueIssuer(federation.root, { now });
    expect(second.certificatePem).not.toBe(federation.issuer.certificatePem);
    expect(
      new X509Certificate(second.certificatePem).verify(
        new X509Certificate(federation.root.certificatePem).publicKey,
      ),
    ).toBe(true);
  });
});

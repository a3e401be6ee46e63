import { createPublicKey, generateKeyPairSync, type KeyObject, webcrypto } from "node:crypto";
import { parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type TestFederation, testFederation } from "../../testing/identity/federation.js";
import { ecdsaP256, newSerial, toCryptoKeys } from "./cryptoKeys.js";
import { issueRevocations } from "./issueRevocations.js";
import { authorityUri, identityUri, signingKeyFingerprint, signingKeyUri } from "./names.js";
import { verifyRevocations } from "./revocations.js";
import { verifyPeer } from "./verify.js";
import { ed25519Raw, pemChainToDer, pemToDer, x509 } from "./x509.js";

const now = Date.UTC(2030, 0, 1);
const day = 86_400_000;
let federation: TestFederation;
let other: TestFederation;
beforeAll(async () => {
  federation = await testFederation("north-west", now);
  other = await testFederation("north-west", now);
});

function check(chain: readonly Uint8Array[], options: Partial<Parameters<typeof verifyPeer>[1]> = {}) {
  return verifyPeer(chain, { rootPem: federation.root.certificatePem, now, purpose: "client", ...options });
}

function codeOf(result: ReturnType<typeof verifyPeer>) {
  return result.ok ? "ok" : result.error.code;
}

function p256(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

/** A certificate with arbitrary extensions, signed by the given key under the issuer's name. */
async function forge(options: {
  issuerPem: string;
  issuerKey: KeyObject;
  extensions: x509.Extension[];
  key?: KeyObject;
  subject?: string;
}): Promise<Buffer> {
  const issuer = new x509.X509Certificate(pemToDer(options.issuerPem));
  const keys = await toCryptoKeys(options.key ?? p256());
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: options.subject ?? "CN=forged",
    issuer: issuer.subjectName,
    notBefore: new Date(now - day),
    notAfter: new Date(now + day),
    signingAlgorithm: ecdsaP256,
    publicKey: keys.publicKey,
    signingKey: (await toCryptoKeys(options.issuerKey)).privateKey,
    extensions: options.extensions,
  });
  return Buffer.from(certificate.rawData);
}

function leafExtensions(uris: string[]): x509.Extension[] {
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
    new x509.SubjectAlternativeNameExtension(uris.map((value) => ({ type: "url" as const, value }))),
  ];
}

const siteA = { federation: "north-west", role: "site" as const, id: unwrap(parseSiteId("a")) };
const goodUris = [identityUri(siteA), signingKeyUri(new Uint8Array(32).fill(7))];

describe("verifyPeer accepts", () => {
  it("a leaf of the federation, and says who it is", async () => {
    const leaf = await federation.leaf("site", "clinic-1");
    const identity = unwrap(check(pemChainToDer(leaf.chainPem), { role: "site" }));
    expect(identity).toMatchObject({
      federation: "north-west",
      role: "site",
      id: "clinic-1",
      notAfter: now + day,
    });
    expect(identity.signingKey).toEqual(ed25519Raw(leaf.signingKey));
    expect(identity.fingerprint).toBe(signingKeyFingerprint(ed25519Raw(leaf.signingKey)));
    expect(identity.serial).toMatch(/^[0-9a-f]{32}$/);
  });

  it("a hand-made leaf with just the right extensions: the control of the refusals below", async () => {
    const leaf = await forge({
      issuerPem: federation.issuer.certificatePem,
      issuerKey: federation.issuer.privateKey,
      extensions: leafExtensions(goodUris),
    });
    expect(codeOf(check([leaf, pemToDer(federation.issuer.certificatePem)]))).toBe("ok");
  });

  it("an aggregator as a server and as a client, a site as a client only", async () => {
    const aggregator = pemChainToDer((await federation.leaf("aggregator", "aggregator")).chainPem);
    const site = pemChainToDer((await federation.leaf("site", "a")).chainPem);
    expect(codeOf(check(aggregator, { purpose: "server" }))).toBe("ok");
    expect(codeOf(check(aggregator))).toBe("ok");
    expect(codeOf(check(site, { purpose: "server" }))).toBe("CERTIFICATE_INVALID");
  });
});

describe("verifyPeer, for a chain that it has accepted before,", () => {
  it("still looks at everything else it is asked with", async () => {
    const chain = pemChainToDer((await federation.leaf("site", "a")).chainPem);
    const first = unwrap(check(chain));
    first.signingKey.fill(0);
    expect(unwrap(check(chain)).signingKey).not.toEqual(first.signingKey);
    expect(codeOf(check(chain, { now: now + 2 * day }))).toBe("CERTIFICATE_INVALID");
    expect(codeOf(check(chain, { now: Number.NaN }))).toBe("CERTIFICATE_INVALID");
    expect(codeOf(check(chain, { role: "publisher" }))).toBe("NOT_PERMITTED");
    expect(codeOf(check(chain, { purpose: "server" }))).toBe("CERTIFICATE_INVALID");
    expect(codeOf(check(chain, { rootPem: other.root.certificatePem }))).toBe("CERTIFICATE_INVALID");
    expect(codeOf(check([chain[0]!]))).toBe("CERTIFICATE_INVALID");
    expect(codeOf(check([chain[0]!, chain[2]!]))).toBe("CERTIFICATE_INVALID");
  });
});

describe("verifyPeer refuses", () => {
  it("nothing at all", () => expect(codeOf(check([]))).toBe("CERTIFICATE_MISSING"));

  it("another authority of the same name", async () => {
    const leaf = pemChainToDer((await other.leaf("site", "a")).chainPem);
    expect(codeOf(check(leaf))).toBe("CERTIFICATE_INVALID");
    expect(codeOf(check([leaf[0]!, pemToDer(federation.issuer.certificatePem)]))).toBe("CERTIFICATE_INVALID");
  });

  it("a leaf without its issuing certificate", async () => {
    const leaf = pemChainToDer((await federation.leaf("site", "a")).chainPem);
    expect(codeOf(check([leaf[0]!]))).toBe("CERTIFICATE_INVALID");
    expect(codeOf(check([leaf[0]!, leaf[2]!]))).toBe("CERTIFICATE_INVALID");
  });

  it("a certificate before and after its time", async () => {
    const chain = pemChainToDer((await federation.leaf("site", "a")).chainPem);
    const late = check(chain, { now: now + day + 1000 });
    expect(codeOf(late)).toBe("CERTIFICATE_INVALID");
    expect(inEnglish(late)).toMatchObject({
      error: { message: expect.stringContaining("expired on 2030-01-02") as string },
    });
    expect(codeOf(check(chain, { now: now - 10 * 60_000 }))).toBe("CERTIFICATE_INVALID");
  });

  it("an issuing certificate after its time", async () => {
    const leaf = await federation.leaf("site", "a", { lifetimeMs: 30 * 365 * day });
    const result = check(pemChainToDer(leaf.chainPem), { now: now + 5.5 * 365.25 * day });
    expect(codeOf(result)).toBe("CERTIFICATE_INVALID");
  });

  it("a self-signed certificate", async () => {
    const key = p256();
    const keys = await toCryptoKeys(key);
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      name: "CN=a",
      notBefore: new Date(now - day),
      notAfter: new Date(now + day),
      signingAlgorithm: ecdsaP256,
      keys,
      extensions: leafExtensions(goodUris),
    });
    const der = Buffer.from(certificate.rawData);
    expect(codeOf(check([der, der]))).toBe("CERTIFICATE_INVALID");
  });

  it("a leaf that plays issuer, though the federation signed it", async () => {
    const site = await federation.leaf("site", "a");
    const sitePem = site.chainPem;
    const forged = await forge({
      issuerPem: sitePem,
      issuerKey: site.tlsKey,
      extensions: leafExtensions(goodUris),
    });
    expect(codeOf(check([forged, pemToDer(sitePem)]))).toBe("CERTIFICATE_INVALID");
  });

  it("an issuer below the issuer (path length)", async () => {
    const key = p256();
    const sub = await forge({
      issuerPem: federation.issuer.certificatePem,
      issuerKey: federation.issuer.privateKey,
      key,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
        new x509.SubjectAlternativeNameExtension([
          { type: "url", value: authorityUri("north-west", "issuer") },
        ]),
      ],
    });
    const subPem = new x509.X509Certificate(sub).toString("pem");
    const leaf = await forge({ issuerPem: subPem, issuerKey: key, extensions: leafExtensions(goodUris) });
    expect(codeOf(check([leaf, sub, pemToDer(federation.issuer.certificatePem)]))).toBe(
      "CERTIFICATE_INVALID",
    );
  });

  it.each<[string, (good: x509.Extension[]) => x509.Extension[]]>([
    ["no basic constraints", (good) => good.slice(1)],
    ["CA set", (good) => [new x509.BasicConstraintsExtension(true, 0, true), ...good.slice(1)]],
    ["no key usage", (good) => good.filter((_, index) => index !== 1)],
    ["no extended key usage", (good) => good.filter((_, index) => index !== 2)],
    [
      "server usage only",
      (good) => good.with(2, new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth])),
    ],
    ["no alternative names", (good) => good.slice(0, 3)],
    [
      "an unknown critical extension",
      (good) => [...good, new x509.Extension("1.2.3.4", true, new Uint8Array([5, 0]))],
    ],
    ["two identities", () => leafExtensions([...goodUris, identityUri({ ...siteA, role: "aggregator" })])],
    ["no signing key", () => leafExtensions([goodUris[0]!])],
    ["a short signing key", () => leafExtensions([goodUris[0]!, signingKeyUri(new Uint8Array(31))])],
    [
      "another federation",
      () => leafExtensions([identityUri({ ...siteA, federation: "south" }), goodUris[1]!]),
    ],
    ["an unknown role", () => leafExtensions(["consilium:north-west/root/a", goodUris[1]!])],
    ["a bad id", () => leafExtensions(["consilium:north-west/site/A..", goodUris[1]!])],
    ["the authority's name", () => leafExtensions([authorityUri("north-west", "issuer"), goodUris[1]!])],
  ])("a leaf with %s, though properly signed", async (_, change) => {
    const leaf = await forge({
      issuerPem: federation.issuer.certificatePem,
      issuerKey: federation.issuer.privateKey,
      extensions: change(leafExtensions(goodUris)),
    });
    expect(codeOf(check([leaf, pemToDer(federation.issuer.certificatePem)]))).toBe("CERTIFICATE_INVALID");
  });

  it("any changed byte of a leaf", async () => {
    const chain = pemChainToDer((await federation.leaf("site", "a")).chainPem);
    fc.assert(
      fc.property(fc.nat({ max: chain[0]!.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(chain[0]!);
        changed[at]! ^= flip;
        return codeOf(check([changed, chain[1]!])) === "CERTIFICATE_INVALID";
      }),
      { numRuns: 200 },
    );
  });

  it("random bytes, without throwing", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.uint8Array({ maxLength: 2000 }), (leaf, issuer) => {
        return codeOf(check([leaf, issuer])) === "CERTIFICATE_INVALID";
      }),
    );
    expect(codeOf(check([new Uint8Array(9000), new Uint8Array(9000)]))).toBe("CERTIFICATE_INVALID");
  });

  it("a certificate whose key is not P-256", async () => {
    const key = createPublicKey(generateKeyPairSync("ed25519").privateKey);
    expect(key.asymmetricKeyType).toBe("ed25519");
    const keys = (await webcrypto.subtle.generateKey("Ed25519", true, [
      "sign",
      "verify",
    ])) as webcrypto.CryptoKeyPair;
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      name: "CN=a",
      keys,
      signingAlgorithm: { name: "Ed25519" },
    });
    expect(codeOf(check([Buffer.from(certificate.rawData)]))).toBe("CERTIFICATE_INVALID");
  });

  it("another role than the expected one", async () => {
    const chain = pemChainToDer((await federation.leaf("site", "a")).chainPem);
    expect(codeOf(check(chain, { role: "aggregator" }))).toBe("NOT_PERMITTED");
  });

  it("an expelled site, under whatever name, and nobody else", async () => {
    const signingKey = generateKeyPairSync("ed25519").privateKey;
    const fingerprint = signingKeyFingerprint(ed25519Raw(signingKey));
    const bytes = issueRevocations(federation.root, undefined, [
      {
        siteId: unwrap(parseSiteId("a")),
        signingKeyFingerprint: fingerprint,
        reason: "left",
        revokedAt: now,
      },
    ]);
    const rootPem = federation.root.certificatePem;
    const revocations = unwrap(verifyRevocations(bytes, { rootPem, knownSequence: 0 }));
    const expelled = pemChainToDer((await federation.leaf("site", "renamed", { signingKey })).chainPem);
    const member = pemChainToDer((await federation.leaf("site", "b")).chainPem);
    expect(codeOf(check(expelled, { revocations }))).toBe("SITE_EXPELLED");
    expect(codeOf(check(expelled))).toBe("ok");
    expect(codeOf(check(member, { revocations }))).toBe("ok");
  });
});

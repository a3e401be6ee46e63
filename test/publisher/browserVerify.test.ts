/** What verifies a release in a browser says of it just what `consilium release verify` does, right and wrong. */
import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { utf8Of } from "@consilium/core/bytes";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { parseSiteId } from "@consilium/core/ids";
import type { ReleaseContent } from "@consilium/core/release/content";
import { unwrap } from "@consilium/core/result";
import { renderRelease } from "@consilium/publisher/formats/render";
import {
  certifierFor,
  rowBytesOf,
  sampleContent,
  sampleRows,
  type TestSigner,
  testSigner,
} from "@consilium/publisher/testing/release";
import type { Member } from "@consilium/release/members";
import type { Authority } from "@consilium/runtime/identity/authority";
import { ecdsaP256, newSerial, toCryptoKeys } from "@consilium/runtime/identity/cryptoKeys";
import { issueMembers } from "@consilium/runtime/identity/issueMembers";
import { authorityUri, identityUri, signingKeyUri } from "@consilium/runtime/identity/names";
import { verifyPeer } from "@consilium/runtime/identity/verify";
import { pemChainToDer, pemToDer, x509 } from "@consilium/runtime/identity/x509";
import { verifyReleaseFolder } from "@consilium/runtime/release/verifyFolder";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterAll, describe, expect, it } from "vitest";
import { certifyChain, readRoot, timeFault } from "../../web/src/catalogue/verify/chain.js";
import { type Outcome, type Verification, verifyInBrowser } from "../../web/src/catalogue/verify/verify.js";

const root = await mkdtemp(join(tmpdir(), "consilium-browser-verify-"));
afterAll(() => rm(root, { recursive: true, force: true }));
const federation = await testFederation();
const other = await testFederation();
const rootPem = federation.root.certificatePem;
const aggregator = await testSigner(federation);

interface Made {
  readonly content?: ReleaseContent;
  readonly signer?: TestSigner;
  readonly options?: Parameters<typeof certifierFor>[2];
}

async function release({
  content = sampleContent(),
  signer = aggregator,
  options,
}: Made = {}): Promise<string> {
  const folder = join(root, randomBytes(6).toString("hex"));
  await mkdir(folder);
  const dataPath = `${folder}.bin`;
  await writeFile(dataPath, rowBytesOf(content, sampleRows));
  const baseUrl = "https://x.example/releases/sample-0123456789/";
  const files = await renderRelease({ content, dataPath, folder, scratch: `${folder}.scratch`, baseUrl });
  const { bytes, jws } = certifierFor(content, signer, options)(files);
  await writeFile(join(folder, "certificate.json"), bytes);
  await writeFile(join(folder, "certificate.jws"), jws);
  return folder;
}

const whole = await release();

async function inBrowser(
  folder: string,
  pem: string | null,
  members: string | null = null,
): Promise<Verification> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return verifyInBrowser({
    files,
    rootPem: pem,
    members,
    fetchFile: async (name) => new Response(new Uint8Array(await readFile(join(folder, name)))),
    progress: () => undefined,
  });
}

/** What each side makes of a folder. */
async function both(
  folder: string,
  pem: string = rootPem,
): Promise<[command: Outcome, browser: Outcome, text: string]> {
  const command = await verifyReleaseFolder(folder, { rootPem: pem });
  const { outcome, checks } = await inBrowser(folder, pem);
  return [command.ok ? "right" : "wrong", outcome, checks.map(({ text }) => text).join("\n")];
}

async function changed(change: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(root, randomBytes(6).toString("hex"));
  await cp(whole, folder, { recursive: true });
  await change(folder);
  return folder;
}

const flip = (name: string, at: number) => async (folder: string) => {
  const bytes = await readFile(join(folder, name));
  bytes[at < 0 ? bytes.length + at : at]! ^= 1;
  await writeFile(join(folder, name), bytes);
};

describe("a whole release", () => {
  it("is right in both, with every check told", async () => {
    expect((await both(whole)).slice(0, 2)).toEqual(["right", "right"]);
    const { checks } = await inBrowser(whole, rootPem);
    expect(checks.map(({ name, outcome }) => [name, outcome])).toEqual(
      ["root", "signature", "sites", "epsilon", "members", "files"].map((name) => [
        name,
        name === "members" ? "unknown" : "right",
      ]),
    );
    expect(checks[1]!.text).toBe("The aggregator of test-federation (aggregator) signed the certificate.");
    expect(checks[2]!.text).toContain("3 of 3 hospitals");
  });

  it("is not known to be right without a root certificate, though nothing is wrong", async () => {
    const { outcome, checks } = await inBrowser(whole, null);
    expect(outcome).toBe("unknown");
    expect(Object.fromEntries(checks.map((check) => [check.name, check.outcome]))).toEqual({
      root: "unknown",
      signature: "unknown",
      sites: "unknown",
      epsilon: "right",
      members: "unknown",
      files: "right",
    });
  });
});

describe("who the hospitals are", async () => {
  const certificate = JSON.parse(await readFile(join(whole, "certificate.json"), "utf8")) as {
    readonly statement: string;
  };
  const { roster } = JSON.parse(certificate.statement) as { readonly roster: readonly { id: string }[] };
  const keys = (roster as unknown as readonly Pick<Member, "signingKeyFingerprint">[]).map(
    ({ signingKeyFingerprint }, index): Member => ({
      name: `Hospital ${index}`,
      signingKeyFingerprint,
      from: "2020-01-01T00:00:00.000Z",
      until: null,
    }),
  );
  const minted = keys.map(
    (one, index): Member => ({ ...one, signingKeyFingerprint: sha256(`real ${index}`) }),
  );
  const list = (members: readonly Member[], by: Authority) =>
    Buffer.from(issueMembers(by, members, "2026-06-01T00:00:00.000Z")).toString();
  const unsigned = (text: string) => text.replace(/,"signature":"[^"]*"/, "");
  const { root: authority, issuer } = federation;
  const asked = async (members: string | null, pem: string | null = rootPem) => {
    const { outcome, checks } = await inBrowser(whole, pem, members);
    const found = checks.find(({ name }) => name === "members");
    return [outcome, found?.outcome, found?.text ?? ""];
  };

  it("is said by a list of the root's, with the names that it gives", async () => {
    const [outcome, check, text] = await asked(list(keys, authority));
    expect([outcome, check]).toEqual(["right", "right"]);
    expect(text).toContain("signed on 2026-06-01: Hospital 0, Hospital 1");
  });

  it("is wrong where the list has other hospitals: sites that were minted are no members", async () => {
    expect(await asked(list(minted, authority))).toEqual([
      "wrong",
      "wrong",
      expect.stringMatching(/^Too few/),
    ]);
  });

  it.each<[string, string | null, string | null]>([
    ["there is none", null, rootPem],
    ["the issuing key signed it", list(keys, { ...authority, privateKey: issuer.privateKey }), rootPem],
    ["another federation's root signed it", list(keys, other.root), rootPem],
    ["nobody signed it", unsigned(list(keys, authority)), rootPem],
    ["it was changed", list(keys, authority).replace("Hospital 0", "Hospital X"), rootPem],
    ["it is no list", "{}", rootPem],
    ["the reader has no root", list(keys, authority), null],
  ])("is the aggregator's word where %s", async (_name, members, pem) => {
    const [outcome, check, text] = await asked(members, pem);
    expect([outcome, check]).toEqual([pem === null ? "unknown" : "right", "unknown"]);
    expect(text).toMatch(/^The aggregator's word: /);
  });
});

describe("both find wrong", () => {
  it.each<[string, (folder: string) => Promise<void>, RegExp]>([
    ["a changed byte of the rows", flip("data.csv", 20), /data\.csv differs from the certified one/],
    ["a changed byte of the metadata", flip("ro-crate-metadata.json", 200), /ro-crate-metadata\.json/],
    ["a changed signature", flip("certificate.jws", -2), /signature/i],
    ["a missing file", (folder) => rm(join(folder, "README.md")), /README\.md is missing/],
    [
      "a file too many",
      (folder) => writeFile(join(folder, "extra.txt"), "x"),
      /does not list the file extra\.txt/,
    ],
    [
      "another epsilon in the certificate",
      async (folder) => {
        const path = join(folder, "certificate.json");
        const certificate = JSON.parse(await readFile(path, "utf8"));
        certificate.shown.zcdp = { rho: 0.001, epsilon: 0.001 };
        await writeFile(path, utf8Of(canonicalJson(certificate)));
      },
      /signature does not fit/,
    ],
  ])("%s", async (_what, change, text) => {
    const found = await both(await changed(change));
    expect(found.slice(0, 2)).toEqual(["wrong", "wrong"]);
    expect(found[2]).toMatch(text);
  });

  it("another federation's root, and what is no root at all", async () => {
    expect((await both(whole, other.root.certificatePem)).slice(0, 2)).toEqual(["wrong", "wrong"]);
    for (const pem of ["", "hello", aggregator.chainPem, federation.issuer.certificatePem]) {
      const { outcome, checks } = await inBrowser(whole, pem);
      expect([outcome, checks.length]).toEqual(["wrong", 1]);
    }
  });

  it("a signer who is no aggregator, or whose certificate had ended", async () => {
    const site = await testSigner(federation, "site", "north-1");
    expect((await both(await release({ signer: site }))).slice(0, 2)).toEqual(["wrong", "wrong"]);
    const later = { forged: { issuedAt: "2040-01-02T03:04:05.000Z" } };
    expect((await both(await release({ options: later }))).slice(0, 2)).toEqual(["wrong", "wrong"]);
  });

  it("an epsilon that the listed steps do not add up to, though signed", async () => {
    const forged = { shown: { zcdp: { rho: 0.001, epsilon: 0.01 }, exact: null } };
    expect((await both(await release({ options: { forged } }))).slice(0, 2)).toEqual(["wrong", "wrong"]);
  });
});

/** A certificate with arbitrary extensions, signed by the given key under the issuer's name. */
async function forge(of: {
  issuerPem: string;
  issuerKey: KeyObject;
  extensions: x509.Extension[];
}): Promise<Buffer> {
  const keys = await toCryptoKeys(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: "CN=forged",
    issuer: new x509.X509Certificate(pemToDer(of.issuerPem)).subjectName,
    notBefore: new Date(Date.now() - 86_400_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: ecdsaP256,
    publicKey: keys.publicKey,
    signingKey: (await toCryptoKeys(of.issuerKey)).privateKey,
    extensions: of.extensions,
  });
  return Buffer.from(certificate.rawData);
}

const identity = { federation: "test-federation", role: "aggregator" as const, id: unwrap(parseSiteId("a")) };
const goodUris = [identityUri(identity), signingKeyUri(new Uint8Array(32).fill(7))];
const leafExtensions = (uris: string[]): x509.Extension[] => [
  new x509.BasicConstraintsExtension(false, undefined, true),
  new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
  new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
  new x509.SubjectAlternativeNameExtension(uris.map((value) => ({ type: "url" as const, value }))),
];

describe("a chain of certificates", () => {
  const issuerDer = pemToDer(federation.issuer.certificatePem);
  const judge = async (chain: readonly Uint8Array[]) => {
    const command = verifyPeer(chain, { rootPem, now: Date.now(), purpose: "client" });
    const browser = await certifyChain(chain, (await readRoot(rootPem)) ?? null);
    const isInTime = browser.ok && timeFault(browser.value, Date.now()) === null;
    return [command.ok, isInTime];
  };
  const byIssuer = (extensions: x509.Extension[]) =>
    forge({
      issuerPem: federation.issuer.certificatePem,
      issuerKey: federation.issuer.privateKey,
      extensions,
    });

  it("with just the right extensions is accepted: the control of what follows", async () => {
    expect(await judge([await byIssuer(leafExtensions(goodUris)), issuerDer])).toEqual([true, true]);
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
    ["no names", (good) => good.slice(0, 3)],
    [
      "an unknown critical extension",
      (good) => [...good, new x509.Extension("1.2.3.4", true, new Uint8Array([5, 0]))],
    ],
    ["two identities", () => leafExtensions([...goodUris, identityUri({ ...identity, role: "site" })])],
    ["no signing key", () => leafExtensions([goodUris[0]!])],
    [
      "another federation",
      () => leafExtensions([identityUri({ ...identity, federation: "south" }), goodUris[1]!]),
    ],
    ["the authority's name", () => leafExtensions([authorityUri("test-federation", "issuer"), goodUris[1]!])],
  ])("whose leaf has %s is refused by both", async (_what, change) => {
    expect(await judge([await byIssuer(change(leafExtensions(goodUris))), issuerDer])).toEqual([
      false,
      false,
    ]);
  });

  it("that a leaf issued, another authority signed, or whose bytes were changed is refused by both", async () => {
    const leaf = await federation.leaf("site", "north-2");
    const byLeaf = await forge({
      issuerPem: leaf.chainPem,
      issuerKey: leaf.tlsKey,
      extensions: leafExtensions(goodUris),
    });
    const [leafDer] = pemChainToDer(leaf.chainPem);
    const stranger = pemChainToDer((await other.leaf("site", "a")).chainPem);
    const wrong = [[byLeaf, leafDer!], stranger, [stranger[0]!, issuerDer], [leafDer!, leafDer!], [leafDer!]];
    for (const chain of wrong) expect(await judge(chain)).toEqual([false, false]);
    for (let at = 0; at < leafDer!.length; at += 7) {
      const edited = Buffer.from(leafDer!);
      edited[at]! ^= 0x10;
      expect([at, ...(await judge([edited, issuerDer]))]).toEqual([at, false, false]);
    }
  });
});

import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "@consilium/core/crypto/hash";
import type { Certificate } from "@consilium/core/release/certificate";
import { flattenedVerify } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { testFederation } from "../identity/testFederation.js";
import { ed25519FromRaw, ed25519Raw, pemChainToDer } from "../identity/x509.js";
import { signCertificate } from "./signCertificate.js";
import { verifyReleaseFolder } from "./verifyFolder.js";

const root = await mkdtemp(join(tmpdir(), "consilium-verify-"));
afterAll(() => rm(root, { recursive: true, force: true }));

const longAgo = Date.parse("2021-03-04T00:00:00Z");
const federation = await testFederation("test-federation", longAgo);
const rootPem = federation.root.certificatePem;
const text = "{}";

function certificateOf(overrides: Partial<Certificate> = {}): Certificate {
  return {
    format: "consilium-certificate/1",
    release: "x-0123456789",
    federation: "test-federation",
    issuedAt: new Date(longAgo + 3_600_000).toISOString(),
    study: {
      id: "x-0123456789",
      name: "x",
      hash: sha256(text),
      analysis: "pca",
      method: "m",
      variant: "paper",
      text,
    },
    privacy: {
      verdict: "no privacy",
      epsilon: null,
      delta: null,
      neighbouringRelation: "add-remove",
      unit: "record",
      reasons: [],
      disclosures: [],
      facts: {},
    },
    sites: { roster: [], rosterHash: "", dropped: [] },
    software: {},
    files: [{ name: "model.json", bytes: 3, sha256: sha256("{}\n") }],
    ...overrides,
  };
}

async function folderOf(options: { role?: "aggregator" | "site"; overrides?: Partial<Certificate> } = {}) {
  const folder = await mkdtemp(join(root, "release-"));
  const leaf = await federation.leaf(options.role ?? "aggregator", "aggregator");
  const signed = signCertificate(certificateOf(options.overrides), {
    signingKey: leaf.signingKey,
    chainDer: pemChainToDer(leaf.chainPem),
  });
  await writeFile(join(folder, "certificate.json"), signed.bytes);
  await writeFile(join(folder, "certificate.jws"), signed.jws);
  await writeFile(join(folder, "model.json"), "{}\n");
  return { folder, signed, leaf };
}

async function faultOf(folder: string, pem = rootPem): Promise<string> {
  const verified = await verifyReleaseFolder(folder, { rootPem: pem });
  return verified.ok ? "none" : `${verified.error.code} ${verified.error.message}`;
}

describe("a release folder", () => {
  it("verifies years after its signer's certificate has ended", async () => {
    const { folder } = await folderOf();
    expect(await faultOf(folder)).toBe("none");
  });

  it("does not, if it says it was signed when the certificate had ended", async () => {
    const late = new Date(longAgo + 30 * 86_400_000).toISOString();
    const { folder } = await folderOf({ overrides: { issuedAt: late } });
    expect(await faultOf(folder)).toMatch(/^RELEASE_CORRUPT certificate\.jws: .*expired/);
  });

  it("does not under another authority, or signed by a site", async () => {
    const { folder } = await folderOf();
    const other = await testFederation("test-federation", longAgo);
    expect(await faultOf(folder, other.root.certificatePem)).toMatch(/^RELEASE_CORRUPT certificate\.jws/);
    const bySite = await folderOf({ role: "site" });
    expect(await faultOf(bySite.folder)).toMatch(/^RELEASE_CORRUPT certificate\.jws/);
  });

  it("holds plain files only, and all of them", async () => {
    const withFolder = (await folderOf()).folder;
    await mkdir(join(withFolder, "more"));
    expect(await faultOf(withFolder)).toMatch(/^RELEASE_CORRUPT more/);
    const withLink = (await folderOf()).folder;
    await rm(join(withLink, "model.json"));
    await writeFile(join(root, "elsewhere.json"), "{}\n");
    await symlink(join(root, "elsewhere.json"), join(withLink, "model.json"));
    expect(await faultOf(withLink)).toMatch(/^RELEASE_CORRUPT model\.json/);
    for (const name of ["certificate.json", "certificate.jws", "model.json"]) {
      const { folder } = await folderOf();
      await rm(join(folder, name));
      expect(await faultOf(folder)).toBe(`RELEASE_CORRUPT ${name}: the file is missing`);
    }
  });

  it("is unknown where there is none", async () => {
    expect(await faultOf(join(root, "nowhere"))).toMatch(/^RELEASE_UNKNOWN/);
  });
});

it("signs as RFC 7515 appendix F and RFC 8037 say, by an independent implementation", async () => {
  const { signed, leaf } = await folderOf();
  const [header, payload, signature] = Buffer.from(signed.jws).toString("latin1").split(".");
  expect(payload).toBe("");
  const verified = await flattenedVerify(
    {
      protected: header!,
      payload: Buffer.from(signed.bytes).toString("base64url"),
      signature: signature!,
    },
    ed25519FromRaw(ed25519Raw(leaf.signingKey)),
  );
  expect(verified.protectedHeader).toMatchObject({ alg: "EdDSA" });
  expect(verified.protectedHeader?.x5c?.length).toBe(2);
  expect(Buffer.from(verified.payload)).toEqual(Buffer.from(signed.bytes));
});

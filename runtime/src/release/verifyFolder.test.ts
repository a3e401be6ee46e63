import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Certificate, CertificateParts } from "@consilium/core/release/certificate";
import { statementOf, statementText } from "@consilium/core/release/statement";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import {
  bareResult,
  bareResultFile,
  countersignaturesOf,
  testCertificate,
  testRun,
} from "@consilium/core/testing/release/statement";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { flattenedVerify } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { testFederation } from "../../testing/identity/federation.js";
import { type TestHospitals, testHospitals } from "../../testing/release/hospitals.js";
import { ed25519FromRaw, ed25519Raw, pemChainToDer } from "../identity/x509.js";
import { signCertificate } from "./signCertificate.js";
import { verifyReleaseFolder } from "./verifyFolder.js";

const root = await mkdtemp(join(tmpdir(), "consilium-verify-"));
afterAll(() => rm(root, { recursive: true, force: true }));

const longAgo = Date.parse("2021-03-04T00:00:00Z");
const federation = await testFederation("test-federation", longAgo);
const rootPem = federation.root.certificatePem;
const hospitals = await testHospitals(federation);
const run = testRun({ sites: hospitals.sites, federation: hospitals.federation });

function certificateOf(overrides: Partial<CertificateParts> = {}): Certificate {
  return testCertificate(run, {
    issuedAt: new Date(longAgo + 3_600_000),
    chains: hospitals.chains,
    files: [bareResultFile, { name: "model.json", bytes: 3, sha256: sha256("{}\n") }],
    ...overrides,
  });
}

async function folderOf(
  options: {
    role?: "aggregator" | "site";
    certificate?: Certificate;
    overrides?: Partial<CertificateParts>;
  } = {},
) {
  const folder = await mkdtemp(join(root, "release-"));
  const leaf = await federation.leaf(options.role ?? "aggregator", "aggregator");
  const signed = signCertificate(options.certificate ?? certificateOf(options.overrides), {
    signingKey: leaf.signingKey,
    chainDer: pemChainToDer(leaf.chainPem),
  });
  await writeFile(join(folder, "certificate.json"), signed.bytes);
  await writeFile(join(folder, "certificate.jws"), signed.jws);
  await writeFile(join(folder, "result.json"), bareResult);
  await writeFile(join(folder, "model.json"), "{}\n");
  return { folder, signed, leaf };
}

async function faultOf(folder: string, pem = rootPem): Promise<string> {
  const verified = await verifyReleaseFolder(folder, { rootPem: pem });
  return verified.ok ? "none" : `${verified.error.code} ${inEnglish(verified.error).message}`;
}

describe("a release folder", () => {
  it("verifies years after its signer's certificate has ended", async () => {
    const { folder } = await folderOf();
    expect(await faultOf(folder)).toBe("none");
  });

  it("does not, if it says it was signed when the certificate had ended", async () => {
    const late = new Date(longAgo + 30 * 86_400_000);
    const { folder } = await folderOf({ overrides: { issuedAt: late } });
    expect(await faultOf(folder)).toMatch(/^RELEASE_CORRUPT certificate\.jws: .*expired/);
  });

  it("asks of a site's certificate that it was valid before, not that it still was at the end", async () => {
    const ended = await testHospitals(federation, { now: longAgo, lifetimeMs: 60_000 });
    const begun = await testHospitals(federation, { now: longAgo + 7_200_000 });
    const folderWith = async (given: TestHospitals) => {
      const { sites, chains } = given;
      const countersignatures = countersignaturesOf(
        statementText(statementOf({ ...run, roster: { ...run.roster, members: sites } })),
        run.studyId,
        sites,
      );
      const certificate = testCertificate(
        { ...run, sites, roster: { ...run.roster, members: sites } },
        { issuedAt: new Date(longAgo + 3_600_000), chains, countersignatures },
      );
      const { files, renderings } = certificateOf();
      return (await folderOf({ certificate: { ...certificate, files, renderings } })).folder;
    };
    expect(await faultOf(await folderWith(ended))).toBe("none");
    expect(await faultOf(await folderWith(begun))).toMatch(/^RELEASE_CORRUPT .*site north: .*not valid yet/);
  });

  it("does not with sites of another authority, or with a publisher in a site's place", async () => {
    const other = await testHospitals(await testFederation("test-federation", longAgo));
    const { folder } = await folderOf({ overrides: { chains: other.chains } });
    expect(await faultOf(folder)).toMatch(/^RELEASE_CORRUPT certificate\.json: site north: /);
    const publisher = await federation.leaf("publisher", "north");
    const chains = new Map([...hospitals.chains, [run.sites[0]!.site, pemChainToDer(publisher.chainPem)]]);
    const posing = await folderOf({ overrides: { chains } });
    expect(await faultOf(posing.folder)).toMatch(
      /site north: .*expected a site certificate, got one of publisher north/,
    );
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
    for (const name of ["certificate.json", "certificate.jws", "model.json", "result.json"]) {
      const { folder } = await folderOf();
      await rm(join(folder, name));
      expect(await faultOf(folder)).toBe(`RELEASE_CORRUPT ${name}: the file is missing`);
    }
  });

  it("may have plots in a folder of their own, plain files too and all listed", async () => {
    const plot = { name: "plots/roc.svg", bytes: 6, sha256: sha256("<svg/>") };
    const withPlots = async () => {
      const files = [bareResultFile, { name: "model.json", bytes: 3, sha256: sha256("{}\n") }, plot];
      const { folder } = await folderOf({ overrides: { files } });
      await mkdir(join(folder, "plots"));
      await writeFile(join(folder, plot.name), "<svg/>");
      return folder;
    };
    expect(await faultOf(await withPlots())).toBe("none");
    const changed = await withPlots();
    await writeFile(join(changed, plot.name), "<svG/>");
    expect(await faultOf(changed)).toMatch(/^RELEASE_CORRUPT plots\/roc\.svg/);
    const more = await withPlots();
    await writeFile(join(more, "plots", "more.svg"), "<svg/>");
    expect(await faultOf(more)).toMatch(/^RELEASE_CORRUPT plots\/more\.svg/);
    const deeper = await withPlots();
    await mkdir(join(deeper, "plots", "plots"));
    expect(await faultOf(deeper)).toMatch(/^RELEASE_CORRUPT plots\/plots/);
    const linked = await withPlots();
    await rm(join(linked, plot.name));
    await symlink(join(root, "elsewhere.json"), join(linked, plot.name));
    expect(await faultOf(linked)).toMatch(/^RELEASE_CORRUPT plots\/roc\.svg/);
    const empty = (await folderOf()).folder;
    await mkdir(join(empty, "plots"));
    expect(await faultOf(empty)).toMatch(/^RELEASE_CORRUPT plots: /);
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

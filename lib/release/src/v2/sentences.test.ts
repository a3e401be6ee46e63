/** What was released verifies whatever the software says today: here it says something else in every sentence. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { canonicalJson } from "@consilium/core/canonicalJson";
import type * as folders from "@consilium/runtime/release/verifyFolder";
import { afterAll, describe, expect, it } from "vitest";
import { readCertificate } from "../../testing/readCertificate.js";
import { unpackRelease } from "../../testing/released.js";
import { type OtherSentences, withOtherSentences } from "../../testing/sentences.js";
import * as making from "../../testing/v2/run.js";
import * as schema from "./schema.js";
import * as statement from "./statement.js";
import type * as verify from "./verify.js";

type Verifier = Pick<typeof statement, "verifyStatement"> &
  Pick<typeof verify, "verifyCertificate"> &
  Pick<typeof schema, "parseCertificate">;
type Maker = Pick<
  typeof making,
  "testCertificate" | "testRun" | "testStudy" | "testSites" | "identifyTestSite"
>;

const temporary = mkdtempSync(join(tmpdir(), "consilium-sentences-"));
const verifying: OtherSentences = await withOtherSentences(
  [
    "runtime/src/release/verifyFolder.ts",
    "lib/release/src/v2/schema.ts",
    "lib/release/src/v2/statement.ts",
    "lib/release/src/v2/verify.ts",
  ],
  () => "x",
);
const planning: OtherSentences = await withOtherSentences(
  ["lib/release/testing/v2/run.ts"],
  (before) => `Anders: ${before.length}`,
);
afterAll(() => {
  for (const folder of [temporary, verifying.folder, planning.folder]) rmSync(folder, { recursive: true });
});
const otherVerifier = verifying.module as Verifier & typeof folders;
const otherMaker = planning.module as Maker;

describe("with an x for every sentence", () => {
  it("there is none left", () => {
    expect(verifying.replaced).toBeGreaterThan(200);
    expect(planning.replaced).toBeGreaterThan(1000);
    expect(otherVerifier.parseCertificate(Buffer.from("{"))).toMatchObject({
      error: { message: expect.stringMatching(/x$/) },
    });
  });

  it("a release of version 0.1 verifies, file by file", async () => {
    const { folder, rootPem } = unpackRelease(temporary);
    const found = await otherVerifier.verifyReleaseFolder(folder, { rootPem });
    expect(found.ok ? "ok" : found.error.message).toBe("ok");
  });

  const golden = new URL("../../../../core/testing/release/testVectors/v2/", import.meta.url);
  const names = readdirSync(golden).filter((name) => name.endsWith(".json"));
  it.each(names)("the certificate %s verifies", (name) => {
    const text = canonicalJson(JSON.parse(readFileSync(new URL(name, golden), "utf8")));
    const read = otherVerifier.parseCertificate(Buffer.from(text));
    expect(read.ok ? "ok" : read.error.message).toBe("ok");
    if (!read.ok) return;
    const found = otherVerifier.verifyStatement(read.value, {
      identifySite: ([id, signingKey]) => ({
        ok: true,
        value: {
          federation: read.value.federation,
          role: "site",
          id: Buffer.from(id!).toString(),
          signingKey: signingKey!,
        },
      }),
    });
    expect(found.ok ? "ok" : found.error.message).toBe("ok");
  });
});

describe("with an x for every sentence, of all that version 0.1 made,", () => {
  const corpus = fileURLToPath(new URL("../../../../test/corpus/", import.meta.url));
  const certificates = join(corpus, "certificates/2");
  it.each(readdirSync(certificates).filter((name) => name !== "root.pem"))(
    "the certificate of %s verifies",
    (name) => {
      const rootPem = readFileSync(join(certificates, "root.pem"), "utf8");
      const found = otherVerifier.verifyCertificate({
        certificate: readFileSync(join(certificates, name, schema.certificateFile)),
        signature: readFileSync(join(certificates, name, schema.signatureFile)),
        identify: otherVerifier.identifySigner(rootPem),
        identifySite: otherVerifier.identifySite(rootPem),
      });
      expect(found.ok ? "ok" : found.error.message).toBe("ok");
    },
  );

  const releases = join(corpus, "releases/0.1");
  it.each(readdirSync(releases).filter((name) => name.endsWith(".tar.gz")))("%s verifies", async (name) => {
    const folder = mkdtempSync(join(temporary, "release-"));
    execFileSync("tar", ["-C", folder, "-xzf", join(releases, name)]);
    const rootPem = readFileSync(join(releases, "root.pem"), "utf8");
    const found = await otherVerifier.verifyReleaseFolder(folder, { rootPem });
    expect(found.ok ? "ok" : found.error.message).toBe("ok");
  });
});

describe("two checkouts that differ in every sentence", () => {
  const studies: Readonly<Record<string, Record<string, unknown>>> = {
    proven: { method: "dp-pca", variant: "sound", privacy: { epsilon: 1, delta: 1e-5 } },
    "of patients": {
      method: "dp-pca",
      variant: "sound",
      privacy: { epsilon: 1, delta: 1e-5 },
      patient: { column: "patient", maxRows: 3 },
    },
    published: {},
    "without privacy": { privacy: "none" },
  };

  /** A certificate of a study that the maker's checkout plans, in its own words. */
  function madeBy(maker: Maker, study: Record<string, unknown>) {
    const sites = maker.testSites(["a", "b", "c", "d", "e"]);
    const run = maker.testRun({ document: maker.testStudy(study), sites });
    return { sites, certificate: readCertificate(maker.testCertificate(run)) };
  }
  const verifiedBy = (
    { verifyStatement }: Pick<Verifier, "verifyStatement">,
    of: ReturnType<typeof madeBy>,
  ) => {
    const found = verifyStatement(of.certificate, { identifySite: making.identifyTestSite(of.sites) });
    return found.ok ? "ok" : found.error.message;
  };

  it.each(Object.entries(studies))("verify each other's certificates: %s", (_name, study) => {
    const [ours, theirs] = [madeBy(making, study), madeBy(otherMaker, study)];
    expect(verifiedBy(otherVerifier, ours)).toBe("ok");
    expect(verifiedBy(statement, theirs)).toBe("ok");
    // They say it otherwise, and it is the same.
    const [said, theirsSaid] = [ours, theirs].map(({ certificate }) => certificate.privacy);
    expect(canonicalJson(theirsSaid)).toContain("Anders: ");
    expect(theirsSaid!.accounting.rho).toBe(said!.accounting.rho);
    expect(theirs.certificate.study.hash).toBe(ours.certificate.study.hash);
  });
});

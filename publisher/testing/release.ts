/** A small release for tests, from content to certificate. Not part of any process. */
import type { KeyObject } from "node:crypto";
import type { Sha256 } from "@consilium/core/ids";
import { type Certificate, type ReleaseFile, resultFile } from "@consilium/core/release/certificate";
import { type ReleaseContent, releaseContentSchema, releaseRowBytes } from "@consilium/core/release/content";
import type { Federation } from "@consilium/core/release/statement";
import { privacySentence } from "@consilium/core/release/wording";
import { planStudy } from "@consilium/core/study/plan";
import type { StudyDocument } from "@consilium/core/study/study";
import { testCertificate, testRun, testStudy } from "@consilium/core/testing/release/statement";
import { english } from "@consilium/runtime/http/spoken";
import type { Role } from "@consilium/runtime/identity/names";
import { pemChainToDer } from "@consilium/runtime/identity/x509";
import { type SignedCertificate, signCertificate } from "@consilium/runtime/release/signCertificate";
import type { TestFederation, TestLeaf } from "@consilium/runtime/testing/identity/federation";
import { type TestHospitals, testHospitals } from "@consilium/runtime/testing/release/hospitals";

const sampleStudy = testStudy();

/** Two numbers and a level, three rows unless told otherwise. */
export function sampleContent(overrides: Partial<ReleaseContent> = {}): ReleaseContent {
  const { verdict, epsilon, delta, neighbouringRelation, unit, proof, reasons } = planStudy(
    sampleStudy.study,
  ).claim;
  const privacy = {
    verdict,
    epsilon,
    delta,
    neighbouringRelation,
    unit,
    proof,
    reasons: [...reasons],
    countersigned: { by: 3, of: 3 },
  };
  return releaseContentSchema.parse({
    format: "consilium-release/1",
    id: "sample-0123456789",
    title: "Reduced breast cancer data",
    description: "Two components.\n\nFrom four hospitals.",
    license: "CC-BY-4.0",
    creator: "Four hospitals",
    createdAt: "2026-01-02T03:04:05Z",
    access: "open",
    study: {
      id: overrides.id ?? "sample-0123456789",
      name: "sample",
      hash: sampleStudy.hash,
      analysis: "pca",
      method: "elfed-pca",
      variant: "paper",
    },
    privacyStatement: english(privacySentence(privacy)),
    privacy,
    columns: [
      { name: "pc1", type: "number", description: "First component", unit: "1" },
      { name: "pc2", type: "number", description: "Second component" },
      { name: "diagnosis", type: "level", description: "What it was", levels: ["benign", "malignant"] },
    ],
    rows: 3,
    model: { components: [[0.1, 0.2]], k: 2 },
    notes: ["Rows are in no order."],
    ...overrides,
  });
}

export type Cell = number | string;

export const sampleRows: readonly (readonly Cell[])[] = [
  [0.1, -2.5e-7, "benign"],
  [1e21, -0, "malignant"],
  [5e-324, 1.7976931348623157e308, "benign"],
];

/** Rows as they are deposited; a level is given by its text, or by its index where that is to be wrong. */
export function rowBytesOf(content: ReleaseContent, rows: readonly (readonly Cell[])[]): Buffer {
  const buffer = Buffer.alloc(rows.length * releaseRowBytes(content.columns));
  let at = 0;
  for (const row of rows) {
    content.columns.forEach((column, index) => {
      const cell = row[index]!;
      if (column.type === "number") {
        at = buffer.writeDoubleLE(Number(cell), at);
      } else {
        at = buffer.writeUInt16LE(typeof cell === "number" ? cell : column.levels.indexOf(cell), at);
      }
    });
  }
  return buffer;
}

/** An aggregator, or another who signs as one, and the sites that countersign for it. */
export interface TestSigner {
  readonly signingKey: KeyObject;
  readonly chainPem: string;
  readonly hospitals: TestHospitals;
}

/** A signer of a federation, with three hospitals of the same one. */
export async function testSigner(
  federation: TestFederation,
  role: Role = "aggregator",
  id: string = role,
): Promise<TestSigner & TestLeaf> {
  return { ...(await federation.leaf(role, id)), hospitals: await testHospitals(federation) };
}

export interface SampleOptions {
  /** Another study than the content's. */
  readonly document?: StudyDocument;
  /** Another id of release and study than the content's. */
  readonly id?: string;
  /** Another than the hospitals' own. */
  readonly federation?: Federation;
  /** Put over what is true. */
  readonly forged?: Partial<Certificate>;
}

function sampleCertificate(
  content: ReleaseContent,
  files: readonly ReleaseFile[],
  hospitals: TestHospitals,
  options: SampleOptions = {},
): Certificate {
  const { document = sampleStudy, id = content.id } = options;
  const { federation = hospitals.federation } = options;
  const result = files.find(({ name }) => name === resultFile)?.sha256 as Sha256;
  const run = { ...testRun({ document, id, sites: hospitals.sites, federation }), result };
  const issuedAt = new Date();
  return {
    ...testCertificate(run, { issuedAt, chains: hospitals.chains, files }),
    ...options.forged,
  };
}

/** What the aggregator does with the files it is told of. */
export function certifierFor(
  content: ReleaseContent,
  signer: TestSigner,
  options: SampleOptions = {},
): (files: readonly ReleaseFile[]) => SignedCertificate {
  const chainDer = pemChainToDer(signer.chainPem);
  return (files) =>
    signCertificate(sampleCertificate(content, files, signer.hospitals, options), {
      signingKey: signer.signingKey,
      chainDer,
    });
}

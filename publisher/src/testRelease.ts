/** A small release for tests, from content to certificate. Not part of any process. */
import type { KeyObject } from "node:crypto";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { sha256 } from "@consilium/core/crypto/hash";
import type { Certificate, ReleaseFile } from "@consilium/core/release/certificate";
import { type ReleaseContent, releaseContentSchema, releaseRowBytes } from "@consilium/core/release/content";
import { pemChainToDer } from "@consilium/runtime/identity/x509";
import { type SignedCertificate, signCertificate } from "@consilium/runtime/release/signCertificate";

export const sampleStudyText = canonicalJson({ analysis: "pca", name: "sample" });

/** Two numbers and a level, three rows unless told otherwise. */
export function sampleContent(overrides: Partial<ReleaseContent> = {}): ReleaseContent {
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
      id: "sample-0123456789",
      name: "sample",
      hash: sha256(sampleStudyText),
      analysis: "pca",
      method: "elfed-pca",
      variant: "paper",
    },
    privacyStatement: "No proved privacy: the authors claim epsilon 1.",
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

export function sampleCertificate(
  content: ReleaseContent,
  files: readonly ReleaseFile[],
  overrides: Partial<Certificate> = {},
): Certificate {
  return {
    format: "consilium-certificate/1",
    release: content.id,
    federation: "test-federation",
    issuedAt: new Date().toISOString(),
    study: { ...content.study, text: sampleStudyText },
    privacy: {
      verdict: "claimed by the authors, not verified",
      epsilon: 1,
      delta: 0.01,
      neighbouringRelation: "add-remove",
      unit: "record",
      reasons: ["the noise is known to every site"],
      disclosures: [],
      facts: { scaling: "pooled" },
    },
    sites: { roster: [], rosterHash: "0".repeat(64), dropped: [] },
    software: { aggregator: "0.1.0" },
    files: [...files],
    ...overrides,
  };
}

/** What the aggregator does with the files it is told of. */
export function certifierFor(
  content: ReleaseContent,
  signer: { readonly signingKey: KeyObject; readonly chainPem: string },
  overrides: Partial<Certificate> = {},
): (files: readonly ReleaseFile[]) => SignedCertificate {
  const chainDer = pemChainToDer(signer.chainPem);
  return (files) =>
    signCertificate(sampleCertificate(content, files, overrides), {
      signingKey: signer.signingKey,
      chainDer,
    });
}

import { base64Of, fromBase64 } from "@consilium/core/bytes";
import { canonicalJson } from "@consilium/core/canonicalJson";
import type { SiteId } from "@consilium/core/ids";
import { maxSites } from "@consilium/core/limits";
import type { ReleasePrivacy } from "@consilium/core/release/content";
import { signatureFile } from "@consilium/core/release/signature";
import type { StudyDocument } from "@consilium/core/study/study";
import { z } from "zod";
import type { Countersignature } from "./countersignature.js";
import {
  type Statement,
  sha256Field,
  siteField,
  statedMember,
  statedPrivacy,
  statedSites,
  statedStudy,
} from "./statement.js";

/** The two files of a release that its certificate does not list. */
export const certificateFile = "certificate.json";
export { signatureFile } from "@consilium/core/release/signature";

/** The one folder that a release may have in it. */
export const plotsFolder = "plots";

/** A file of a release: a plain name that is safe in a path and in a URL as it is, or one in `plots/`. */
export const releaseFileName = /^(?=.{1,100}$)(?:plots\/)?[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/;

/**
 * The certificate of a release: what was computed, by whom, at what privacy cost, and the hash of every file. It is
 * signed by the aggregator (detached JWS over its exact bytes, `certificate.jws`), and most of it is countersigned by the
 * sites. Anyone verifies it offline against the federation's root certificate, which
 * never comes from the release itself. What verifies it has a schema of its own, which is frozen: `lib/release/src/v2`.
 */
const sequence = z.int().min(0);
/** Base64 of one spelling only, so that no changed character means the same. */
const base64 = z
  .string()
  .max(11_000)
  .refine((text) => fromBase64(text) !== undefined, "not base64");
/** A site's certificate and its issuing one, DER. */
const chain = z.tuple([base64, base64]);
const ledgerEntriesMax = 10_000;

const countersignature = z.strictObject({
  site: siteField,
  /** How far the site's ledger had come when it signed. */
  ledgerHead: z.strictObject({ sequence, hash: sha256Field }),
  /** Of the entries that the site's ledger charged for this study. */
  ledgerEntries: z.array(sha256Field).max(ledgerEntriesMax),
  /** Ed25519, base64: core/src/release/countersignature.ts has what is signed. */
  signature: base64.length(88),
});

const certificateSchema = z.strictObject({
  format: z.literal("consilium-certificate/2"),
  release: z.string(),
  federation: z.string(),
  issuedAt: z.iso.datetime(),
  study: z.strictObject({
    id: statedStudy.shape.id,
    name: z.string(),
    hash: sha256Field,
    analysis: z.string(),
    method: z.string(),
    variant: z.string(),
    /** The study as it ran, canonical JSON; its SHA-256 is `hash`. */
    text: z.string(),
  }),
  privacy: statedPrivacy.extend({
    /** What the aggregator says of the result, not countersigned: scaling, captured energy. */
    facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  }),
  sites: statedSites.extend({
    /** `chain` proves under the root that the signing key is the site's. */
    roster: z.array(statedMember.extend({ chain })).min(1).max(maxSites),
  }),
  /** In order of ids. */
  countersignatures: z.array(countersignature).max(maxSites),
  /** Sites of the roster that did not countersign. */
  missing: z.array(siteField).max(maxSites),
  software: z.record(z.string(), z.string()),
  /** Every file of the release but certificate.json and certificate.jws. */
  files: z
    .array(
      z.strictObject({
        name: z.string().regex(releaseFileName),
        bytes: z.int().min(0),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .refine((files) => new Set(files.map((file) => file.name)).size === files.length, "lists a file twice")
    .refine(
      (files) => files.every(({ name }) => name !== certificateFile && name !== signatureFile),
      "lists the certificate itself",
    ),
});

export type Certificate = z.output<typeof certificateSchema>;
export type ReleaseFile = Certificate["files"][number];

/** What a certificate is made of, beside the statement that was countersigned. */
export interface CertificateParts {
  readonly statement: Statement;
  readonly issuedAt: Date;
  readonly document: StudyDocument;
  readonly facts: Certificate["privacy"]["facts"];
  /** Of every site of the roster: its certificate and the issuing one, DER. */
  readonly chains: ReadonlyMap<SiteId, readonly Uint8Array[]>;
  /** In any order. */
  readonly countersignatures: readonly Countersignature[];
  readonly software: Readonly<Record<string, string>>;
  readonly files: readonly ReleaseFile[];
}

/**
 * Puts a certificate together. The release has the study's id.
 * @throws RangeError if a site of the roster has no chain of two, or a countersignature is of none of its sites
 */
export function certificateFrom(parts: CertificateParts): Certificate {
  const { statement, document, chains } = parts;
  const { study } = document;
  const bySite = new Map(parts.countersignatures.map((one) => [one.site, one]));
  const roster = statement.sites.roster.map((member) => {
    const [own, issuing] = chains.get(member.id) ?? [];
    if (own === undefined || issuing === undefined) {
      throw new RangeError(`site ${member.id} has no certificate and issuing one`);
    }
    return { ...member, chain: [base64Of(own), base64Of(issuing)] satisfies [string, string] };
  });
  const ids = roster.map((member) => member.id);
  const stranger = parts.countersignatures.find((one) => !ids.includes(one.site));
  if (stranger !== undefined) throw new RangeError(`site ${stranger.site} is not on the roster`);
  return {
    format: "consilium-certificate/2",
    release: statement.study.id,
    federation: statement.federation,
    issuedAt: parts.issuedAt.toISOString(),
    study: {
      ...statement.study,
      name: study.name,
      analysis: study.analysis,
      method: study.method,
      variant: study.variant,
      text: document.text,
    },
    privacy: { ...statement.privacy, facts: { ...parts.facts } },
    sites: { ...statement.sites, roster },
    countersignatures: ids.flatMap((id) => {
      const one = bySite.get(id);
      if (one === undefined) return [];
      const { site, ledgerHead, ledgerEntries, signature } = one;
      return [
        {
          site,
          ledgerHead: { sequence: ledgerHead.sequence, hash: ledgerHead.hash },
          ledgerEntries: [...ledgerEntries],
          signature: base64Of(signature),
        },
      ];
    }),
    missing: ids.filter((id) => !bySite.has(id)),
    software: { ...parts.software },
    files: [...parts.files],
  };
}

/** What a certificate says of privacy, in short. */
export function privacyInShort(
  certificate: Pick<Statement, "privacy"> & {
    readonly sites: { readonly roster: readonly unknown[] };
    readonly countersignatures: readonly unknown[];
  },
): ReleasePrivacy {
  const { verdict, epsilon, delta, neighbouringRelation, unit, proof, reasons } = certificate.privacy;
  const countersigned = {
    by: certificate.countersignatures.length,
    of: certificate.sites.roster.length,
  };
  return { verdict, epsilon, delta, neighbouringRelation, unit, proof, reasons, countersigned };
}

/** The one text of a certificate, which is what is signed and what the file holds: canonical JSON, UTF-8. */
export function certificateBytes(certificate: Certificate): Uint8Array {
  return new TextEncoder().encode(canonicalJson(certificateSchema.parse(certificate)));
}

import { z } from "zod";
import { canonicalJson } from "../canonicalJson.js";
import { sha256 } from "../crypto/hash.js";
import { ConsiliumError } from "../errors.js";
import { err, ok, type Result } from "../result.js";

/** The two files of a release that its certificate does not list. */
export const certificateFile = "certificate.json";
export const signatureFile = "certificate.jws";

/** A file of a release: a plain name that is safe in a path and in a URL as it is. */
export const releaseFileName = /^(?=.{1,100}$)[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/;

/**
 * The certificate of a release: what was computed, by whom, at what privacy cost, and the hash of every file. It is
 * signed by the aggregator (detached JWS over its exact bytes, `certificate.jws`). Anyone verifies it offline against
 * the federation's root certificate, which never comes from the release itself.
 */
const disclosure = z.strictObject({
  stage: z.string(),
  what: z.string(),
  form: z.string(),
  learns: z.string(),
  mechanism: z.string(),
  normBound: z.number().nullable(),
  sensitivity: z.number().nullable(),
  cost: z.strictObject({ epsilon: z.number(), delta: z.number() }).nullable(),
  entries: z.int().nullable(),
});

export const certificateSchema = z.strictObject({
  format: z.literal("consilium-certificate/1"),
  release: z.string(),
  federation: z.string(),
  issuedAt: z.iso.datetime(),
  study: z.strictObject({
    id: z.string(),
    name: z.string(),
    hash: z.string(),
    analysis: z.string(),
    method: z.string(),
    variant: z.string(),
    /** The study as it ran, canonical JSON; its SHA-256 is `hash`. */
    text: z.string(),
  }),
  privacy: z.strictObject({
    verdict: z.enum(["proved", "claimed by the authors, not verified", "no privacy"]),
    epsilon: z.number().nullable(),
    delta: z.number().nullable(),
    neighbouringRelation: z.string(),
    unit: z.string(),
    reasons: z.array(z.string()),
    disclosures: z.array(disclosure),
    /** Facts of the run that a reader needs: noise scale, scaling, masking. */
    facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  }),
  sites: z.strictObject({
    roster: z.array(z.strictObject({ id: z.string(), signingKeyFingerprint: z.string() })),
    rosterHash: z.string(),
    dropped: z.array(z.string()),
  }),
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

/** The one text of a certificate, which is what is signed and what the file holds: canonical JSON, UTF-8. */
export function certificateBytes(certificate: Certificate): Uint8Array {
  return new TextEncoder().encode(canonicalJson(certificateSchema.parse(certificate)));
}

/**
 * Reads a certificate's bytes. Says nothing of who signed them.
 * @returns RELEASE_CORRUPT unless they are exactly what `certificateBytes` makes of what they say, and the study's
 *   text has the hash that stands beside it
 */
export function parseCertificate(bytes: Uint8Array): Result<Certificate, ConsiliumError> {
  const refuse = (what: string) => err(new ConsiliumError("RELEASE_CORRUPT", `${certificateFile}: ${what}`));
  let text: string;
  let raw: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    raw = JSON.parse(text);
  } catch {
    return refuse("not JSON in UTF-8");
  }
  const parsed = certificateSchema.safeParse(raw);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return refuse(`${issue?.path.join(".") || "certificate"}: ${issue?.message ?? "invalid"}`);
  }
  if (canonicalJson(parsed.data) !== text) return refuse("not in canonical form");
  const { study } = parsed.data;
  if (sha256(study.text) !== study.hash) return refuse("the study's text has not the study's hash");
  return ok(parsed.data);
}

import { z } from "zod";

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
  files: z.array(z.strictObject({ name: z.string(), bytes: z.int().min(0), sha256: z.string() })),
});

export type Certificate = z.output<typeof certificateSchema>;

import { fromBase64 } from "@consilium/core/bytes";
import { readCanonicalBytes, readCanonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import { err, ok, type Result } from "@consilium/core/result";
import type { ChargedEvent } from "@consilium/gate/cost";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/secure-sum/ids";
import { isSha256, isSiteId, isStageId, isStudyId } from "@consilium/secure-sum/ids";
import { z } from "zod";

/**
 * Certificates of format `consilium-certificate/2`, as version 0.1 writes them. This folder is frozen: whatever the software plans
 * or says later, a release of this format verifies by these files alone.
 */

/** The two files of a release that its certificate does not list. */
export const certificateFile = "certificate.json";
export const signatureFile = "certificate.jws";

/** The one folder that a release may have in it. */
export const plotsFolder = "plots";

/** A file of a release: a plain name that is safe in a path and in a URL as it is, or one in `plots/`. */
export const releaseFileName = /^(?=.{1,100}$)(?:plots\/)?[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/;

/** Bytes of certificate.json. */
const maxBytes = 8 * 1024 * 1024;
/** UTF-8 bytes of a statement: no site signs a longer one. */
export const maxStatementBytes = 1_500_000;
const maxSites = 1024;
const maxAttempts = 10_000;
const maxStages = 1000;
const maxFiles = 100;

const text = z.string().max(4000);
const sha256Field = z.custom<Sha256>(isSha256, "not a SHA-256");
const siteField = z.custom<SiteId>(isSiteId, "not a site's id");
const stage = z.custom<StageId>(isStageId, "not a stage's id");
const count = z.int().positive();
const attempt = z.int().min(1).max(1_000_000);
const sites = z.array(siteField).max(maxSites);
const cost = z.number().min(0).nullable();
/** Base64 of one spelling only, so that no changed character means the same. */
const base64 = z
  .string()
  .max(11_000)
  .refine((raw) => fromBase64(raw) !== undefined, "not base64");

/** Noise in a sum, a share of it from every site. */
const sumEvent = z
  .strictObject({
    kind: z.literal("distributed-discrete-gaussian"),
    l2SensitivitySquared: z.number().positive().refine(Number.isInteger, "not an integer"),
    shareVariance: z.number().positive(),
    // Entries on and off a matrix's diagonal have noise of their own; no vector has a third kind.
    groups: z
      .array(z.strictObject({ entries: count, weight: z.int().min(1).max(2) }))
      .min(1)
      .max(2),
    sites: count.max(maxSites),
    noiseShares: count,
  })
  .refine(({ noiseShares, sites }) => noiseShares <= sites, "more noise shares than sites")
  .refine(
    ({ groups, shareVariance }) => groups.every(({ weight }) => shareVariance / weight >= 0.25),
    "a share's standard deviation is below 1/2, where nothing is proven",
  );
const event: z.ZodType<ChargedEvent> = z.union([
  z.strictObject({ kind: z.literal("no-bound"), reason: z.string().min(1).max(500) }),
  sumEvent,
  z.strictObject({ kind: z.literal("group"), event: sumEvent, records: count.min(2) }),
]);

/** The data that the sites sent at a stage. */
const disclosure = z.strictObject({
  stage,
  what: text,
  form: z.enum(["masked sum", "rows in the clear", "tag counts"]),
  learns: text,
  mechanism: text,
  normBound: z.number().min(0).nullable(),
  sensitivity: z.number().min(0).nullable(),
  cost: z.strictObject({ epsilon: z.number().min(0), delta: z.number().min(0) }).nullable(),
  entries: count.nullable(),
  noise: z
    .strictObject({
      shareVariance: z.number().positive(),
      noiseShares: count,
      guaranteedStdDev: z.number().positive(),
    })
    .nullable(),
});

/** ε of a composition that was fixed before the study ran, by its exact loss distribution. */
const lossDistribution = z.strictObject({
  epsilon: z.number().min(0),
  entries: z
    .array(
      z.strictObject({
        shift: z.strictObject({
          most: count,
          shareVariance: z.number().min(0.25),
          noiseShares: count.max(maxSites),
        }),
        count,
      }),
    )
    .min(1)
    .max(1000),
});

const privacy = z.strictObject({
  verdict: z.enum(["proved", "claimed by the authors, not verified", "no privacy"]),
  /** For a proven verdict that of the accounting, else the authors' claim. */
  epsilon: cost,
  delta: cost,
  neighbouringRelation: text,
  unit: text,
  proof: text.nullable(),
  reasons: z.array(text).max(100),
  accounting: z.strictObject({
    accountant: z.literal("zcdp"),
    neighbouringRelation: z.literal("add-remove"),
    delta: cost,
    /** Null where an event has no bound. */
    epsilon: cost,
    rho: cost,
    /** Of every attempt in which a vector may have left a site: each is charged. */
    events: z.array(z.strictObject({ stage, attempt, event })).max(maxAttempts),
    /** Of a proven method, the stages that the study went without: counted too, for what decided that was noisy. */
    skipped: z.array(z.strictObject({ stage, event })).min(1).max(maxStages).optional(),
    /** Of a study whose every stage was attempted once at most. */
    lossDistribution: lossDistribution.optional(),
  }),
  disclosures: z.array(disclosure).min(1).max(maxStages),
});

const member = z.strictObject({ id: siteField, signingKeyFingerprint: sha256Field });
const participation = z.strictObject({
  roster: z.array(member).min(1).max(maxSites),
  rosterHash: sha256Field,
  minimumSites: count,
  tolerateColluding: z.int().min(0),
  /** So many must be in every sum, and so many must countersign. */
  threshold: count,
  attempts: z
    .array(
      z.strictObject({
        stage,
        attempt,
        kind: z.enum(["sum", "rows", "tags"]),
        /** Whose vectors or rows were taken; null where the attempt was given up. */
        survivors: sites.nullable(),
        /** Everybody else of the roster; null with `survivors`. */
        dropped: sites.nullable(),
      }),
    )
    .max(maxAttempts),
});

const study = z.strictObject({ id: z.custom<StudyId>(isStudyId, "not a study's id"), hash: sha256Field });

/** The part that the sites countersign. */
const statementSchema = z.strictObject({
  format: z.literal("consilium-statement/1"),
  federation: text,
  study,
  privacy,
  sites: participation,
});
export type Statement = z.output<typeof statementSchema>;

const certificateSchema = z.strictObject({
  format: z.literal("consilium-certificate/2"),
  release: z.string(),
  federation: text,
  issuedAt: z.iso.datetime(),
  study: study.extend({
    name: z.string(),
    analysis: z.string(),
    method: z.string(),
    variant: z.string(),
    /** The study as it ran, canonical JSON; its SHA-256 is `hash`. */
    text: z.string(),
  }),
  privacy: privacy.extend({
    /** What the aggregator says of the result; not countersigned. */
    facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  }),
  sites: participation.extend({
    /** `chain`: a site's certificate and its issuing one, DER. They prove under the root that the key is the site's. */
    roster: z
      .array(member.extend({ chain: z.tuple([base64, base64]) }))
      .min(1)
      .max(maxSites),
  }),
  /** In order of ids. */
  countersignatures: z
    .array(
      z.strictObject({
        site: siteField,
        /** How far the site's ledger had come when it signed. */
        ledgerHead: z.strictObject({ sequence: z.int().min(0), hash: sha256Field }),
        /** Of the entries that the site's ledger charged for this study. */
        ledgerEntries: z.array(sha256Field).max(10_000),
        signature: base64.length(88),
      }),
    )
    .max(maxSites),
  /** Sites of the roster that did not countersign. */
  missing: sites,
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
    .max(maxFiles)
    .refine((files) => new Set(files.map(({ name }) => name)).size === files.length, "lists a file twice")
    .refine(
      (files) => files.every(({ name }) => name !== certificateFile && name !== signatureFile),
      "lists the certificate itself",
    ),
});
export type Certificate = z.output<typeof certificateSchema>;
export type ReleaseFile = Certificate["files"][number];

/** What a certificate repeats of its study's text. Everything else in the text is the method's. */
const textSchema = z.looseObject({
  name: z.string(),
  analysis: z.string(),
  method: z.string(),
  variant: z.string(),
  privacy: z.union([
    z.literal("none"),
    z.looseObject({
      epsilon: z.number().positive(),
      delta: z.number().positive().max(1),
      rho: z.number().positive().optional(),
    }),
  ]),
  participation: z.looseObject({
    minimumSites: count,
    tolerateColluding: z.int().min(0),
    sites: sites.optional(),
  }),
  patient: z.looseObject({ maxRows: count, weighting: z.string().optional() }).optional(),
});
export type StudyText = z.output<typeof textSchema>;

const corrupt = (what: string) => err(new ConsiliumError("RELEASE_CORRUPT", `${certificateFile}: ${what}`));

/**
 * Reads a certificate's bytes. Says nothing of who signed them.
 * @returns RELEASE_CORRUPT unless they are the canonical JSON of a certificate, and the study's text has the hash beside it
 */
export function parseCertificate(bytes: Uint8Array): Result<Certificate, ConsiliumError> {
  if (bytes.length > maxBytes) return corrupt(`exceeds its limit of ${maxBytes} bytes`);
  const read = readCanonicalBytes(bytes);
  if (!read.ok) return corrupt(read.error);
  const parsed = certificateSchema.safeParse(read.value);
  if (!parsed.success) return corrupt(issueOf(parsed.error, "certificate"));
  const { study: stated } = parsed.data;
  if (sha256(stated.text) !== stated.hash) return corrupt("the study's text does not match the study's hash");
  return ok(parsed.data);
}

/** Reads what a certificate repeats of its study's text. @returns RELEASE_CORRUPT for any text but a study's canonical JSON */
export function parseStudyText(written: string): Result<StudyText, ConsiliumError> {
  const read = readCanonicalJson(written);
  if (!read.ok) return corrupt(`the study's text: ${read.error}`);
  const parsed = textSchema.safeParse(read.value);
  return parsed.success ? ok(parsed.data) : corrupt(`the study's text: ${issueOf(parsed.error, "study")}`);
}

function issueOf({ issues: [issue] }: z.ZodError, whole: string): string {
  return `${issue?.path.join(".") || whole}: ${issue?.message ?? "invalid"}`;
}

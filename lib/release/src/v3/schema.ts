import { fromBase64 } from "@consilium/core/bytes";
import { readCanonicalBytes, readCanonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import { err, ok, type Result } from "@consilium/core/result";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/secure-sum/ids";
import { isSha256, isSiteId, isStageId, isStudyId } from "@consilium/secure-sum/ids";
import { z } from "zod";

/**
 * Certificates of format `consilium-certificate/3`, and the statement and plan that they carry: docs/FORMAT.md says the same in words.
 * Frozen once a version is released: a later form is a later format.
 */
export const certificateFile = "certificate.json";
export const signatureFile = "certificate.jws";
/** What an authority for time says of the signature [RFC3161]: added by who keeps a release, and no file of it. */
export const timestampFile = "certificate.tsr";
/** What was found, whose hash the sites sign, and the rows, whose hash is in it. */
export const resultFile = "result.json";
export const rowsFile = "data.csv";
/** What the aggregator's side drew, of a release whose sums are in `sumsFolder`. */
export const drawsFile = "draws.json";
export const sumsFolder = "sums";

/** A file of a release: a plain name that is safe in a path and in a URL as it is, or one in `plots/` or `sums/`. */
export const releaseFileName =
  /^(?=.{1,100}$)(?:(?:plots|sums)\/)?[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/;
/** The folders that a release may have in it. */
export const releaseFolders: readonly string[] = ["plots", sumsFolder];

const maxBytes = 8 * 1024 * 1024;
export const maxStatementBytes = 1_500_000;
const maxSites = 1024;
const maxStages = 100_000;
const maxRenderings = 100;
/** Every stage may have a sum. */
const maxFiles = 10_000;

const sha256Field = z.custom<Sha256>(isSha256, "not a SHA-256");
const site = z.custom<SiteId>(isSiteId, "not a site's id");
const stageId = z.custom<StageId>(isStageId, "not a stage's id");
const whole = z.int().min(0);
const count = z.int().min(1);
/** An identifier: nothing that is agreed or signed has a space in it. */
const word = z.string().regex(/^[A-Za-z0-9._/-]{1,128}$/);
/** Base64 of one spelling only, so that no changed character means the same. */
const base64 = z
  .string()
  .max(11_000)
  .refine((raw) => fromBase64(raw) !== undefined, "not base64");

const channel = z.strictObject({ min: z.int().max(0), max: whole });
const section = z.strictObject({
  cells: count,
  max: count,
  min: z.int().max(0).optional(),
  touches: count.optional(),
  root: z.strictObject({ run: count, exponent: whole }).optional(),
});
const answer = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("length"), entries: count, limit: count }),
  z.strictObject({
    kind: z.literal("groups"),
    max: count,
    groups: z.array(z.strictObject({ entries: count, taken: count })).min(1),
  }),
]);
const query = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("histogram"),
    cells: count,
    touches: count,
    channels: z.array(channel).min(1),
    cellLimit: count.optional(),
    sections: z.array(section).min(1).optional(),
    divisible: z.literal(true).optional(),
  }),
  z.strictObject({ kind: z.literal("vector"), parts: count, length: count, limit: count }),
  z.strictObject({ kind: z.literal("gram"), parts: count, order: count, limit: count }),
  z.strictObject({ kind: z.literal("product"), rows: count, columns: count, limit: count }),
  z.strictObject({
    kind: z.literal("blocks"),
    blocks: count,
    parts: count,
    deal: z.enum(["lot", "record"]),
    maxRows: count.optional(),
    counts: z.strictObject({ cells: count, touches: count }).optional(),
    answer,
  }),
]);

const ringBits = z.union([z.literal(32), z.literal(64)]);
const common = {
  id: stageId,
  broadcasts: z.array(z.strictObject({ name: word, length: count })),
  mayBeSkipped: z.literal(true).optional(),
};
const bound = z.number().min(0).nullable();
const unproved = z.strictObject({
  normBound: bound,
  sensitivity: bound,
  claimed: z.strictObject({ epsilon: z.number().min(0), delta: z.number().min(0) }).nullable(),
});
const provedSum = z.strictObject({
  ...common,
  kind: z.literal("sum"),
  ringBits,
  query,
  scale: count,
  noise: z.strictObject({ shareVariance: z.number().positive(), sites: count, shares: count }).nullable(),
});
const stage = z.union([
  provedSum,
  z.strictObject({ ...common, kind: z.literal("sum"), ringBits, length: count, unproved }),
  z.strictObject({ ...common, kind: z.literal("rows"), columns: count, unproved }),
  z.strictObject({ ...common, kind: z.literal("tags"), unproved }),
]);

export const planSchema = z.strictObject({
  format: z.literal("consilium-plan/3"),
  edition: count,
  accounting: z.union([
    z.tuple([]),
    z.tuple([z.literal("zcdp/1")]),
    z.tuple([z.literal("zcdp/1"), z.literal("pld/1")]),
  ]),
  maxAttempts: count,
  masking: z.enum(["pairwise", "dealer"]),
  setup: z.array(word).max(100),
  unit: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("record") }),
    z.strictObject({ kind: z.literal("patient"), maxRows: count, weight: count.nullable() }),
  ]),
  delta: z.number().positive().max(1).nullable(),
  stages: z.array(stage).min(1).max(maxStages),
});

const statementSchema = z.strictObject({
  format: z.literal("consilium-statement/2"),
  federation: z.strictObject({ name: word, root: sha256Field }),
  study: z.strictObject({ id: z.custom<StudyId>(isStudyId, "not a study's id"), hash: sha256Field }),
  plan: planSchema,
  roster: z
    .array(z.strictObject({ id: site, signingKeyFingerprint: sha256Field }))
    .min(1)
    .max(maxSites),
  rosterHash: sha256Field,
  attempts: z
    .array(
      z.strictObject({
        stage: stageId,
        attempt: count.max(1_000_000),
        dropped: z.array(site).max(maxSites).nullable(),
      }),
    )
    .max(maxStages),
  result: sha256Field,
  broadcasts: sha256Field,
});

const file = z.strictObject({
  name: z.string().regex(releaseFileName),
  bytes: whole,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
const certificateSchema = z
  .strictObject({
    format: z.literal("consilium-certificate/3"),
    release: z.string().max(80),
    issuedAt: z.iso.datetime({ precision: 3 }),
    text: z.string(),
    statement: z.string(),
    chains: z.record(z.string(), z.tuple([base64, base64])),
    countersignatures: z
      .array(
        z.strictObject({
          site,
          ledgerHead: z.strictObject({ sequence: whole, hash: sha256Field }),
          ledgerEntries: z.array(sha256Field).max(10_000),
          software: z.string().regex(/^[0-9A-Za-z.+-]{1,64}$/),
          signature: base64.length(88),
        }),
      )
      .max(maxSites),
    missing: z.array(site).max(maxSites),
    shown: z.strictObject({
      zcdp: z.strictObject({ rho: z.number().min(0), epsilon: z.number().min(0) }).nullable(),
      exact: z.strictObject({ accountant: z.literal("pld/1"), epsilon: z.number().min(0) }).nullable(),
    }),
    files: z.array(file).min(1).max(maxFiles),
    renderings: z.array(file).max(maxRenderings),
  })
  .refine(({ files, renderings }) => {
    const names = [...files, ...renderings].map(({ name }) => name);
    return new Set(names).size === names.length;
  }, "lists a file twice")
  .refine(
    ({ files, renderings }) =>
      [...files, ...renderings].every(
        ({ name }) => name !== certificateFile && name !== signatureFile && name !== timestampFile,
      ),
    "lists the certificate itself",
  );

/** What a certificate takes from its study's text; everything else in the text is the method's. */
const textSchema = z.looseObject({
  name: z.string(),
  analysis: z.string(),
  method: z.string(),
  variant: z.enum(["paper", "sound"]),
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
    tolerateColluding: whole,
    sites: z.array(site).max(maxSites).optional(),
  }),
  patient: z.looseObject({ maxRows: count, weighting: z.string().optional() }).optional(),
  flow: z.literal(true).optional(),
  release: z.looseObject({ sums: z.boolean().optional() }).optional(),
});

export type PlanFacts = z.output<typeof planSchema>;
export type StageFacts = PlanFacts["stages"][number];
export type ProvedSum = z.output<typeof provedSum>;
export type Statement = z.output<typeof statementSchema>;
export type StudyText = z.output<typeof textSchema>;

/** A certificate with what it carries as text, each read. */
export interface Certificate extends z.output<typeof certificateSchema> {
  readonly stated: Statement;
  readonly study: StudyText;
}

const corrupt = (what: string) => err(new ConsiliumError("RELEASE_CORRUPT", `${certificateFile}: ${what}`));

/**
 * Reads a certificate's bytes. Says nothing of who signed them.
 * @returns RELEASE_CORRUPT unless certificate, statement and text are canonical JSON of their schemas, and belong together
 */
export function readCertificate(bytes: Uint8Array): Result<Certificate, ConsiliumError> {
  if (bytes.length > maxBytes) return corrupt(`exceeds its limit of ${maxBytes} bytes`);
  const certificate = parsed(certificateSchema, readCanonicalBytes(bytes), "certificate");
  if (!certificate.ok) return certificate;
  const { statement, text, release } = certificate.value;
  if (statement.length > maxStatementBytes) return corrupt("its statement is longer than any that is signed");
  const stated = parsed(statementSchema, readCanonicalJson(statement), "statement");
  if (!stated.ok) return stated;
  const study = parsed(textSchema, readCanonicalJson(text), "text");
  if (!study.ok) return study;
  if (sha256(text) !== stated.value.study.hash) return corrupt("text is not the study that the sites signed");
  if (stated.value.study.id !== release)
    return corrupt("release is another than the study that the sites signed");
  return ok({ ...certificate.value, stated: stated.value, study: study.value });
}

function parsed<T>(
  schema: z.ZodType<T>,
  read: Result<unknown, string>,
  what: string,
): Result<T, ConsiliumError> {
  if (!read.ok) return corrupt(`${what}: ${read.error}`);
  const found = schema.safeParse(read.value);
  if (found.success) return ok(found.data);
  const [issue] = found.error.issues;
  return corrupt(`${[what, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "invalid"}`);
}

import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { z } from "zod";
import { canonicalJson, readCanonicalBytes } from "../canonicalJson.js";
import { parseSha256, parseStageId, type Sha256, type StageId } from "../ids.js";
import { maxAttempt } from "../limits.js";
import { err, ok, type Result } from "../result.js";

/** Sums that a release holds, and what the aggregator's side drew: docs/FORMAT.md#sums-and-draws. */

/** Every stage may have a sum. */
const maxSums = 10_000;

/** A file of `sums/`: what an attempt at a stage came to, in the ring's width, little-endian. */
export const sumSchema = z.strictObject({
  stage: z.custom<StageId>((raw) => parseStageId(raw).ok, "not a stage's id"),
  attempt: z.int().min(1).max(maxAttempt),
  bytes: z.int().min(4),
  sha256: z.custom<Sha256>((raw) => parseSha256(raw).ok, "not a SHA-256"),
});
export const sumsSchema = z
  .array(sumSchema)
  .max(maxSums)
  .refine((all) => new Set(all.map(({ stage }) => stage)).size === all.length, "has a stage twice");
export type PublishedSum = z.output<typeof sumSchema>;

/** In the order in which they were drawn. */
export const drawsSchema = z
  .array(z.strictObject({ name: z.string().min(1).max(200), value: z.string() }))
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, "has a name twice");
export type Draw = z.output<typeof drawsSchema>[number];

/** Of a release that has them. */
export interface PublishedSums {
  /** In the order of the plan's stages. */
  readonly sums: readonly PublishedSum[];
  readonly draws: readonly Draw[];
}

const drawsFormat = "consilium-draws/1";

/** The one text of draws.json. */
export const drawsText = (draws: readonly Draw[]): string => canonicalJson({ format: drawsFormat, draws });

export const drawsHash = (draws: readonly Draw[]): Sha256 => sha256(drawsText(draws));

/** Reads draws.json. @returns what is wrong, in words, unless it is canonical JSON of its form */
export function readDraws(bytes: Uint8Array): Result<readonly Draw[], string> {
  const read = readCanonicalBytes(bytes);
  if (!read.ok) return read;
  const file = z.strictObject({ format: z.literal(drawsFormat), draws: drawsSchema });
  const found = file.safeParse(read.value);
  return found.success ? ok(found.data.draws) : err(found.error.issues[0]?.message ?? "invalid");
}

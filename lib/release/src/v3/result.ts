import { canonicalJson, readCanonicalBytes } from "@consilium/core/canonicalJson";
import { lengthOf } from "@consilium/gate/query";
import { z } from "zod";
import { RowsReader } from "./rows.js";
import { type Certificate, drawsFile, resultFile, rowsFile, sumsFolder } from "./schema.js";
import { queryOf } from "./terms.js";

/** How a verifier reads a release's files, on Node and in a browser. */
export interface ReadResult {
  /** A file's bytes from its beginning, part by part. */
  open(name: string): AsyncIterable<Uint8Array>;
  /** A SHA-256 that grows; its digest in lower-case hexadecimal. */
  newHash(): { update(bytes: Uint8Array): void; digest(): string };
}

interface ResultFault {
  readonly file: string;
  /** In words. */
  readonly what: string;
}

/** Bytes of result.json: it is read as a whole. */
const maxResultBytes = 256 * 1024 * 1024;

const column = z.looseObject({
  name: z.string(),
  type: z.enum(["number", "level"]),
  levels: z
    .array(z.string())
    .max(65_536)
    .refine((levels) => new Set(levels).size === levels.length, "has a level twice")
    .optional(),
});
const resultSchema = z.looseObject({
  format: z.literal("consilium-result/1"),
  columns: z.array(column),
  rows: z.strictObject({ count: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) }).nullable(),
});

/** A sum as a file holds it: the entries of its query in order, in two's complement, `ringBits` wide, little-endian. */
interface SumFile {
  readonly name: string;
  readonly stage: string;
  readonly attempt: number;
  readonly bytes: number;
}

/** The sums that a release has by its study and statement: of every stage, the attempt that succeeded; null where it has none. */
export function sumFiles({ stated, study }: Pick<Certificate, "stated" | "study">): SumFile[] | null {
  if (study.release?.sums !== true) return null;
  const stages = new Map(stated.plan.stages.map((stage) => [stage.id, stage]));
  return stated.attempts.flatMap(({ stage: id, attempt, dropped }) => {
    const stage = stages.get(id);
    if (dropped === null || stage === undefined || !("query" in stage)) return [];
    const bytes = (lengthOf(queryOf(stage)) * stage.ringBits) / 8;
    return [{ name: `${sumsFolder}/${id}-${attempt}.bin`, stage: id, attempt, bytes }];
  });
}

/** What the list of bound files has to be, before any is read. */
export function boundFilesFault(certificate: Certificate): ResultFault | null {
  const { files, renderings, stated } = certificate;
  const sums = sumFiles(certificate);
  const of = new Map<string, SumFile | null>([[resultFile, null]]);
  if (sums !== null) of.set(drawsFile, null);
  for (const sum of sums ?? []) of.set(sum.name, sum);
  const stranger = files.find(({ name }) => !of.has(name) && name !== rowsFile);
  if (stranger !== undefined)
    return { file: stranger.name, what: "it is not bound by what the sites signed" };
  const open = renderings.find(
    ({ name }) => name === rowsFile || name === drawsFile || name.startsWith(`${sumsFolder}/`),
  );
  if (open !== undefined) return { file: open.name, what: "it is listed among what the sites did not sign" };
  const listed = new Map(files.map(({ name, bytes }) => [name, bytes]));
  for (const [name, sum] of of) {
    if (!listed.has(name)) return { file: name, what: "the certificate does not list it" };
    if (sum !== null && listed.get(name) !== sum.bytes)
      return { file: name, what: `a sum of stage ${sum.stage} has ${sum.bytes} bytes` };
  }
  return files.find(({ name }) => name === resultFile)!.sha256 === stated.result
    ? null
    : { file: resultFile, what: "its SHA-256 is not what the sites signed" };
}

/**
 * Whether sums, draws and rows are those of the result. Called once every file has its listed length and hash.
 * @returns null where they are
 */
export async function resultFault(
  certificate: Certificate,
  { open, newHash }: ReadResult,
): Promise<ResultFault | null> {
  const { files } = certificate;
  const wrong = (what: string) => ({ file: resultFile, what });
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of open(resultFile)) {
    size += part.length;
    if (size > maxResultBytes) return wrong(`exceeds its limit of ${maxResultBytes} bytes`);
    parts.push(part);
  }
  const read = readCanonicalBytes(joined(parts, size));
  if (!read.ok) return wrong(read.error);
  const parsed = resultSchema.safeParse(read.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return wrong(`${issue?.path.join(".") || "the whole"}: ${issue?.message ?? "invalid"}`);
  }
  const { columns, rows, sums = null, draws = null } = parsed.data;
  const hashes = new Map(files.map(({ name, sha256 }) => [name, sha256]));
  const listed = sumFiles(certificate)?.map(({ name, ...sum }) => ({ ...sum, sha256: hashes.get(name) }));
  if (canonicalJson([sums, draws]) !== canonicalJson([listed ?? null, hashes.get(drawsFile) ?? null]))
    return wrong("its sums or draws are not the files that are listed");
  const isListed = files.some(({ name }) => name === rowsFile);
  if (isListed !== (rows !== null)) return wrong(`${rowsFile} is ${isListed ? "" : "not "}listed`);
  if (rows === null) return null;
  const reader = new RowsReader(columns);
  const hash = newHash();
  const take = (bytes: Uint8Array | null): ResultFault | null => {
    const packed = reader.read(bytes);
    if (!packed.ok) return { file: rowsFile, what: packed.error };
    hash.update(packed.value);
    return null;
  };
  for await (const part of open(rowsFile)) {
    const fault = take(part);
    if (fault !== null) return fault;
  }
  const fault = take(null);
  if (fault !== null) return fault;
  if (reader.rows !== rows.count || hash.digest() !== rows.sha256)
    return { file: rowsFile, what: "its rows are not those of the result that the sites signed" };
  return null;
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

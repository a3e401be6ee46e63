import { readCanonicalBytes } from "@consilium/core/canonicalJson";
import { z } from "zod";
import { RowsReader } from "./rows.js";
import { type Certificate, resultFile, rowsFile } from "./schema.js";

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

/** What the list of bound files has to be, before any is read. */
export function boundFilesFault({ files, renderings, stated }: Certificate): ResultFault | null {
  const stranger = files.find(({ name }) => name !== resultFile && name !== rowsFile);
  if (stranger !== undefined)
    return { file: stranger.name, what: "it is not bound by what the sites signed" };
  if (renderings.some(({ name }) => name === rowsFile))
    return { file: rowsFile, what: "it is listed among what the sites did not sign" };
  const result = files.find(({ name }) => name === resultFile);
  if (result === undefined) return { file: resultFile, what: "the certificate does not list it" };
  return result.sha256 === stated.result
    ? null
    : { file: resultFile, what: "its SHA-256 is not what the sites signed" };
}

/** Whether the rows are those of the result. Called once every file has its listed length and hash. @returns null where they are */
export async function resultFault(
  { files }: Certificate,
  { open, newHash }: ReadResult,
): Promise<ResultFault | null> {
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
  const { columns, rows } = parsed.data;
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

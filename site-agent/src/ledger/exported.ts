import { canonicalJson, readCanonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import { err, ok, type Result } from "@consilium/core/result";
import { z } from "zod";
import { readEntry, type SignedEntry } from "./entry.js";
import { base64, type LedgerExport } from "./exportText.js";

const entrySchema = z.strictObject({
  entry: z.looseObject({ sequence: z.int().min(1) }),
  hash: z.string(),
  signature: z.string(),
});
const headLine = z.strictObject({ head: z.string(), signature: z.string() });

/** No export that a site writes is larger: a million entries of a kilobyte. */
export const exportMaxBytes = 1 << 30;

/**
 * Reads an export back; the chain of its entries is not verified yet.
 * @returns LEDGER_BROKEN naming the first line that is not exactly what a site would have written
 */
export function readExport(text: string): Result<LedgerExport, ConsiliumError> {
  const lines = text.split("\n");
  if (lines.pop() !== "") return broken(lines.length, "it does not end with a line break");
  const entries = readEntryLines(lines.slice(0, -1));
  if (!entries.ok) return entries;
  const last = lines.at(-1) ?? "";
  const parsed = headLine.safeParse(parseLine(last));
  if (!parsed.success)
    return broken(Math.max(0, lines.length - 1), "the last line is not the ledger's signed head");
  const signature = new Uint8Array(Buffer.from(parsed.data.signature, "base64"));
  if (base64(signature) !== parsed.data.signature)
    return broken(lines.length - 1, "the head's signature is malformed");
  return ok({ entries: entries.value, head: { head: parsed.data.head, signature } });
}

/** Reads lines of an export or an archive back. @returns as readExport */
export function readEntryLines(lines: readonly string[]): Result<SignedEntry[], ConsiliumError> {
  const entries: SignedEntry[] = [];
  for (const [index, line] of lines.entries()) {
    const parsed = entrySchema.safeParse(parseLine(line));
    if (!parsed.success) return broken(index, "it is not an entry's");
    const { entry, hash, signature } = parsed.data;
    const read = readEntry({
      sequence: entry.sequence,
      text: canonicalJson(entry),
      hash,
      signature: new Uint8Array(Buffer.from(signature, "base64")),
    });
    if (!read.ok) return read;
    if (base64(read.value.signature) !== signature) return broken(index, "its signature is malformed");
    entries.push(read.value);
  }
  return ok(entries);
}

function broken(index: number, what: string): Result<never, ConsiliumError> {
  return err(new ConsiliumError("LEDGER_BROKEN", `line ${index + 1} of the export: ${what}`));
}

/** Two texts of one value, such as 1e-7 and 1E-7, would be two files. */
function parseLine(line: string): unknown {
  const read = readCanonicalJson(line);
  return read.ok ? read.value : undefined;
}

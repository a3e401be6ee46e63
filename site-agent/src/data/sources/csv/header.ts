import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { ConsiliumError } from "@consilium/core/errors";
import { trimBlanks } from "../../cells.js";
import { isAway } from "../../fault.js";
import type { CsvOptions } from "../../fileConfig.js";

/** The first row of a CSV file, read by ourselves: DuckDB renames columns that differ only in case. */

const headerMaxBytes = 16 * 2 ** 20;
const decoders = { "utf-8": "utf-8", "latin-1": "latin1", "utf-16": "utf-16le" } as const;

/**
 * @param place - the table and file, for messages
 * @returns the names without surrounding blanks; empty for a file without a byte
 */
export async function readCsvHeader(
  file: string,
  options: { delimiter: string; encoding: CsvOptions["encoding"]; place: string },
): Promise<string[]> {
  const raw = createReadStream(file);
  // The pipeline's own callback does nothing: a fault of either stream ends the loop below.
  const bytes = file.toLowerCase().endsWith(".gz") ? pipeline(raw, createGunzip(), () => undefined) : raw;
  const decoder = new TextDecoder(decoders[options.encoding]); // drops a byte order mark
  let text = "";
  let size = 0;
  try {
    for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      text += decoder.decode(chunk, { stream: true });
      const record = parseRecord(text, options.delimiter, false);
      if (record !== null) return record;
      if (size > headerMaxBytes) break;
    }
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    throw new ConsiliumError(
      isAway(thrown) ? "TABLE_AWAY" : "TABLE_UNREADABLE",
      `${options.place}: the file cannot be read${typeof code === "string" ? ` (${code})` : ""}`,
    );
  } finally {
    raw.destroy();
  }
  if (size > headerMaxBytes) {
    throw new ConsiliumError(
      "TABLE_UNREADABLE",
      `${options.place}: the first row does not end within ${headerMaxBytes / 2 ** 20} MiB`,
    );
  }
  return parseRecord(text, options.delimiter, true) ?? [];
}

/**
 * The first record of CSV text by RFC 4180.
 * @param complete - whether the text is all there is
 * @returns null while the record may continue beyond the text; `[]` for no text at all
 */
export function parseRecord(text: string, delimiter: string, complete: boolean): string[] | null {
  if (text === "") return complete ? [] : null;
  const fields: string[] = [];
  let field = "";
  let inQuotes = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (inQuotes) {
      if (c !== '"') field += c;
      else if (text[i + 1] === '"') {
        field += '"';
        i++;
      } else if (i + 1 === text.length && !complete) return null;
      else inQuotes = false;
    } else if (c === '"' && field === "") inQuotes = true;
    else if (c === delimiter) {
      fields.push(trimBlanks(field));
      field = "";
    } else if (c === "\n" || c === "\r") return [...fields, trimBlanks(field)];
    else field += c;
  }
  return complete && !inQuotes ? [...fields, trimBlanks(field)] : null;
}

import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { lines, nameOf } from "@consilium/core/said";
import type { TableCheckSays } from "@consilium/words/says/tableCheck";
import { type CsvOptions, defaultCsv } from "../data/fileConfig.js";
import { textOf, toUtf8 } from "../data/text/characters.js";

const say = lines<TableCheckSays>();

/**
 * What the first rows of a CSV file say of how it is written, beside what its entry says: for the hospital's IT, before a
 * study fails. It names rows by number and columns by place, and holds no value of the file.
 */
export interface CsvSample {
  /** How the file seems to be written. */
  readonly csv: {
    readonly delimiter: string;
    readonly encoding: CsvOptions["encoding"];
    readonly decimal: "." | ",";
    readonly header: boolean;
  };
  /** Types by column in file order, from the rows that were read: of a column whose cells are all missing, `unknown`. */
  readonly types: readonly ("number" | "text" | "unknown")[];
  /** The names in the first row, if it holds names. */
  readonly names: readonly string[] | null;
  readonly rowsRead: number;
  /** Sentences by their codes. */
  readonly problems: readonly string[];
  /** The same of rows with another number of fields: who reads every row counts them. */
  readonly ragged: readonly string[];
  /** What to write under `csv:` in the table's entry; null where it needs no change. */
  readonly needed: Readonly<Record<string, unknown>> | null;
}

/** Bytes that are looked at, unpacked. */
const sampleBytes = 256 * 1024;
const delimiters = [",", ";", "\t", "|"] as const;
/** Records that a delimiter is judged by. */
const recordsMost = 2_000;

/** @param given - the entry's `csv:`; left out, the defaults */
export async function sampleCsv(
  file: string,
  given: Partial<CsvOptions> | undefined,
  nullValues: readonly string[] = [],
): Promise<CsvSample | null> {
  const { bytes, isWhole } = await firstBytes(file);
  if (bytes.length === 0) return null;
  const encoding = encodingOf(bytes, given?.encoding);
  const decoder = toUtf8(encoding, true);
  const decoded = textOf(Buffer.concat([Buffer.from(decoder.piece(bytes)), decoder.end()]));
  const present = { ...defaultCsv, ...given };
  // Excel's own line before the header, which says the delimiter.
  const isSep = /^\ufeff?sep=.\r?\n/.test(decoded) && present.skipRows === 0;
  const rows = decoded
    .split("\n")
    .slice(present.skipRows + Number(isSep))
    .join("\n");
  const byDelimiter = delimiters.map((delimiter) => ({
    delimiter,
    records: recordsOf(rows, delimiter, isWhole),
  }));
  const best = byDelimiter.reduce((a, b) => (score(b.records) > score(a.records) ? b : a));
  const stated = given?.delimiter ?? defaultDelimiter(file, given?.decimal);
  // With one column in every reading there is nothing to tell them apart.
  const { delimiter, records } =
    score(best.records) > 1 ? best : { delimiter: stated, records: recordsOf(rows, stated, isWhole) };
  const [first = []] = records;
  const missing = new Set(["", ...nullValues]);
  const header = given?.header ?? !first.some((cell) => isNumber(cell, ".") || isNumber(cell, ","));
  const body = header ? records.slice(1) : records;
  const decimal = decimalOf(body, delimiter);
  const csv = { delimiter, encoding, decimal, header };
  const needed = {
    ...(isSep && { skipRows: 1 }),
    ...(delimiter !== stated && { delimiter }),
    ...(encoding !== present.encoding && { encoding }),
    ...(decimal !== present.decimal && { decimal }),
    ...(given?.header === undefined && header && { header: true }),
  };
  const stands = Object.entries(given ?? {}).filter(
    ([key, value]) => value !== undefined && value !== defaultCsv[key as keyof CsvOptions],
  );
  const entry = { ...Object.fromEntries(stands), ...needed };
  const isDifferent = Object.keys(needed).some((key) => key !== "header");
  return {
    csv,
    types: first.map((_, at) => typeOf(body, at, { decimal, missing })),
    names: header ? first : null,
    rowsRead: body.length,
    problems: [
      ...(delimiter === stated
        ? []
        : [say("check.delimiter", { found: nameOf(delimiter), stated: nameOf(stated) })]),
      ...(isSep ? [say("check.sep-line", {})] : []),
      ...(encoding === present.encoding
        ? []
        : [say("check.encoding", { found: nameOf(encoding), stated: nameOf(present.encoding) })]),
      ...(decimal === present.decimal ? [] : [say("check.decimal-comma", {})]),
      ...(header ? doubled(first) : []),
      ...(given?.header === undefined && !header ? [say("check.first-record", {})] : []),
    ],
    ragged: ragged(records),
    needed: isDifferent ? entry : null,
  };
}

async function firstBytes(file: string): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const raw = createReadStream(file);
  const stream = file.toLowerCase().endsWith(".gz") ? pipeline(raw, createGunzip(), () => undefined) : raw;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= sampleBytes)
        return { bytes: Buffer.concat(chunks).subarray(0, sampleBytes), isWhole: false };
    }
  } finally {
    raw.destroy();
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}

function encodingOf(bytes: Buffer, stated: CsvOptions["encoding"] | undefined): CsvOptions["encoding"] {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return "utf-16";
  try {
    // A character may be cut where the sample ends.
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return "utf-8";
  } catch {
    if ((stated ?? "utf-8") === "utf-8" && holdsUtf8(bytes)) return "utf-8";
    // As browsers and spreadsheets have it: it differs from latin-1 in bytes that there are control characters.
    const isLatin1 = stated === "latin-1" && !bytes.some((byte) => byte >= 0x80 && byte < 0xa0);
    return isLatin1 ? stated : "windows-1252";
  }
}

/** Whether most bytes beyond ASCII are of characters in UTF-8: then the others are damage. */
function holdsUtf8(bytes: Buffer): boolean {
  const text = bytes.toString("utf8");
  const spoiled = text.split("\ufffd").length - 1;
  const whole = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
  return whole > spoiled;
}

/** The complete records of a text (RFC 4180), blank lines left out. */
function recordsOf(text: string, delimiter: string, isWhole: boolean): string[][] {
  const records: string[][] = [];
  let fields: string[] = [];
  let field = "";
  let inQuotes = false;
  const end = () => {
    if (fields.length > 0 || field !== "") records.push([...fields, field.trim()]);
    fields = [];
    field = "";
  };
  for (let i = 0; i < text.length && records.length < recordsMost; i++) {
    const c = text[i]!;
    if (inQuotes) {
      if (c !== '"') field += c;
      else if (text[i + 1] === '"') field += text[++i]!;
      else inQuotes = false;
    } else if (c === '"' && field === "") inQuotes = true;
    else if (c === delimiter) {
      fields.push(field.trim());
      field = "";
    } else if (c === "\n" || c === "\r") end();
    else field += c;
  }
  if (isWhole && !inQuotes && records.length < recordsMost) end();
  return records;
}

/** Fields of the first record, if most records have as many: a delimiter that is not the file's gives one, or some. */
function score(records: readonly (readonly string[])[]): number {
  const width = records[0]?.length ?? 0;
  const alike = records.filter((record) => record.length === width).length;
  return width > 1 && alike >= 0.8 * records.length ? width : 1;
}

function defaultDelimiter(file: string, decimal: CsvOptions["decimal"] | undefined): string {
  if (/\.tsv(?:\.gz)?$/i.test(file)) return "\t";
  return decimal === "," ? ";" : ",";
}

function isNumber(cell: string, decimal: "." | ","): boolean {
  const pattern = decimal === "." ? /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i : /^[-+]?\d+(?:,\d+)?$/;
  return pattern.test(cell);
}

/** A comma, if numbers have one and none has a point. */
function decimalOf(body: readonly (readonly string[])[], delimiter: string): "." | "," {
  if (delimiter === ",") return ".";
  const cells = body.flat();
  const commas = cells.filter((cell) => /^[-+]?\d+,\d+$/.test(cell)).length;
  const points = cells.filter((cell) => /^[-+]?\d+\.\d+$/.test(cell)).length;
  return commas > points ? "," : ".";
}

function typeOf(
  body: readonly (readonly string[])[],
  at: number,
  { decimal, missing }: { decimal: "." | ","; missing: ReadonlySet<string> },
): "number" | "text" | "unknown" {
  const cells = body.flatMap((record) => {
    const cell = record[at];
    return cell === undefined || missing.has(cell) ? [] : [cell];
  });
  if (cells.length === 0) return "unknown";
  return cells.every((cell) => isNumber(cell, decimal)) ? "number" : "text";
}

/** Names that two columns have, by the columns' places. */
function doubled(names: readonly string[]): string[] {
  const first = new Map<string, number>();
  for (const [at, name] of names.entries()) {
    const key = name.toLowerCase();
    const before = first.get(key);
    if (before !== undefined) return [say("check.same-names", { first: before + 1, second: at + 1 })];
    first.set(key, at);
  }
  return [];
}

function ragged(records: readonly (readonly string[])[]): string[] {
  const width = records[0]?.length ?? 0;
  const odd = records.findIndex((record) => record.length !== width);
  if (odd < 0) return [];
  const rows = records.filter((record) => record.length !== width).length;
  const fields = records[odd]!.length;
  return [say("check.ragged", { rows, all: records.length, row: odd + 1, fields, width })];
}

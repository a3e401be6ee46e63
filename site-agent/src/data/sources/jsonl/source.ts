import { type CellChunk, type CellRequest, cellOfText, MissingValues, numberCell } from "../../cells.js";
import { patientParts } from "../../patientHash.js";
import { placeOf } from "../../place.js";
import { leaveOut, type ReadOptions, type SourceColumn, type TableSource } from "../../source.js";
import type { TableConfig } from "../../tableConfig.js";
import { CsvRecords } from "../../text/csvRecords.js";
import { fileText } from "../../text/fileBytes.js";
import { numbersIn } from "../../text/jsonNumbers.js";
import { TextBlock, type TextTable } from "../../text/textBlock.js";

/** How many objects tell a file's keys, unless one is sought that they lack. */
const firstObjects = 10_000;

/** Rows of a chunk. */
const chunkRows = 2048;

/** Lines as records of one field: no JSON text has a NUL character in it. */
const lines = { delimiter: "\0", quote: null, escape: null, multiline: 1, skipRows: 0 } as const;

/** Escapes in JSON; of half a pair, which other readers refuse, as its group. */
const halves = /\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(ud[89a-f][0-9a-f]{2})|.)/gis;

/** Files with one JSON object per line, plain or gzipped. A key that an object lacks is a missing value. */
export class JsonLinesSource implements TableSource {
  readonly #config: TableConfig;
  readonly #missing: MissingValues;

  constructor(config: TableConfig) {
    this.#config = config;
    this.#missing = new MissingValues(config.nullValues);
  }

  /**
   * The columns that the configuration lists; else the keys of the first objects, or of all when a wanted one is not
   * among them. The format has no schema.
   */
  async columns(file: string, wanted: readonly string[] = []): Promise<readonly SourceColumn[]> {
    const listed = this.#config.columns;
    if (listed !== undefined) return listed.map((name) => ({ name, kind: "any", nameIsSchema: true }));
    const names = new Set<string>();
    let objects = 0;
    for await (const line of this.#lines(file, { malformed: { rows: 0 } })) {
      for (const name of Object.keys(line.object ?? {})) names.add(name);
      if (++objects >= firstObjects && wanted.every((name) => names.has(name))) break;
    }
    return [...names].map((name) => ({ name, kind: "any", nameIsSchema: false }));
  }

  async *read(
    file: string,
    requests: readonly CellRequest[],
    options: ReadOptions,
  ): AsyncGenerator<CellChunk> {
    const columns = requests.map(({ kind }) =>
      Array.from({ length: kind === "patient" ? patientParts.length : 1 }, () => new Float64Array(chunkRows)),
    );
    const cells = requests.map((request) => cellOfText(request, this.#missing));
    let rows = 0;
    for await (const line of this.#lines(file, options)) {
      for (const [k, request] of requests.entries()) {
        const value = textOrNumber(line, request);
        const cell = typeof value === "number" ? value : cells[k]!(value);
        if (typeof cell === "number") columns[k]![0]![rows] = cell;
        else for (let part = 0; part < cell.length; part++) columns[k]![part]![rows] = cell[part]!;
      }
      if (++rows < chunkRows) continue;
      yield { rows, columns: columns.flat() };
      options.signal?.throwIfAborted();
      rows = 0;
    }
    if (rows > 0) yield { rows, columns: columns.flat() };
  }

  /** The lines that are objects, as cells of one column. */
  async *texts(file: string, options: ReadOptions): AsyncGenerator<TextBlock> {
    let block = new TextBlock(1);
    for await (const { text } of this.#lines(file, options)) {
      block.put(
        0,
        text.replace(halves, (found, half: string | undefined) => (half === undefined ? found : "\\ufffd")),
      );
      if (!block.endRow()) continue;
      yield block;
      block = new TextBlock(1);
    }
    if (block.rows > 0) yield block;
  }

  /** The lines that are objects; of a line that is `null`, an object without a value. */
  async *#lines(
    file: string,
    { signal, malformed }: Pick<ReadOptions, "signal" | "malformed">,
  ): AsyncGenerator<Line> {
    const place = placeOf(this.#config, file);
    const records = new CsvRecords(lines);
    const left = (cause: "no-object" | "long") => leaveOut(malformed, { cause, place, line: records.line });
    for await (const _ of records.of(fileText({ file, place, signal, hasHeader: false }))) {
      for (let found = records.next(); found !== null && found !== "end"; found = records.next()) {
        if (found !== "record") left("long");
        else {
          const text = records.text(0);
          const line = lineOf(text);
          if (line !== null) yield line;
          else if (text.trim() !== "") left("no-object");
        }
      }
    }
  }
}

interface Line {
  readonly text: string;
  readonly object: Readonly<Record<string, unknown>> | null;
}

/** Null for what is no JSON, or no object. */
function lineOf(text: string): Line | null {
  let object: unknown;
  try {
    object = JSON.parse(text);
  } catch {
    return null;
  }
  return typeof object === "object" && !Array.isArray(object)
    ? { text, object: object as Line["object"] }
    : null;
}

/** A value as a number cell, as text, or null where there is none. */
function textOrNumber({ text, object }: Line, { kind, name }: CellRequest): number | string | null {
  if (object === null || !Object.hasOwn(object, name)) return null;
  const value = object[name];
  if (value === null || typeof value === "string") return value;
  if (typeof value !== "number") return JSON.stringify(value);
  if (kind === "number") return Number.isFinite(value) ? value : numberCell.notFinite;
  return numbersIn(text).get(name)!;
}

/** Files with one JSON object per line, as a table of one column, `json`. */
export function jsonTable(config: TableConfig, files: readonly string[]): TextTable {
  const source = new JsonLinesSource(config);
  return { names: ["json"], files, texts: (file, _, options) => source.texts(file, options) };
}

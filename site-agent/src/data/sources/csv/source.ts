import { ConsiliumError } from "@consilium/core/errors";
import {
  type CellChunk,
  type CellRequest,
  MissingValues,
  numberCell,
  numberFromText,
  trimBlanks,
} from "../../cells.js";
import type { CsvOptions } from "../../fileConfig.js";
import { placeOf } from "../../place.js";
import {
  leaveOut,
  type ReadOptions,
  recordFaults,
  type SourceColumn,
  type TableSource,
} from "../../source.js";
import { csvOptionsOf, type TableConfig } from "../../tableConfig.js";
import { CsvRecords, type CsvShape } from "../../text/csvRecords.js";
import { FieldCells } from "../../text/fieldCells.js";
import { fileText } from "../../text/fileBytes.js";
import { TextBlock } from "../../text/textBlock.js";

/** Rows of a chunk. */
const chunkRows = 4096;

/** CSV files, plain or gzipped. Nothing is guessed from the contents: names come from the header or the site. */
export class CsvSource implements TableSource {
  readonly #config: TableConfig;
  readonly #csv: CsvOptions;
  readonly #missing: MissingValues;

  constructor(config: TableConfig) {
    this.#config = config;
    this.#csv = csvOptionsOf(config);
    this.#missing = new MissingValues(config.nullValues);
  }

  async columns(file: string): Promise<readonly SourceColumn[]> {
    // Without a header the first row is a record, which has no say in what the columns are.
    const { names } = this.#csv;
    if (names !== undefined) return names.map((name) => ({ name, kind: "any", nameIsSchema: true }));
    const place = placeOf(this.#config, file);
    const header = await readCsvHeader(file, this.#csv, place);
    if (header.length === 0) return [];
    if (header.every((name) => name === "")) {
      throw new ConsiliumError("TABLE_UNREADABLE", `${place}: the first row holds no column names`, {
        remedy: "begin the file with its header row, or set csv.header: false and csv.names",
      });
    }
    const stated = this.#csv.header === true;
    if (
      !stated &&
      header.some((name) => numberFromText(trimBlanks(name)) !== numberCell.notNumeric && name !== "")
    ) {
      // A record taken for a header would be shown around as the table's column names.
      throw new ConsiliumError(
        "TABLE_UNREADABLE",
        `${place}: the first row holds numbers where names are due`,
        {
          remedy:
            "set csv.header: false and csv.names if it is a record, csv.header: true if numbers are the names",
        },
      );
    }
    return header.map((name) => ({ name, kind: "any", nameIsSchema: stated }));
  }

  async *read(
    file: string,
    requests: readonly CellRequest[],
    options: ReadOptions,
  ): AsyncGenerator<CellChunk> {
    const making = { missing: this.#missing, decimal: this.#csv.decimal, rows: chunkRows };
    const cells = requests.map((request) => new FieldCells(request, making));
    const columns = cells.flatMap((one) => one.columns);
    const names = (await this.columns(file)).map(({ name }) => name);
    const places = new Map(names.map((name, at) => [name, at]));
    const fields = requests.map(({ name }) => places.get(name)!);
    const numeric = fields.filter((_, k) => requests[k]!.kind === "number");
    const records = new CsvRecords(shapeOf(this.#csv, file), numeric, this.#csv.decimal);
    let rows = 0;
    const write = () => {
      for (let k = 0; k < cells.length; k++) cells[k]!.write(rows, records, fields[k]!);
      return ++rows === chunkRows;
    };
    for await (const _ of this.#whole(file, { records, width: names.length, write }, options)) {
      yield { rows, columns };
      options.signal?.throwIfAborted();
      rows = 0;
    }
  }

  /** The texts of some fields, by their places. @param width - fields that a record has */
  async *texts(
    file: string,
    { fields, width }: { readonly fields: readonly number[]; readonly width: number },
    options: ReadOptions,
  ): AsyncGenerator<TextBlock> {
    const records = new CsvRecords(shapeOf(this.#csv, file));
    let block = new TextBlock(fields.length);
    const write = () => {
      for (let k = 0; k < fields.length; k++) block.put(k, records.text(fields[k]!));
      return block.endRow();
    };
    for await (const _ of this.#whole(file, { records, width, write }, options)) {
      yield block;
      block = new TextBlock(fields.length);
    }
  }

  /** Writes the records that have all fields, yields whenever `write` says that it has no room left, and behind the last one. */
  async *#whole(
    file: string,
    {
      records,
      width,
      write,
    }: { readonly records: CsvRecords; readonly width: number; readonly write: () => boolean },
    { signal, malformed }: ReadOptions,
  ): AsyncGenerator<void> {
    const { encoding, names } = this.#csv;
    const place = placeOf(this.#config, file);
    let isHeader = names === undefined;
    let isHandedOut = true;
    const text = { file, place, signal, encoding, hasHeader: isHeader };
    for await (const isWhole of records.of(fileText(text))) {
      for (let found = records.next(); found !== null && found !== "end"; found = records.next()) {
        if (isHeader) isHeader = false;
        else if (found === "record" && records.fields === width) {
          isHandedOut = write();
          if (isHandedOut) yield;
        } else if (found !== "record" || !records.isBlank) {
          const cause = found !== "record" ? found : isWhole && records.isCut ? "cut" : "fields";
          leaveOut(malformed, { cause, place, line: records.line });
        }
      }
    }
    if (!isHandedOut) yield;
    const ends = malformed?.lineEnds;
    if (ends !== undefined)
      for (const kind of ["lf", "crlf", "cr"] as const) ends[kind] += records.lineEnds[kind];
  }
}

/**
 * The names in a CSV file's header row, without surrounding blanks; empty for a file without a byte.
 * @param place - the table and file, for messages
 * @throws ConsiliumError TABLE_AWAY, TABLE_UNREADABLE
 */
export async function readCsvHeader(file: string, csv: CsvOptions, place: string): Promise<string[]> {
  const records = new CsvRecords(shapeOf(csv, file));
  const hasHeader = csv.names === undefined;
  for await (const _ of records.of(fileText({ file, place, encoding: csv.encoding, hasHeader }))) {
    const found = records.next();
    if (found === "end") break;
    if (found === "record")
      return Array.from({ length: records.fields }, (_, at) => trimBlanks(records.text(at)));
    if (found !== null)
      throw new ConsiliumError("TABLE_UNREADABLE", `${place}: the first row ${recordFaults[found]}`, {
        remedy: "correct the header row, or the table's csv keys in the site's configuration",
      });
  }
  return [];
}

/** How a file's records are written: the delimiter as stated, or as the file's ending tells. */
export function shapeOf(csv: CsvOptions, file: string): CsvShape {
  const { quote, escape: before = null, multiline, skipRows } = csv;
  return {
    delimiter: delimiterOf(csv, file),
    quote: quote === "none" ? null : quote,
    escape: before,
    multiline,
    skipRows,
  };
}

export function delimiterOf(csv: Pick<CsvOptions, "delimiter" | "decimal">, file: string): string {
  return csv.delimiter ?? (/\.tsv(?:\.gz)?$/i.test(file) ? "\t" : csv.decimal === "," ? ";" : ",");
}

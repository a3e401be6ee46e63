import { trimBlanks } from "@consilium/core/study/plainText";
import type { AnySaid } from "@consilium/words/said";
import { type CellChunk, type CellRequest, MissingValues, numberCell, numberFromText } from "../../cells.js";
import { fault } from "../../fault.js";
import type { CsvOptions } from "../../fileConfig.js";
import { placeOf } from "../../place.js";
import { leaveOut, type ReadOptions, type SourceColumn, type TableSource } from "../../source.js";
import { csvOptionsOf, type TableConfig } from "../../tableConfig.js";
import { CsvRecords, type CsvShape } from "../../text/csvRecords.js";
import { FieldCells } from "../../text/fieldCells.js";
import { fileText } from "../../text/fileBytes.js";

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
      throw fault("TABLE_UNREADABLE", "header.empty", { place }, "header.begin-with");
    }
    const stated = this.#csv.header === true;
    if (
      !stated &&
      header.some((name) => numberFromText(trimBlanks(name)) !== numberCell.notNumeric && name !== "")
    ) {
      // A record taken for a header would be shown around as the table's column names.
      throw fault("TABLE_UNREADABLE", "header.numbers", { place }, "header.say-which");
    }
    return header.map((name) => ({ name, kind: "any", nameIsSchema: stated }));
  }

  async *read(
    file: string,
    requests: readonly CellRequest[],
    options: ReadOptions,
  ): AsyncGenerator<CellChunk> {
    const { decimal } = this.#csv;
    const making = { missing: this.#missing, decimal, rows: chunkRows };
    const cells = requests.map((one) => new FieldCells(one, making));
    const columns = cells.flatMap((one) => one.columns);
    const places = new Map((await this.columns(file)).map(({ name }, at) => [name, at]));
    const fields = requests.map(({ name }) => places.get(name)!);
    const numeric = fields.filter((_, k) => requests[k]!.kind === "number");
    const records = new CsvRecords(shapeOf(this.#csv, file), numeric, decimal);
    let rows = 0;
    const write = () => {
      for (let k = 0; k < cells.length; k++) cells[k]!.write(rows, records, fields[k]!);
      return ++rows === chunkRows;
    };
    for await (const _ of this.whole(file, records, write, options)) {
      yield { rows, columns };
      options.signal?.throwIfAborted();
      rows = 0;
    }
  }

  /**
   * Takes a file apart, and yields whenever `write` has no room for a further record, and behind the last one.
   * @param write - told each record that has as many fields as there are columns
   */
  async *whole(
    file: string,
    records: CsvRecords,
    write: () => boolean,
    { signal, malformed }: ReadOptions,
  ): AsyncGenerator<void> {
    const { encoding, names } = this.#csv;
    const place = placeOf(this.#config, file);
    let width = names?.length;
    let isHandedOut = true;
    const text = { file, place, signal, encoding, hasHeader: width === undefined };
    for await (const isWhole of records.of(fileText(text))) {
      for (let found = records.next(); found !== null && found !== "end"; found = records.next()) {
        if (width === undefined) width = records.fields;
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
export async function readCsvHeader(file: string, csv: CsvOptions, place: AnySaid): Promise<string[]> {
  const records = new CsvRecords(shapeOf(csv, file));
  const text = { file, place, encoding: csv.encoding, hasHeader: csv.names === undefined };
  for await (const _ of records.of(fileText(text))) {
    const found = records.next();
    if (found === "end") break;
    if (found === "record")
      return Array.from({ length: records.fields }, (_, at) => trimBlanks(records.text(at)));
    if (found !== null) {
      const remedy = "line.correct-header";
      throw fault("TABLE_UNREADABLE", `line.${found}`, { place, line: null }, remedy);
    }
  }
  return [];
}

/** How a file's records are written: the delimiter as stated, or as the file's ending tells. */
export function shapeOf(csv: CsvOptions, file: string): CsvShape {
  const { quote: mark, escape: before = null, multiline, skipRows, decimal } = csv;
  const quote = mark === "none" ? null : mark;
  const usual = /\.tsv(?:\.gz)?$/i.test(file) ? "\t" : decimal === "," ? ";" : ",";
  return { delimiter: csv.delimiter ?? usual, quote, escape: before, multiline, skipRows };
}

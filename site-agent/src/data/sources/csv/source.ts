import { ConsiliumError } from "@consilium/core/errors";
import {
  type CellChunk,
  type CellRequest,
  dropRows,
  MissingValues,
  numberCell,
  numberFromText,
  trimBlanks,
} from "../../cells.js";
import { cellSql, levelCoder } from "../../duckdbCells.js";
import { DuckDbEngine } from "../../duckdbEngine.js";
import type { CsvOptions } from "../../fileConfig.js";
import { placeOf } from "../../place.js";
import type { ReadLimits, ReadOptions, SourceColumn, TableSource } from "../../source.js";
import { csvOptionsOf, type TableConfig } from "../../tableConfig.js";
import { sqlFile, sqlText } from "../shared/sqlText.js";
import { readCsvHeader } from "./header.js";

/** Of so many malformed rows DuckDB keeps a note, in memory. */
export const malformedNoted = 10_000;

/** CSV files, plain or gzipped. Nothing is guessed from the contents: names come from the header or the site. */
export class CsvSource implements TableSource {
  readonly #config: TableConfig;
  readonly #csv: CsvOptions;
  readonly #limits: ReadLimits;
  readonly #missing: MissingValues;

  constructor(config: TableConfig, limits: ReadLimits) {
    this.#config = config;
    this.#csv = csvOptionsOf(config);
    this.#limits = limits;
    this.#missing = new MissingValues(config.nullValues);
  }

  async columns(file: string): Promise<readonly SourceColumn[]> {
    // Without a header the first row is a record, which has no say in what the columns are.
    const { names } = this.#csv;
    if (names !== undefined) return names.map((name) => ({ name, kind: "any", nameIsSchema: true }));
    const place = placeOf(this.#config, file);
    const header = await readCsvHeader(file, {
      delimiter: delimiterOf(this.#csv, file),
      encoding: this.#csv.encoding,
      place,
    });
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
    const names = (await this.columns(file)).map((column) => column.name);
    const engine = await DuckDbEngine.open(this.#limits, names.length);
    try {
      // Numbers are parsed fastest by the CSV reader itself, which ends at the first invalid one. What it
      // cannot judge (blanks around a null value, a non-number, NaN) is read again as text.
      let delivered = 0;
      if (this.#csv.decimal === ".") {
        try {
          for await (const chunk of this.#stream(engine, file, names, requests, "typed", options)) {
            if (!clean(chunk, requests)) throw new NeedsText();
            delivered += chunk.rows;
            yield chunk;
          }
          return;
        } catch (thrown) {
          options.signal?.throwIfAborted();
          if (!(thrown instanceof NeedsText) && !(thrown instanceof ConsiliumError)) throw thrown;
        }
      }
      for await (const chunk of this.#stream(engine, file, names, requests, "text", options)) {
        const rest = dropRows(chunk, delivered);
        delivered -= chunk.rows - rest.rows;
        if (rest.rows > 0) yield rest;
      }
      if (options.malformed !== undefined) {
        const sql = "SELECT count(DISTINCT line)::VARCHAR FROM reject_errors";
        options.malformed.rows += Number((await engine.texts(sql, placeOf(this.#config, file)))[0]);
      }
    } finally {
      engine.close();
    }
  }

  async *#stream(
    engine: DuckDbEngine,
    file: string,
    names: readonly string[],
    requests: readonly CellRequest[],
    numbers: "typed" | "text",
    { signal, malformed }: ReadOptions,
  ): AsyncGenerator<CellChunk> {
    const places = new Map(names.map((name, at) => [name, at]));
    const positions = requests.map((request) => places.get(request.name)!);
    const isNumber = (place: number) =>
      requests.every(({ kind }, k) => positions[k] !== place || kind === "number");
    const typed = new Set(positions.filter((place) => numbers === "typed" && isNumber(place)));
    const shapes = names.map((_, at) => `'c${at}': '${typed.has(at) ? "DOUBLE" : "VARCHAR"}'`);
    const cells = requests.map((request, k) => {
      const shape = typed.has(positions[k]!) ? "float" : "text";
      return cellSql(request, `c${positions[k]}`, shape, {
        missing: this.#missing,
        decimal: this.#csv.decimal,
      });
    });
    const declared = new Set(requests.flatMap((r) => (r.kind === "level" ? [...r.levels.declared] : [])));
    const nulls = numbers === "text" ? [""] : [...this.#missing.texts].filter((text) => !declared.has(text));
    const sql = `SELECT ${cells.join(", ")} FROM read_csv(${sqlFile(file)}, auto_detect = false, hive_partitioning = false,
      header = ${this.#csv.names === undefined}, delim = ${sqlText(delimiterOf(this.#csv, file))}, quote = '"', escape = '"',
      encoding = '${this.#csv.encoding}', compression = '${/\.gz$/i.test(file) ? "gzip" : "none"}',
      nullstr = [${nulls.map(sqlText).join(", ")}], columns = {${shapes.join(", ")}}${
        // Not while numbers are typed: a cell that is no number would take its whole row away.
        // Without store_rejects DuckDB gives up the rest of a file at text behind a closing quotation mark.
        numbers === "text" && malformed !== undefined
          ? `, store_rejects = true, rejects_limit = ${malformedNoted}`
          : ""
      })`;
    const coded = levelCoder(requests);
    const place = placeOf(this.#config, file);
    for await (const chunk of engine.cells(sql, { place, requests, missing: this.#missing, signal }))
      yield coded(chunk);
  }
}

/** The delimiter as stated, or as the file's ending tells. */
export function delimiterOf(csv: CsvOptions, file: string): string {
  return csv.delimiter ?? (/\.tsv(?:\.gz)?$/i.test(file) ? "\t" : csv.decimal === "," ? ";" : ",");
}

class NeedsText extends Error {}

/** Whether every number of the chunk is a number or a plainly missing one. */
function clean(chunk: CellChunk, requests: readonly CellRequest[]): boolean {
  return chunk.columns.every(
    (column, k) => requests[k]?.kind !== "number" || !column.includes(numberCell.notFinite),
  );
}

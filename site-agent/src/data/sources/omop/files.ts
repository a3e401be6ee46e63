import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { personColumn } from "@consilium/core/omop/plan";
import { nameOf, sentences } from "@consilium/core/said";
import type { AnySaid } from "@consilium/words/said";
import type { SourceSays } from "@consilium/words/says/sources";
import { type CellChunk, type CellRequest, MissingValues } from "../../cells.js";
import { cellSql, levelCoder } from "../../duckdbCells.js";
import { DuckDbEngine } from "../../duckdbEngine.js";
import { shapeOf } from "../../duckdbTypes.js";
import { fault, remedied } from "../../fault.js";
import { defaultCsv, formatOfFile } from "../../fileConfig.js";
import { findFiles, ofOneState, type TableFiles, unreadable } from "../../files.js";
import { shown, tablePlace } from "../../place.js";
import type { ReadLimits, ReadOptions, SourceColumn, TableSource } from "../../source.js";
import { tableConfigSchema } from "../../tableConfig.js";
import { readCsvHeader } from "../csv/source.js";
import { csvTable, refusePatterns } from "../duckdb/input.js";
import { sqlName, sqlText } from "../shared/sqlText.js";
import type { OmopQuery } from "./compile.js";
import { type CdmTable, type CdmType, cdmTables, cdmTablesOf } from "./query.js";

/**
 * The CDM's tables as files of a folder, which a plan's SQL sees as views. DuckDB reads these files and no others: every
 * further access is off before the first statement, and the configuration is locked.
 */

/** Files of before 5.4, and of some programs, lack these. */
const isOptional = (type: CdmType) => type === "time";

const said = sentences<SourceSays>();

interface FoundTable {
  readonly table: CdmTable;
  readonly files: TableFiles;
}

function filesOf(tables: readonly FoundTable[]): readonly string[] {
  return tables.flatMap(({ files }) => files.files);
}

/** The rows that a plan makes of a folder of the CDM's files. */
export class OmopFilesSource implements TableSource {
  readonly #table: string;
  readonly #folder: string;
  readonly #query: OmopQuery;
  readonly #limits: ReadLimits;
  readonly #missing: MissingValues;

  /** @param table - its name, for messages */
  constructor(
    { name, nullValues }: { readonly name: string; readonly nullValues: readonly string[] },
    folder: string,
    query: OmopQuery,
    limits: ReadLimits,
  ) {
    this.#table = name;
    this.#folder = folder;
    this.#query = query;
    this.#limits = limits;
    this.#missing = new MissingValues(nullValues);
  }

  get #place(): AnySaid {
    return tablePlace(this.#table);
  }

  async columns(): Promise<readonly SourceColumn[]> {
    const engine = await this.#open(await this.#tables(), { malformed: { rows: 0 } });
    try {
      const columns = await this.#columns(engine);
      return columns.map(({ name, kind }) => ({ name, kind, nameIsSchema: true }));
    } finally {
      engine.close();
    }
  }

  async *read(
    _: string,
    requests: readonly CellRequest[],
    { signal, malformed = { rows: 0 } }: ReadOptions,
  ): AsyncGenerator<CellChunk> {
    const tables = await this.#tables();
    const read = () => this.#read(tables, requests, { signal, malformed });
    yield* ofOneState(filesOf(tables), this.#place, signal, read);
  }

  async *#read(
    tables: readonly FoundTable[],
    requests: readonly CellRequest[],
    options: ReadOptions,
  ): AsyncGenerator<CellChunk> {
    const engine = await this.#open(tables, options);
    try {
      const columns = new Map((await this.#columns(engine)).map((column) => [column.name, column]));
      const cells = requests.map((request) => {
        const { sql, shape } = columns.get(request.name)!;
        return cellSql(request, sql, shape, this.#missing);
      });
      const { with: before, select } = this.#query;
      const order = columns.get(personColumn)!.sql;
      const sql = `${before} SELECT ${cells.join(", ")} FROM (${select}) source ORDER BY source.${order}`;
      const coded = levelCoder(requests);
      for await (const chunk of engine.cells(sql, {
        place: this.#place,
        requests,
        missing: this.#missing,
        signal: options.signal,
      }))
        yield coded(chunk);
    } finally {
      engine.close();
    }
  }

  async #columns(engine: DuckDbEngine) {
    const { with: before, select, columns: names } = this.#query;
    const columns = await engine.resultColumns(`${before} ${select}`, this.#place);
    return columns.map(({ type }, at) => ({ name: names[at]!, sql: sqlName(`c${at}`), ...shapeOf(type) }));
  }

  /** The CDM tables that the query names. */
  async #tables(): Promise<readonly FoundTable[]> {
    const found = await cdmFiles(this.#folder, this.#table);
    return cdmTablesOf(this.#query).map((table) => {
      const files = found.get(table.name);
      if (files !== undefined) return { table, files };
      const name = nameOf(table.name);
      const params = { place: this.#place, cdm: nameOf(name.toUpperCase()) };
      throw fault("TABLE_UNREADABLE", "omop.no-table", params, remedied("omop.add-table", { name }));
    });
  }

  /** DuckDB with a view for each of the tables. */
  async #open(tables: readonly FoundTable[], options: ReadOptions): Promise<DuckDbEngine> {
    const sealing = { files: filesOf(tables.filter(({ files }) => files.format === "parquet")) };
    const engine = await DuckDbEngine.open(this.#limits, this.#query.columns.length, sealing);
    try {
      for (const found of tables) await this.#makeView(engine, found, options);
      return engine;
    } catch (thrown) {
      engine.close();
      throw thrown;
    }
  }

  async #makeView(engine: DuckDbEngine, { table, files }: FoundTable, options: ReadOptions) {
    const { name, columns } = table;
    const cdm = nameOf(name.toUpperCase());
    const place = said("place.cdm", { table: shown(this.#table), cdm });
    let scan = `read_parquet([${files.files.map(sqlText).join(", ")}], hive_partitioning = false, union_by_name = true)`;
    if (files.format === "csv") {
      const delimiter = await delimiterOf(files.files[0]!, place);
      // Vocabularies come from Athena with tabs and without quotation marks.
      const csv = { ...defaultCsv, header: true, delimiter, quote: delimiter === "\t" ? "none" : '"' };
      const text = await csvTable(
        { name: this.#table, nullValues: [], path: this.#folder, csv },
        files.files,
      );
      scan = sqlName(`text of ${name}`);
      await engine.defineText(`text of ${name}`, text, place, options);
    }
    const present = new Map(
      (await engine.resultColumns(`FROM ${scan}`, place)).map((column) => [
        column.name.toLowerCase(),
        column,
      ]),
    );
    const missing = columns.filter(([column, type]) => !present.has(column) && !isOptional(type));
    if (missing.length > 0) {
      const params = { place, columns: missing.map(([column]) => nameOf(column)) };
      throw fault("COLUMN_MISSING", "omop.no-columns", params, "omop.write-cdm");
    }
    const cells = columns.map(([column, type]) => {
      const own = present.get(column);
      if (own === undefined) return `NULL::TIMESTAMP AS ${column}`;
      return `${typedSql(sqlName(own.name), type)} AS ${column}`;
    });
    await engine.define([`CREATE VIEW ${name} AS SELECT ${cells.join(", ")} FROM ${scan}`], place);
  }
}

/** A cell that is nothing of the type counts as missing: the rows are the hospital's, and none may end a study. */
function typedSql(column: string, type: CdmType): string {
  switch (type) {
    case "id":
      return `TRY_CAST(${column} AS BIGINT)`;
    case "day":
      return `coalesce(TRY_CAST(${column} AS DATE), TRY_STRPTIME(${column}::VARCHAR, '%Y%m%d')::DATE)`;
    case "time":
      return `TRY_CAST(${column} AS TIMESTAMP)`;
    case "value":
      return `CASE WHEN trim(${column}::VARCHAR) <> '' THEN ${column} END`;
  }
}

/**
 * The CDM tables that a folder holds: `person.csv`, `PERSON.parquet`, or a folder `person` of such files.
 * @param table - of the configuration, for messages
 * @throws ConsiliumError TABLE_UNREADABLE, CONFIG_INVALID for a table that is there twice
 */
export async function cdmFiles(folder: string, table: string): Promise<ReadonlyMap<string, TableFiles>> {
  const place = tablePlace(table);
  const entries = await readdir(folder).catch((thrown: unknown) => {
    throw unreadable(thrown, folder, place);
  });
  const known = new Set(cdmTables.map(({ name }) => name));
  const found = new Map<string, TableFiles>();
  for (const entry of entries.sort()) {
    const format = formatOfFile(entry);
    if (format !== null && format !== "csv" && format !== "parquet") continue;
    const name = (format === null ? entry : entry.slice(0, entry.indexOf("."))).toLowerCase();
    if (!known.has(name)) continue;
    const params = { place, cdm: nameOf(name.toUpperCase()) };
    if (found.has(name)) {
      const remedy = remedied("omop.leave-one", { name: nameOf(name) });
      throw fault("CONFIG_INVALID", "omop.twice", params, remedy);
    }
    const config = tableConfigSchema.parse({ name: table, path: join(folder, entry) });
    const files = await findFiles(config);
    if (files.format === "parquet") refusePatterns(table, files.files);
    if (files.format !== "csv" && files.format !== "parquet")
      throw fault("TABLE_UNREADABLE", "omop.neither", params);
    found.set(name, files);
  }
  return found;
}

/** Nothing is guessed from records: the delimiter is that of the header. */
async function delimiterOf(file: string, place: AnySaid): Promise<string> {
  for (const delimiter of ["\t", ",", ";", "|"])
    if ((await readCsvHeader(file, { ...defaultCsv, delimiter }, place)).length > 1) return delimiter;
  throw fault("TABLE_UNREADABLE", "header.empty", { place });
}

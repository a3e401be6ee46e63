import { ConsiliumError } from "@consilium/core/errors";
import { type CellChunk, type CellRequest, dropRows, MissingValues } from "../../cells.js";
import { cellSql, levelCoder } from "../../duckdbCells.js";
import { DuckDbEngine } from "../../duckdbEngine.js";
import { placeOf } from "../../place.js";
import type { ReadLimits, ReadOptions, SourceColumn, TableSource } from "../../source.js";
import type { TableConfig } from "../../tableConfig.js";
import { sqlFile, sqlName, sqlText } from "../shared/sqlText.js";

/** How many objects tell a file's keys, unless one is sought that they lack. */
const firstObjects = 10_000;

/** Files with one JSON object per line, plain or gzipped. A key that an object lacks is a missing value. */
export class JsonLinesSource implements TableSource {
  readonly #config: TableConfig;
  readonly #limits: ReadLimits;
  readonly #missing: MissingValues;

  constructor(config: TableConfig, limits: ReadLimits) {
    this.#config = config;
    this.#limits = limits;
    this.#missing = new MissingValues(config.nullValues);
  }

  /**
   * The columns that the configuration lists; else the keys of the first objects, or of all when a wanted one is not
   * among them. The format has no schema.
   */
  async columns(file: string, wanted: readonly string[] = []): Promise<readonly SourceColumn[]> {
    const listed = this.#config.columns;
    if (listed !== undefined) return listed.map((name) => ({ name, kind: "any", nameIsSchema: true }));
    const engine = await DuckDbEngine.open(this.#limits);
    try {
      const place = placeOf(this.#config, file);
      const keys = async (limit: string) =>
        engine.texts(
          `SELECT key FROM (
             SELECT key, row_number() OVER () AS place FROM (
               SELECT unnest(json_keys(json)) AS key FROM (FROM read_json_objects(${options(file)}) ${limit})))
           GROUP BY key ORDER BY min(place)`,
          place,
        );
      let names = await keys(`LIMIT ${firstObjects}`);
      if (wanted.some((name) => !names.includes(name))) names = await keys("");
      return names.map((name) => ({ name, kind: "any", nameIsSchema: false }));
    } finally {
      engine.close();
    }
  }

  async *read(
    file: string,
    requests: readonly CellRequest[],
    { signal, malformed }: ReadOptions,
  ): AsyncGenerator<CellChunk> {
    const engine = await DuckDbEngine.open(this.#limits, requests.length);
    const place = placeOf(this.#config, file);
    const reading = { place, requests, missing: this.#missing, signal };
    const coded = levelCoder(requests);
    try {
      const cell = (request: CellRequest, column: string) =>
        cellSql(request, column, "text", { missing: this.#missing, decimal: "." });
      const lookedUp = (objects: string) =>
        `SELECT ${requests.map((request, k) => cell(request, `c${k}`)).join(", ")} FROM (
           SELECT ${requests.map(({ name }, k) => `json_extract_string(json, ${sqlText(pointer(name))}) AS c${k}`).join(", ")}
           FROM ${objects})`;
      // DuckDB's reader cannot tell keys apart that differ in case alone; looking each one up can, at a third of the speed.
      const sql = sameButForCase(requests)
        ? lookedUp(`read_json_objects(${options(file)})`)
        : `SELECT ${requests.map((request) => cell(request, sqlName(request.name))).join(", ")}
           FROM read_json(${options(file)}, auto_detect = false, records = 'true',
             columns = {${requests.map(({ name }) => `${sqlText(name)}: 'VARCHAR'`).join(", ")}})`;
      let delivered = 0;
      try {
        for await (const chunk of engine.cells(sql, reading)) {
          delivered += chunk.rows;
          yield coded(chunk);
        }
        return;
      } catch (thrown) {
        if (malformed === undefined || !(thrown instanceof ConsiliumError)) throw thrown;
      }
      // Some line is no object. Of those a null value is a row without a value, as above; the others are left out.
      const lines = `read_json_objects(${options(file)}, ignore_errors = true)`;
      const isRow = "coalesce(json_type(json) IN ('OBJECT', 'NULL'), false)";
      for await (const chunk of engine.cells(lookedUp(`${lines} WHERE ${isRow}`), reading)) {
        const rest = dropRows(chunk, delivered);
        delivered -= chunk.rows - rest.rows;
        if (rest.rows > 0) yield coded(rest);
      }
      const count = `SELECT count(*)::VARCHAR FROM ${lines} WHERE NOT ${isRow}`;
      malformed.rows += Number((await engine.texts(count, place))[0]);
    } finally {
      engine.close();
    }
  }
}

function options(file: string): string {
  const compression = /\.gz$/i.test(file) ? "gzip" : "uncompressed";
  return `${sqlFile(file)}, format = 'newline_delimited', compression = '${compression}', hive_partitioning = false`;
}

function sameButForCase(requests: readonly CellRequest[]): boolean {
  return new Set(requests.map(({ name }) => name.toLowerCase())).size < requests.length;
}

/** RFC 6901 §3: `~` is written `~0`, `/` is written `~1`. */
export function pointer(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

import { ConsiliumError } from "@consilium/core/errors";
import { readSaid } from "@consilium/core/readSaid";
import { sentences } from "@consilium/core/said";
import type { AnySaid } from "@consilium/words/said";
import type { SourceSays } from "@consilium/words/says/sources";
import { type CellChunk, type CellRequest, MissingValues } from "../../cells.js";
import { ownNames } from "../../columns.js";
import { cellSql, levelCoder, type SqlShape } from "../../duckdbCells.js";
import { DuckDbEngine, foreignSaid } from "../../duckdbEngine.js";
import { shapeOf } from "../../duckdbTypes.js";
import { placeOf, shown } from "../../place.js";
import type { ReadLimits, ReadOptions, RowRange, SourceColumn, TableSource } from "../../source.js";
import type { TableConfig } from "../../tableConfig.js";
import { sqlFile, sqlName } from "../shared/sqlText.js";

const said = sentences<SourceSays>();

interface ParquetColumn extends SourceColumn {
  /** DuckDB's name for it, which differs where two names of the file differ only in case. */
  readonly engineName: string;
  readonly shape: SqlShape;
}

/** Parquet files. */
export class ParquetSource implements TableSource {
  readonly #config: TableConfig;
  readonly #limits: ReadLimits;
  readonly #missing: MissingValues;

  constructor(config: TableConfig, limits: ReadLimits) {
    this.#config = config;
    this.#limits = limits;
    this.#missing = new MissingValues(config.nullValues);
  }

  async columns(file: string): Promise<readonly SourceColumn[]> {
    const engine = await DuckDbEngine.open(this.#limits);
    try {
      return await this.#columns(engine, file);
    } finally {
      engine.close();
    }
  }

  async *read(
    file: string,
    asked: readonly CellRequest[],
    { signal, range, check }: ReadOptions,
  ): AsyncGenerator<CellChunk> {
    const missing = this.#missing;
    const engine = await DuckDbEngine.open(this.#limits, asked.length);
    try {
      const found = await this.#columns(engine, file);
      check?.(found);
      const requests = ownNames(found, asked);
      const columns = new Map(found.map((column) => [column.name, column]));
      const cells = requests.map((request) => {
        const { engineName, shape } = columns.get(request.name)!;
        return cellSql(request, sqlName(engineName), shape, missing);
      });
      const sql = `SELECT ${cells.join(", ")} FROM ${scan(file, range)}`;
      const coded = levelCoder(requests);
      const place = placeOf(this.#config, file);
      try {
        for await (const chunk of engine.cells(sql, { place, requests, missing, signal })) yield coded(chunk);
      } catch (thrown) {
        if (thrown instanceof ConsiliumError && readSaid(thrown.message)?.code === foreignSaid)
          for (const { name } of requests) {
            const { engineName, shape } = columns.get(name)!;
            const all = `SELECT max(strlen(${sqlName(engineName)}))::VARCHAR FROM ${scan(file)}`;
            const inColumn = said("place.column", { place, column: shown(name) });
            if (shape === "text") await engine.texts(all, inColumn);
          }
        throw thrown;
      }
    } finally {
      engine.close();
    }
  }

  async #columns(engine: DuckDbEngine, file: string): Promise<ParquetColumn[]> {
    const place = placeOf(this.#config, file);
    const columns = await engine.resultColumns(`FROM ${scan(file)}`, place);
    const names = await this.#namesInFile(engine, file, place);
    return columns.map(({ name, type }, index) => ({
      name: names.length === columns.length ? names[index]! : name,
      engineName: name,
      nameIsSchema: true,
      ...shapeOf(type),
    }));
  }

  /** The names of the top-level columns as the file spells them: the schema is a tree in depth-first order. */
  async #namesInFile(engine: DuckDbEngine, file: string, place: AnySaid): Promise<string[]> {
    const rows = await engine.texts(
      `SELECT coalesce(num_children, 0)::VARCHAR || ' ' || name FROM parquet_schema(${sqlFile(file)})`,
      place,
    );
    const nodes = rows.map((row) => {
      const space = row.indexOf(" ");
      return { children: Number(row.slice(0, space)), name: row.slice(space + 1) };
    });
    const names: string[] = [];
    const skip = (at: number): number => {
      let next = at + 1;
      for (let child = 0; child < nodes[at]!.children; child++) next = skip(next);
      return next;
    };
    for (let at = 1; at < nodes.length; at = skip(at)) names.push(nodes[at]!.name);
    return names;
  }
}

/** DuckDB's name for a row's place in its file, by which it passes over row groups that are not asked for. */
const rowNumber = "file_row_number";

function scan(file: string, range?: RowRange): string {
  const all = `read_parquet(${sqlFile(file)}, hive_partitioning = false`;
  if (range === undefined) return `${all})`;
  const until = range.to === null ? "" : ` AND ${rowNumber} < ${range.to}`;
  return `${all}, ${rowNumber} = true) WHERE ${rowNumber} >= ${range.from}${until}`;
}

/** The rows of each file, by its footer; null where a column has the name that ranges of rows are told by. */
export async function parquetRows(
  config: TableConfig,
  files: readonly string[],
  limits: ReadLimits,
): Promise<number[] | null> {
  const engine = await DuckDbEngine.open(limits);
  try {
    const rows: number[] = [];
    for (const file of files) {
      const [count, named] = await engine.texts(
        `SELECT num_rows::VARCHAR FROM parquet_file_metadata(${sqlFile(file)}) UNION ALL
         SELECT count(*)::VARCHAR FROM parquet_schema(${sqlFile(file)}) WHERE lower(name) = '${rowNumber}'`,
        placeOf(config, file),
      );
      if (named !== "0") return null;
      rows.push(Number(count));
    }
    return rows;
  } finally {
    engine.close();
  }
}

import { fault } from "../../fault.js";
import { findFiles } from "../../files.js";
import { tablePlace } from "../../place.js";
import type { ReadOptions } from "../../source.js";
import type { TableConfig } from "../../tableConfig.js";
import { csvOptionsOf } from "../../tableConfig.js";
import { CsvRecords } from "../../text/csvRecords.js";
import { TextBlock, type TextTable } from "../../text/textBlock.js";
import { CsvSource, shapeOf } from "../csv/source.js";
import { jsonTable } from "../jsonl/source.js";
import type { QueryInput } from "../shared/querySource.js";
import type { DuckDbOptions, NamedFile } from "../shared/queryTableConfig.js";
import { sqlName, sqlText } from "../shared/sqlText.js";

/** The tables of a `duckdb:` entry. @throws ConsiliumError TABLE_UNREADABLE, TABLE_EMPTY, CONFIG_INVALID, COLUMN_AMBIGUOUS */
export async function duckdbInput(config: TableConfig, { files, query }: DuckDbOptions): Promise<QueryInput> {
  const tables = await Promise.all(
    Object.entries(files).map(([name, file]) => namedTable(config, name, file)),
  );
  return {
    files: [...new Set(tables.flatMap((table) => table.files))],
    texts: new Map(tables.flatMap(({ text }) => (text === null ? [] : [text]))),
    definitions: () => tables.map(({ name, select }) => `CREATE VIEW ${sqlName(name)} AS ${select}`),
    query,
  };
}

/** A named file as a table of the query: what it selects from, and where that is text, under which name. */
interface NamedTable {
  readonly name: string;
  readonly files: readonly string[];
  readonly select: string;
  readonly text: readonly [name: string, TextTable] | null;
}

async function namedTable(config: TableConfig, name: string, file: NamedFile): Promise<NamedTable> {
  // In messages it is the table that the query calls so.
  const own: TableConfig = { nullValues: [], ...file, name: `${config.name}.${name}` };
  const { format, files } = await findFiles(own);
  const text = (table: TextTable, select: string): NamedTable => {
    const called = `text of ${name}`;
    return { name, files, text: [called, table], select: `SELECT ${select} FROM ${sqlName(called)}` };
  };
  switch (format) {
    case "csv":
      return text(await csvTable(own, files), "*");
    case "jsonl": {
      const columns = (file.columns ?? []).map(
        (key) => `json_extract_string(TRY_CAST(json AS JSON), ${sqlText(pointer(key))}) AS ${sqlName(key)}`,
      );
      return text(jsonTable(own, files), columns.join(", "));
    }
    default: {
      refusePatterns(own.name, files);
      const select = `SELECT * FROM read_parquet([${files.map(sqlText).join(", ")}], hive_partitioning = false)`;
      return { name, files, select, text: null };
    }
  }
}

/** RFC 6901 §3: `~` is written `~0`, `/` is written `~1`. */
function pointer(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Of a path with such a character DuckDB would read all files that fit it. @throws ConsiliumError CONFIG_INVALID */
export function refusePatterns(table: string, files: readonly string[]): void {
  if (!files.some((path) => /[*?[]/.test(path))) return;
  const place = tablePlace(table);
  throw fault("CONFIG_INVALID", "query.pattern", { place }, "query.rename");
}

/** CSV files, which all have the same columns. @throws ConsiliumError TABLE_EMPTY, COLUMN_AMBIGUOUS, TABLE_UNREADABLE */
export async function csvTable(config: TableConfig, files: readonly string[]): Promise<TextTable> {
  const source = new CsvSource(config);
  const place = tablePlace(config.name);
  let names: string[] = [];
  for (const file of files) {
    const own = (await source.columns(file)).map((column) => column.name);
    if (own.length === 0) throw fault("TABLE_EMPTY", "source.one-empty", { place });
    if (names.length > 0 && names.join("\n") !== own.join("\n"))
      throw fault("TABLE_UNREADABLE", "query.other-columns", { place }, "query.own-tables");
    names = own;
  }
  const lower = names.map((name) => name.toLowerCase());
  const twice = lower.findIndex((name, k) => lower.indexOf(name) < k);
  if (twice >= 0) throw fault("COLUMN_AMBIGUOUS", "query.same-name", { place, column: twice + 1 });
  return {
    names: names.map((name, k) => (name === "" ? `column${k + 1}` : name)),
    files,
    texts: (file, fields, options) => csvTexts(config, file, fields, options),
  };
}

async function* csvTexts(
  config: TableConfig,
  file: string,
  fields: readonly number[],
  options: ReadOptions,
): AsyncGenerator<TextBlock> {
  const records = new CsvRecords(shapeOf(csvOptionsOf(config), file));
  let block = new TextBlock(fields.length);
  const write = () => {
    for (let k = 0; k < fields.length; k++) block.put(k, records.text(fields[k]!));
    return block.endRow();
  };
  for await (const _ of new CsvSource(config).whole(file, records, write, options)) {
    yield block;
    block = new TextBlock(fields.length);
  }
}

import { ConsiliumError } from "@consilium/core/errors";
import { quoted } from "@consilium/core/text";
import { findFiles } from "../../files.js";
import type { TableConfig } from "../../tableConfig.js";
import type { TextTable } from "../../text/textBlock.js";
import { CsvSource } from "../csv/source.js";
import { JsonLinesSource } from "../jsonl/source.js";
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
    parquet: [...new Set(tables.flatMap((table) => (table.text === null ? table.files : [])))],
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
      return text(csvTable(own, files, await csvNames(own, files)), "*");
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

/** CSV files as a table. @param names - of their columns, in their order */
export function csvTable(config: TableConfig, files: readonly string[], names: readonly string[]): TextTable {
  const source = new CsvSource(config);
  const width = names.length;
  return {
    names,
    files,
    blocks: (file, fields, options) => source.texts(file, { fields, width }, options),
  };
}

/** Files with one JSON object per line, as a table of one column, `json`. */
export function jsonTable(config: TableConfig, files: readonly string[]): TextTable {
  const source = new JsonLinesSource(config);
  return { names: ["json"], files, blocks: (file, _, options) => source.texts(file, options) };
}

/** RFC 6901 §3: `~` is written `~0`, `/` is written `~1`. */
function pointer(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Of a path with such a character DuckDB would read all files that fit it. @throws ConsiliumError CONFIG_INVALID */
export function refusePatterns(table: string, files: readonly string[]): void {
  if (!files.some((path) => /[*?[]/.test(path))) return;
  throw new ConsiliumError("CONFIG_INVALID", `table ${quoted(table)}: a file's path holds *, ? or [`, {
    remedy: "rename the file or folder: a query reads files without these characters in their paths",
  });
}

/** The columns of CSV files, which all have the same. @throws ConsiliumError TABLE_EMPTY, COLUMN_AMBIGUOUS, TABLE_UNREADABLE */
async function csvNames(config: TableConfig, files: readonly string[]): Promise<string[]> {
  const source = new CsvSource(config);
  const where = `table ${quoted(config.name)}`;
  let names: string[] | null = null;
  for (const file of files) {
    const own = (await source.columns(file)).map((column) => column.name);
    if (own.length === 0) throw new ConsiliumError("TABLE_EMPTY", `${where}: a file is empty`);
    if (names !== null && names.join("\n") !== own.join("\n")) {
      throw new ConsiliumError("TABLE_UNREADABLE", `${where}: its files have different columns`, {
        remedy: "name files with other columns, or in another order, as tables of their own",
      });
    }
    names = own;
  }
  const lower = (names ?? []).map((name) => name.toLowerCase());
  const twice = lower.findIndex((name, k) => lower.indexOf(name) < k);
  if (twice >= 0) {
    throw new ConsiliumError(
      "COLUMN_AMBIGUOUS",
      `${where}: column ${twice + 1} has the name of another one, whose case alone may differ`,
    );
  }
  return (names ?? []).map((name, k) => (name === "" ? `column${k + 1}` : name));
}

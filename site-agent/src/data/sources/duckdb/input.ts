import { ConsiliumError } from "@consilium/core/errors";
import { quoted } from "@consilium/core/text";
import type { CsvOptions } from "../../fileConfig.js";
import { findFiles } from "../../files.js";
import { csvOptionsOf, type TableConfig } from "../../tableConfig.js";
import { CsvSource, delimiterOf } from "../csv/source.js";
import type { MalformedCount, QueryInput } from "../shared/querySource.js";
import type { DuckDbOptions, NamedFile } from "../shared/queryTableConfig.js";
import { sqlName, sqlText } from "../shared/sqlText.js";

/** Of so many malformed rows DuckDB keeps a note, in memory. */
const malformedNoted = 10_000;

/** A named file as a table of the query. */
interface NamedTable {
  readonly name: string;
  readonly files: readonly string[];
  select(skip: boolean): string;
  readonly malformed: readonly MalformedCount[];
}

/** The tables of a `duckdb:` entry. @throws ConsiliumError TABLE_UNREADABLE, TABLE_EMPTY, CONFIG_INVALID, COLUMN_AMBIGUOUS */
export async function duckdbInput(config: TableConfig, { files, query }: DuckDbOptions): Promise<QueryInput> {
  const tables = await Promise.all(
    Object.entries(files).map(([name, file]) => namedTable(config, name, file)),
  );
  return {
    files: [...new Set(tables.flatMap((table) => table.files))],
    definitions: (skip) =>
      tables.map((table) => `CREATE VIEW ${sqlName(table.name)} AS ${table.select(skip)}`),
    malformed: [...new Set(tables.flatMap(({ malformed }) => malformed))],
    query,
  };
}

/** Of all CSV files that were read: DuckDB notes their rejected rows in one place. */
const csvRejects: MalformedCount = {
  sql: "SELECT count(DISTINCT (file_path, line))::VARCHAR FROM reject_errors JOIN reject_scans USING (scan_id, file_id)",
  table: "reject_errors",
};

async function namedTable(config: TableConfig, name: string, file: NamedFile): Promise<NamedTable> {
  // In messages it is the table that the query calls so.
  const own: TableConfig = { nullValues: [], ...file, name: `${config.name}.${name}` };
  const { format, files } = await findFiles(own);
  refusePatterns(own, files);
  const paths = `[${files.map(sqlText).join(", ")}]`;
  switch (format) {
    case "csv": {
      const names = await csvNames(own, files);
      const { encoding, names: listed } = csvOptionsOf(own);
      const scan = `read_csv(${paths}, auto_detect = false, hive_partitioning = false, header = ${listed === undefined},
        delim = ${sqlText(delimiterOf(csvOptionsOf(own), files[0]!))}, ${quotesSql(csvOptionsOf(own))}, encoding = '${encoding}',
        columns = {${names.map((column) => `${sqlText(column)}: 'VARCHAR'`).join(", ")}}`;
      const rejects = `, store_rejects = true, rejects_limit = ${malformedNoted}`;
      const select = (skip: boolean) => `SELECT * FROM ${scan}${skip ? rejects : ""})`;
      return { name, files, select, malformed: [csvRejects] };
    }
    case "jsonl": {
      const { objects, malformed } = jsonLines(files);
      const columns = (file.columns ?? []).map(
        (key) => `json_extract_string(json, ${sqlText(pointer(key))}) AS ${sqlName(key)}`,
      );
      const select = (skip: boolean) => `SELECT ${columns.join(", ")} FROM ${objects(skip)}`;
      return { name, files, select, malformed: [malformed] };
    }
    default: {
      const select = () => `SELECT * FROM read_parquet(${paths}, hive_partitioning = false)`;
      return { name, files, select, malformed: [] };
    }
  }
}

/** Files with one JSON object per line, as a relation with the column `json`. */
export function jsonLines(files: readonly string[]): {
  readonly files: readonly string[];
  /** @param skip - whether lines that are no object are left out, or end the reading */
  readonly objects: (skip: boolean) => string;
  readonly malformed: MalformedCount;
} {
  const lines = (more: string) =>
    `read_json_objects([${files.map(sqlText).join(", ")}], format = 'newline_delimited', hive_partitioning = false${more})`;
  const isObject = "coalesce(json_type(json) = 'OBJECT', false)";
  const skipped = lines(", ignore_errors = true");
  return {
    files,
    objects: (skip) =>
      skip
        ? `(SELECT json FROM ${skipped} WHERE ${isObject})`
        : `(SELECT json FROM ${lines("")} WHERE CASE WHEN ${isObject} THEN true ELSE error('Malformed JSON') END)`,
    malformed: { sql: `SELECT count(*)::VARCHAR FROM ${skipped} WHERE NOT ${isObject}` },
  };
}

const quotesSql = ({ quote, escape: before, skipRows }: CsvOptions) => {
  const mark = quote === "none" ? "" : quote;
  return `quote = ${sqlText(mark)}, escape = ${sqlText(before ?? mark)}, skip = ${skipRows}`;
};

/** RFC 6901 §3: `~` is written `~0`, `/` is written `~1`. */
function pointer(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Of a path with such a character DuckDB would read all files that fit it. @throws ConsiliumError CONFIG_INVALID */
export function refusePatterns(config: TableConfig, files: readonly string[]): void {
  if (!files.some((path) => /[*?[]/.test(path))) return;
  throw new ConsiliumError("CONFIG_INVALID", `table ${quoted(config.name)}: a file's path holds *, ? or [`, {
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

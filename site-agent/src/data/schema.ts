import type { ConsiliumError } from "@consilium/core/errors";
import type { Result } from "@consilium/core/result";
import { attempt, fault } from "./fault.js";
import { type ColumnDescription, Meanings } from "./meanings.js";
import { type OpenedSource, openSource } from "./openSource.js";
import { placeOf } from "./place.js";
import type { ColumnKind, SourceColumn } from "./source.js";
import { placeOnSpark, type TableConfig } from "./tableConfig.js";

/** A table's columns without any of its data and without its number of rows. */
export interface TableDescription {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: ColumnKind }[];
}

/** The same, with what people wrote of the columns in the configuration. */
export interface DeclaredTable {
  readonly name: string;
  readonly columns: readonly (TableDescription["columns"][number] & ColumnDescription)[];
}

/**
 * The columns that somebody has declared, and so what may be sent of a table: by `csv.header: true`, `csv.names` or
 * `columns` in the site's configuration, or by the schema of a Parquet file or a database. A first line that merely looks like a header does not count, for it may be a record, and neither are keys that JSON objects happen to have.
 * @returns no columns where nothing is declared, or the table cannot be read
 */
export async function describeDeclared(config: TableConfig): Promise<DeclaredTable> {
  const { name, csv, columns } = config;
  const listed = columns ?? csv?.names;
  const meanings = new Meanings(config);
  const declaredAs = (column: string, type: ColumnKind) => ({
    name: column,
    type,
    ...meanings.describedOf(column),
  });
  if (listed !== undefined) return { name, columns: listed.map((column) => declaredAs(column, "any")) };
  // To look would start an application on the hospital's cluster each time the agent connects.
  if (placeOnSpark(config) !== null) return { name, columns: [] };
  const found = await attempt(config, undefined, async () => {
    const opened = await openSource(config);
    if (opened.format === "jsonl") return [];
    return firstColumns(opened);
  });
  const declared = found.ok ? found.value.filter(({ nameIsSchema }) => nameIsSchema) : [];
  return { name, columns: declared.map((column) => declaredAs(column.name, column.kind)) };
}

/**
 * The columns of a table's first file that holds any, for the hospital's own eyes. Types are the format's: CSV and JSON
 * lines have none (`any`). A CSV header that holds numbers is refused as a probable record, unless the site states that
 * it is a header.
 */
export function describeTable(config: TableConfig): Promise<Result<TableDescription, ConsiliumError>> {
  return attempt(config, undefined, async () => {
    const columns = await firstColumns(await openSource(config));
    return { name: config.name, columns: columns.map(({ name, kind }) => ({ name, type: kind })) };
  });
}

async function firstColumns({ config, files, source }: OpenedSource): Promise<readonly SourceColumn[]> {
  for (const file of files) {
    const columns = await source.columns(file);
    if (columns.length > 0) return columns;
  }
  throw fault("TABLE_EMPTY", "source.empty", { place: placeOf(config, files[0]!) });
}

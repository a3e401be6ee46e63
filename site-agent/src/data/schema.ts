import { ConsiliumError } from "@consilium/core/errors";
import type { Result } from "@consilium/core/result";
import { attempt } from "./fault.js";
import { placeOf } from "./files.js";
import { openSource } from "./openSource.js";
import type { ColumnKind } from "./source.js";
import type { TableConfig } from "./tableConfig.js";

/** A table's columns without any of its data and without its number of rows: what a site may tell of it. */
export interface TableDescription {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: ColumnKind }[];
}

/**
 * The columns of a table's first file that holds any. Types are the format's: CSV and JSON lines have none (`any`).
 * A CSV header that holds numbers is refused as a probable record, unless the site states that it is a header.
 */
export function describeTable(config: TableConfig): Promise<Result<TableDescription, ConsiliumError>> {
  return attempt(config, undefined, async () => {
    const opened = await openSource(config);
    for (const file of opened.files) {
      const columns = await opened.source.columns(file);
      if (columns.length > 0) {
        return { name: config.name, columns: columns.map(({ name, kind }) => ({ name, type: kind })) };
      }
    }
    throw new ConsiliumError("TABLE_EMPTY", `${placeOf(config, opened.files[0]!)}: the file is empty`);
  });
}

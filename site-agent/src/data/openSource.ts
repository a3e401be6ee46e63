import { assertNever } from "@consilium/core/result";
import { CsvSource } from "./csvSource.js";
import { findFiles, type TableFiles } from "./files.js";
import { JsonLinesSource } from "./jsonLinesSource.js";
import { ParquetSource } from "./parquetSource.js";
import { defaultReadLimits, type ReadLimits, type TableSource } from "./source.js";
import { SqliteSource } from "./sqliteSource.js";
import type { TableConfig } from "./tableConfig.js";

export interface OpenedSource extends TableFiles {
  readonly config: TableConfig;
  readonly source: TableSource;
}

/** Finds a table's files and the reader of their format. @throws ConsiliumError TABLE_UNREADABLE, CONFIG_INVALID */
export async function openSource(
  config: TableConfig,
  limits: ReadLimits = defaultReadLimits,
): Promise<OpenedSource> {
  const found = await findFiles(config);
  return { ...found, config, source: sourceOf(config, found, limits) };
}

function sourceOf(config: TableConfig, { format }: TableFiles, limits: ReadLimits): TableSource {
  switch (format) {
    case "csv":
      return new CsvSource(config, limits);
    case "parquet":
      return new ParquetSource(config, limits);
    case "jsonl":
      return new JsonLinesSource(config, limits);
    case "sqlite":
      return new SqliteSource(config);
    default:
      return assertNever(format);
  }
}

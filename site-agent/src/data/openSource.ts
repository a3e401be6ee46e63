import { assertNever } from "@consilium/core/result";
import { CsvSource } from "./csvSource.js";
import { duckdbInput } from "./duckdbInput.js";
import { fhirInput } from "./fhir/fhirInput.js";
import type { TableFormat } from "./fileConfig.js";
import { findFiles, type TableFiles } from "./files.js";
import { JsonLinesSource } from "./jsonLinesSource.js";
import { ParquetSource } from "./parquetSource.js";
import { PostgresSource } from "./postgresSource.js";
import { QuerySource } from "./querySource.js";
import { defaultReadLimits, type ReadLimits, type TableSource } from "./source.js";
import { SqliteSource } from "./sqliteSource.js";
import type { TableConfig } from "./tableConfig.js";

export interface OpenedSource {
  readonly config: TableConfig;
  readonly format: TableFormat | "postgres" | "duckdb" | "fhir" | "arrow";
  /** Absolute paths in the order in which their rows count; of a query, its table's name alone. */
  readonly files: readonly string[];
  readonly source: TableSource;
}

/** Finds a table's files, or its query, and what reads them. @throws ConsiliumError TABLE_UNREADABLE, CONFIG_INVALID */
export async function openSource(
  config: TableConfig,
  limits: ReadLimits = defaultReadLimits,
): Promise<OpenedSource> {
  if (config.postgres !== undefined) {
    return {
      config,
      format: "postgres",
      files: [config.name],
      source: new PostgresSource(config, config.postgres),
    };
  }
  const { duckdb, fhir } = config;
  if (duckdb !== undefined) {
    const ample = { ...limits, memoryLimitMb: duckdb.memoryMb };
    const source = new QuerySource(config, await duckdbInput(config, duckdb, ample), ample);
    return { config, format: "duckdb", files: [config.name], source };
  }
  if (fhir !== undefined) {
    const source = new QuerySource(config, await fhirInput(config, fhir), {
      ...limits,
      memoryLimitMb: fhir.memoryMb,
    });
    return { config, format: "fhir", files: [config.name], source };
  }
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

import { assertNever } from "@consilium/core/result";
import type { Study } from "@consilium/core/study/study";
import type { TableFormat } from "./fileConfig.js";
import { findFiles, type TableFiles } from "./files.js";
import { defaultReadLimits, type ReadLimits, type TableSource } from "./source.js";
import { type DatabaseKind, namedDatabase } from "./sources/shared/databaseConfig.js";
import type { TableConfig } from "./tableConfig.js";

export interface OpenedSource {
  readonly config: TableConfig;
  readonly format: TableFormat | DatabaseKind | "duckdb" | "fhir" | "omop" | "spark" | "arrow";
  /** Absolute paths in the order in which their rows count; of a query, its table's name alone. */
  readonly files: readonly string[];
  readonly source: TableSource;
}

/**
 * Finds a table's files, or its query, and what reads them. Where the hospital has no table of a kind, the code that reads that kind
 * is not loaded.
 * @param study - whose feature plan an OMOP table is read by; null: nobody reads it yet
 * @throws ConsiliumError TABLE_UNREADABLE, CONFIG_INVALID, OMOP_PLAN_MISSING
 */
export async function openSource(
  config: TableConfig,
  study: Pick<Study, "omop"> | null = null,
  limits: ReadLimits = defaultReadLimits,
): Promise<OpenedSource> {
  const files = [config.name];
  const { duckdb, fhir, omop, spark } = config;
  if (spark !== undefined || omop?.spark !== undefined) {
    const { SparkSource } = await import("./sources/spark/source.js");
    const format = omop === undefined ? "spark" : "omop";
    return { config, format, files, source: new SparkSource(config, study) };
  }
  if (omop !== undefined) {
    const { omopSource } = await import("./sources/omop/source.js");
    return { config, format: "omop", files, source: await omopSource(config, omop, study, limits) };
  }
  if (duckdb !== undefined) {
    const [{ QuerySource }, { duckdbInput }] = await Promise.all([
      import("./sources/shared/querySource.js"),
      import("./sources/duckdb/input.js"),
    ]);
    const ample = { ...limits, memoryLimitMb: duckdb.memoryMb };
    const source = new QuerySource(config, await duckdbInput(config, duckdb, ample), ample);
    return { config, format: "duckdb", files, source };
  }
  if (fhir !== undefined) {
    const [{ QuerySource }, { fhirInput }] = await Promise.all([
      import("./sources/shared/querySource.js"),
      import("./sources/fhir/input.js"),
    ]);
    const ample = { ...limits, memoryLimitMb: fhir.memoryMb };
    const source = new QuerySource(config, await fhirInput(config, fhir), ample);
    return { config, format: "fhir", files, source };
  }
  const database = namedDatabase(config);
  if (database !== null) {
    const [{ databaseSource }, { queryDatabase }] = await Promise.all([
      import("./sources/shared/databaseSource.js"),
      import("./sources/shared/queryDatabase.js"),
    ]);
    const { kind, place } = database;
    // PostgreSQL's rows come in one order even without a key, as they did before tables were multisets.
    const orderBy = place.orderBy ?? (kind === "postgres" ? undefined : null);
    const source = databaseSource(config, await queryDatabase(kind, place), { select: place.query, orderBy });
    return { config, format: kind, files, source };
  }
  const found = await findFiles(config);
  return { ...found, config, source: await sourceOf(config, found, limits) };
}

async function sourceOf(
  config: TableConfig,
  { format }: TableFiles,
  limits: ReadLimits,
): Promise<TableSource> {
  switch (format) {
    case "csv": {
      const { CsvSource } = await import("./sources/csv/source.js");
      return new CsvSource(config, limits);
    }
    case "parquet": {
      const { ParquetSource } = await import("./sources/parquet/source.js");
      return new ParquetSource(config, limits);
    }
    case "jsonl": {
      const { JsonLinesSource } = await import("./sources/jsonl/source.js");
      return new JsonLinesSource(config, limits);
    }
    case "sqlite": {
      const { SqliteSource } = await import("./sources/sqlite/source.js");
      return new SqliteSource(config);
    }
    default:
      return assertNever(format);
  }
}

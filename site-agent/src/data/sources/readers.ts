import type { Study } from "@consilium/core/study/study";
import type { TableFormat } from "../fileConfig.js";
import type { ReadLimits, TableSource } from "../source.js";
import type { TableConfig } from "../tableConfig.js";
import type { SourceName } from "./places.js";
import type { DatabaseName } from "./shared/databaseConfig.js";
import type { QueryDatabase } from "./shared/databaseSource.js";
import type { DatabasePlace } from "./sourceKind.js";

/** What reads each kind of `registry.ts`, loaded where a table of it is read, and in no process but those that see records. */

type FormatReader = (config: TableConfig, limits: ReadLimits) => Promise<TableSource>;

export const formatReaders: Readonly<Record<TableFormat, FormatReader>> = {
  csv: async (config) => new (await import("./csv/source.js")).CsvSource(config),
  parquet: async (config, limits) => new (await import("./parquet/source.js")).ParquetSource(config, limits),
  jsonl: async (config) => new (await import("./jsonl/source.js")).JsonLinesSource(config),
  sqlite: async (config) => new (await import("./sqlite/source.js")).SqliteSource(config),
};

/** @throws ConsiliumError CONFIG_INVALID */
type DatabaseReader = (place: DatabasePlace) => Promise<QueryDatabase<number> | QueryDatabase<string>>;

export const databaseReaders: Readonly<Record<DatabaseName, DatabaseReader>> = {
  postgres: async (place) => (await import("./postgres/source.js")).postgresDatabase(place),
  sqlserver: async (place) => (await import("./sqlserver/source.js")).sqlServerDatabase(place),
  mariadb: async (place) => (await import("./mariadb/source.js")).mariaDbDatabase(place),
  oracle: async (place) => (await import("./oracle/source.js")).oracleDatabase(place),
};

/** What a table is opened for. */
export interface Opening {
  /** Whose feature plan an OMOP table is read by; null: nobody reads it yet. */
  readonly study: Pick<Study, "omop"> | null;
  readonly limits: ReadLimits;
}

export interface Opened {
  /** As messages have it. */
  readonly format: string;
  /** Absolute paths in the order in which their rows count; of a query, its table's name alone. */
  readonly files: readonly string[];
  readonly source: TableSource;
}

/** @throws ConsiliumError TABLE_UNREADABLE, TABLE_AWAY, CONFIG_INVALID, OMOP_PLAN_MISSING */
export type Opener = (config: TableConfig, opening: Opening) => Promise<Opened>;

/** By the key of a table's entry; all databases have one. */
export async function openerOf(name: SourceName): Promise<Opener> {
  switch (name) {
    case "path":
      return (await import("./path/open.js")).openFiles;
    case "duckdb":
      return (await import("./duckdb/open.js")).openDuckDb;
    case "fhir":
      return (await import("./fhir/open.js")).openFhir;
    case "omop":
      return (await import("./omop/open.js")).openOmop;
    case "spark":
      return (await import("./spark/open.js")).openSpark;
    default:
      return (await import("./shared/openQuery.js")).openQuery(name);
  }
}

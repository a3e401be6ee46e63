import type { TableConfig } from "../tableConfig.js";
import { duckdb } from "./duckdb/kind.js";
import { fhir } from "./fhir/kind.js";
import { omop } from "./omop/kind.js";
import { path } from "./path/kind.js";
import { databaseTables } from "./shared/databaseConfig.js";
import type { SourceKind } from "./sourceKind.js";
import { spark } from "./spark/kind.js";

/** Where a table's records can be, by the key of its entry: one of them is there. */
export const sources = { path, ...databaseTables, duckdb, fhir, omop, spark };

export type SourceName = keyof typeof sources;
export const sourceNames = Object.keys(sources) as SourceName[];

/** Where a table's records are; as `SourceKind`. */
export interface PlacedSource {
  readonly name: SourceName;
  resolved(folder: string): TableConfig;
  files(): readonly TableConfig[];
  beside(): readonly string[];
  elsewhere(): ReturnType<SourceKind<unknown>["elsewhere"]>;
}

/** Where the records of a valid entry are. */
export function sourceOf(config: TableConfig): PlacedSource {
  const name = sourceNames.find((key) => config[key] !== undefined);
  if (name === undefined) throw new RangeError("the table has no place");
  const kind = sources[name] as SourceKind<unknown>;
  const value: unknown = config[name];
  return {
    name,
    resolved: (folder) => ({ ...config, [name]: kind.resolve(value, folder) }),
    files: () => kind.files(value, config),
    beside: () => kind.beside(value),
    elsewhere: () => kind.elsewhere(value),
  };
}

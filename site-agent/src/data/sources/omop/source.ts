import { personColumn } from "@consilium/core/omop/plan";
import type { Study } from "@consilium/core/study/study";
import type { ReadLimits, TableSource } from "../../source.js";
import type { TableConfig } from "../../tableConfig.js";
import { duckdbOmop } from "../duckdb/kind.js";
import { databaseReaders } from "../readers.js";
import { databases } from "../registry.js";
import { type DatabaseName, namedDatabase } from "../shared/databaseConfig.js";
import { databaseSource, type Query } from "../shared/databaseSource.js";
import { cdmTypes } from "./cdmTypes.js";
import type { OmopOptions } from "./config.js";
import { omopQuery } from "./query.js";

/**
 * The rows that a study's feature plan makes of an OMOP database, one per person.
 * @param study - without one only the persons are asked for
 * @throws ConsiliumError OMOP_PLAN_MISSING for a study that has no plan
 */
export async function omopSource(
  config: TableConfig,
  options: OmopOptions,
  study: Pick<Study, "omop"> | null,
  limits: ReadLimits,
): Promise<TableSource> {
  const { files } = options;
  if (files !== undefined) {
    // Native code, which a process that reads databases alone may not load.
    const { OmopFilesSource } = await import("./files.js");
    return new OmopFilesSource(config, files, omopQuery(config, options, study, duckdbOmop), limits);
  }
  const { name, place } = namedDatabase(options)!;
  const query = omopDatabaseQuery(config, options, study, name);
  return databaseSource(config, await databaseReaders[name](place), query);
}

/** A study's feature plan as a query of a database; as `omopSource`. */
export function omopDatabaseQuery(
  config: TableConfig,
  options: OmopOptions,
  study: Pick<Study, "omop"> | null,
  name: DatabaseName,
): Query {
  const query = omopQuery(config, options, study, databases[name].omop);
  const { with: before, select, columns: names } = query;
  const types = cdmTypes(query, options);
  return { with: before, select, names, types, orderBy: [personColumn], shareBy: [personColumn] };
}

import { personColumn } from "@consilium/core/omop/plan";
import type { Study } from "@consilium/core/study/study";
import { namedDatabase } from "./databaseConfig.js";
import { databaseSource } from "./databaseSource.js";
import type { OmopOptions } from "./omopConfig.js";
import { OmopFilesSource } from "./omopFiles.js";
import { omopQuery } from "./omopQuery.js";
import { queryDatabase } from "./queryDatabase.js";
import type { ReadLimits, TableSource } from "./source.js";
import type { TableConfig } from "./tableConfig.js";

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
  if (files !== undefined)
    return new OmopFilesSource(config, files, omopQuery(config, options, study, "duckdb"), limits);
  const { kind: dialect, place } = namedDatabase(options)!;
  const query = omopQuery(config, options, study, dialect);
  return databaseSource(config, await queryDatabase(dialect, place), {
    with: query.with,
    select: query.select,
    names: query.columns,
    orderBy: [personColumn],
  });
}

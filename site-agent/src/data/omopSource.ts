import { ConsiliumError } from "@consilium/core/errors";
import { compileOmopPlan, type OmopQuery } from "@consilium/core/omop/compile";
import type { OmopDialectName } from "@consilium/core/omop/dialects";
import { personColumn } from "@consilium/core/omop/plan";
import type { Study } from "@consilium/core/study/study";
import { quoted } from "@consilium/core/text";
import { namedDatabase } from "./databaseConfig.js";
import { databaseSource } from "./databaseSource.js";
import type { OmopOptions } from "./omopConfig.js";
import { OmopFilesSource } from "./omopFiles.js";
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
    return new OmopFilesSource(config, files, queryOf(config, options, study, "duckdb"), limits);
  const { kind: dialect, place } = namedDatabase(options)!;
  const query = queryOf(config, options, study, dialect);
  return databaseSource(config, await queryDatabase(dialect, place), {
    with: query.with,
    select: query.select,
    names: query.columns,
    orderBy: [personColumn],
  });
}

function queryOf(
  { name }: TableConfig,
  { schema, vocabularySchema }: OmopOptions,
  study: Pick<Study, "omop"> | null,
  dialect: OmopDialectName,
): OmopQuery {
  if (study === null) {
    const before = "WITH omop_people AS (SELECT DISTINCT person_id";
    const from = schema === undefined ? "person" : `${schema}.person`;
    return {
      with: `${before} FROM ${from})`,
      select: "SELECT person_id AS c0 FROM omop_people",
      columns: [personColumn],
    };
  }
  if (study.omop !== undefined) return compileOmopPlan(study.omop, { dialect, schema, vocabularySchema });
  throw new ConsiliumError(
    "OMOP_PLAN_MISSING",
    `table ${quoted(name)} is an OMOP database, and the study has no feature plan`,
  );
}

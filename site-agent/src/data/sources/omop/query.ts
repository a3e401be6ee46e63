import { personColumn } from "@consilium/core/omop/plan";
import type { Study } from "@consilium/core/study/study";
import { fault } from "../../fault.js";
import { tablePlace } from "../../place.js";
import { compileOmopPlan, type OmopQuery, omopEventTables } from "./compile.js";
import type { OmopOptions } from "./config.js";
import type { OmopDialect } from "./dialect.js";

/** How a column of a CDM table is read: `value` as it is, and as one number later. */
export type CdmType = "id" | "day" | "time" | "value";

export interface CdmTable {
  readonly name: string;
  readonly columns: readonly (readonly [name: string, type: CdmType])[];
}

const ids = (...names: string[]) => names.map((name) => [name, "id"] as const);

const values: CdmTable["columns"] = [
  ["unit_concept_id", "id"],
  ["value_as_number", "value"],
];

/** What plans read of the CDM. */
export const cdmTables: readonly CdmTable[] = [
  {
    name: "person",
    columns: ids(personColumn, "gender_concept_id", "year_of_birth", "month_of_birth", "day_of_birth"),
  },
  {
    name: "observation_period",
    columns: [
      ...ids(personColumn),
      ["observation_period_start_date", "day"],
      ["observation_period_end_date", "day"],
    ],
  },
  { name: "concept_ancestor", columns: ids("ancestor_concept_id", "descendant_concept_id") },
  ...Object.entries(omopEventTables).map(
    ([domain, { table, concept, date, time, id }]): CdmTable => ({
      name: table,
      columns: [
        ...ids(personColumn, concept, id),
        [date, "day"],
        [time, "time"],
        ...(domain === "measurement" || domain === "observation" ? values : []),
      ],
    }),
  ),
];

/** The CDM tables that a query names. */
export function cdmTablesOf({ with: before, select }: OmopQuery): readonly CdmTable[] {
  const text = `${before} ${select}`;
  return cdmTables.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text));
}

/**
 * A study's feature plan in a database's SQL.
 * @param study - null: the persons alone are asked for
 * @throws ConsiliumError OMOP_PLAN_MISSING for a study that has no plan
 */
export function omopQuery(
  { name }: { readonly name: string },
  { schema, vocabularySchema }: OmopOptions,
  study: Pick<Study, "omop"> | null,
  dialect: OmopDialect,
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
  throw fault("OMOP_PLAN_MISSING", "omop.no-plan", { place: tablePlace(name) });
}

import { personColumn } from "@consilium/core/omop/plan";
import type { Study } from "@consilium/core/study/study";
import type { TableConfig } from "./tableConfig.js";

/** A table's unit as the hospital's configuration has it. */
export type TableUnit =
  | { readonly kind: "row" /** Whether the configuration says so. */; readonly declared: boolean }
  | {
      readonly kind: "patient";
      readonly declared: true;
      /** The column that says whose row it is. */
      readonly column: string;
      readonly maxRows: number;
      /** The column by which a patient's rows are ordered; left out, a keyed hash orders them. */
      readonly orderBy?: string | undefined;
      /** Whether a study's feature plan says what the columns are. */
      readonly isOmop?: true;
    };

/** An OMOP table has one row per person by how its query is made; the bound holds even if that were wrong. */
export const omopUnit = { patient: { column: personColumn, maxRows: 1 } } as const;

export function unitOf({ unit, omop }: Partial<Pick<TableConfig, "unit" | "omop">>): TableUnit {
  if (omop !== undefined) return { kind: "patient", declared: true, ...omopUnit.patient, isOmop: true };
  if (unit === undefined) return { kind: "row", declared: false };
  if (unit === "rows") return { kind: "row", declared: true };
  return { kind: "patient", declared: true, ...unit.patient };
}

export function orderByOf(config: Partial<Pick<TableConfig, "unit" | "omop">>): string | undefined {
  const unit = unitOf(config);
  return unit.kind === "patient" ? unit.orderBy : undefined;
}

/**
 * A study as this site runs it: where the hospital counts patients and a study whose privacy is proven names none, the
 * site takes at most `maxRows` rows of each patient by its own column. So a patient's rows change the study's sums by at
 * most `maxRows` times what one row does, and its ledger charges for that (policy/unitCost.ts).
 */
export function boundedStudy(study: Study, unit: TableUnit): Study {
  if (study.variant !== "sound" || unit.kind === "row" || study.patient !== undefined) return study;
  const { column, maxRows } = unit;
  return { ...study, patient: { column, maxRows } };
}

import { ConsiliumError } from "@consilium/core/errors";
import { err, ok, type Result } from "@consilium/core/result";
import type { Plan } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import type { Spent, Unit } from "@consilium/gate/account";
import { nothing, plus, timesUp } from "@consilium/gate/account";
import type { TableUnit } from "../data/tableUnit.js";
import { epsilonOf, rhoOfEvent } from "../ledger/epsilon.js";
import { variantOf } from "./policy.js";

/** In which unit of privacy a study is charged, and how many times what its plan says. */
export interface Charging {
  readonly unit: Unit;
  /**
   * On each event's ρ. M² where the hospital counts patients of at most M rows and the study rows: M rows are M steps of
   * one row, and ρ grows with the square of the steps [BS16, Proposition 27].
   */
  readonly factor: number;
}

/**
 * How a study of a table is charged.
 * @returns POLICY_UNIT where a study whose privacy is proven protects another unit than the hospital counts
 */
export function chargingOf(study: Study, plan: Plan, unit: TableUnit): Result<Charging, ConsiliumError> {
  const { patient } = study;
  const own: Charging = { unit: unit.kind, factor: 1 };
  // Nothing is proven of it, in whatever unit.
  if (variantOf(plan) !== "sound") return ok(own);
  const fault = (what: string, remedy: string) =>
    err(new ConsiliumError("POLICY_UNIT", `study ${study.name}: ${what}`, { remedy }));
  if (unit.kind === "row") {
    if (patient === undefined) return ok(own);
    return fault(
      `it takes column ${JSON.stringify(patient.column)} for the patient, and this hospital has declared no patient column for table ${study.table}`,
      `leave patient out of the study, or write unit: {patient: {column: …, maxRows: …}} under tables.${study.table} in config.yaml`,
    );
  }
  if (patient === undefined) return ok({ unit: "patient", factor: unit.maxRows ** 2 });
  if (patient.column !== unit.column) {
    return fault(
      `it takes column ${JSON.stringify(patient.column)} for the patient, and this hospital has declared another one for table ${study.table}`,
      `name the hospital's own patient column in the study, or none, or change unit under tables.${study.table} in config.yaml`,
    );
  }
  if (patient.maxRows > unit.maxRows) {
    return fault(
      `it uses ${patient.maxRows} rows of each patient, this hospital allows ${unit.maxRows} for table ${study.table}`,
      `lower patient.maxRows in the study, or raise unit.patient.maxRows under tables.${study.table} in config.yaml`,
    );
  }
  return ok(own);
}

/** What all stages of a plan cost together, as the ledger would book them. */
export function plannedCost(plan: Plan, { factor }: Pick<Charging, "factor">): Spent {
  return plan.stages.reduce((sum, { disclosure }) => {
    const rho = rhoOfEvent(disclosure.event);
    return plus(sum, rho === null ? null : timesUp(rho, factor));
  }, nothing);
}

/**
 * What a study costs in the hospital's own terms, for limits and words: its ρ at the population's δ. The study's own ε and
 * δ are its author's choice: a great δ makes the ε of little noise look small.
 */
export interface JudgedCost {
  /** At `delta`; what the authors claim, where nothing is proven; null for a study without any privacy. */
  readonly epsilon: number | null;
  /** The population's; with `claimed` the study's own. */
  readonly delta: number | null;
  readonly claimed: boolean;
  readonly charging: Charging;
}

export function judgedCost(plan: Plan, charging: Charging, delta: number): JudgedCost {
  const { claim } = plan;
  if (claim.verdict !== "proved")
    return { epsilon: claim.epsilon, delta: claim.delta, claimed: true, charging };
  const spent = plannedCost(plan, charging);
  const epsilon = spent.unbounded > 0 ? Number.POSITIVE_INFINITY : epsilonOf(spent, delta);
  return { epsilon, delta, claimed: false, charging };
}

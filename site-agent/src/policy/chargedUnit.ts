import type { ChargedUnit } from "@consilium/core/hospital/studyFacts";
import type { Plan } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import { epsilonOf } from "../ledger/epsilon.js";
import { chargedTo, type Permissions } from "./judge.js";
import { plannedCost } from "./unitCost.js";

/** How this hospital charges a study; null where it would refuse it for its population or its unit. */
export function chargedUnitOf(
  study: Study,
  plan: Plan,
  permissions: Pick<Permissions, "policy" | "tables">,
): ChargedUnit | null {
  const charged = chargedTo(study, plan, permissions);
  if (!charged.ok) return null;
  const { population, unit, charging } = charged.value;
  return {
    epsilon: epsilonOf(plannedCost(plan, charging), population.delta),
    delta: population.delta,
    ...charging,
    isDeclared: unit.declared,
    rowsOfEach: unit.kind === "patient" ? unit.maxRows : null,
  };
}

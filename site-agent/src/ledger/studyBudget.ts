import type { StudyBudgetView } from "@consilium/core/hospital/studyViews";
import type { Plan } from "@consilium/core/study/plan";
import type { PopulationBudget } from "../policy/policy.js";
import type { Spent } from "./entry.js";
import {
  epsilonOf,
  minusSpent,
  nothing,
  plus,
  plusSpent,
  rhoOfEvent,
  shownDown,
  shownUp,
  type Totals,
} from "./totals.js";
import { shownDelta, shownDigits } from "./views.js";

/**
 * What a study does to its population's budget: before it, and after all its stages. The rule is the ledger's own (what
 * is spent and reserved, and the study's stages that are neither yet, against the limit); every ε is rounded against us.
 */
export function studyBudget(
  totals: Totals,
  asked: {
    readonly study: string;
    readonly plan: Plan;
    readonly population: PopulationBudget & { readonly tables: readonly string[] };
  },
): StudyBudgetView {
  const { study, plan, population } = asked;
  const { name, budget, tables } = population;
  const delta = budget?.delta ?? shownDelta;
  const known = totals.stagesOf(study).filter((stage) => stage.population === name);
  const own = known.reduce<Spent>((sum, { rho }) => plus(sum, rho), nothing);
  const charged = new Set(known.map(({ stage }) => stage));
  const fresh = plan.stages
    .filter(({ id }) => !charged.has(id))
    .reduce<Spent>((sum, { disclosure }) => plus(sum, rhoOfEvent(disclosure.event)), nothing);
  const now = plusSpent(totals.committed(name), totals.reserved(name));
  const before = minusSpent(now, own);
  const after = plusSpent(now, fresh);
  const epsilonBefore = epsilonOf(before, delta);
  const epsilonAfter = epsilonOf(after, delta);
  const remaining = (epsilon: number) =>
    budget === null ? null : Math.max(0, shownDown(budget.epsilon - epsilon, shownDigits));
  return {
    population: name,
    tables: [...tables],
    delta,
    limit: budget?.epsilon ?? null,
    before: shownUp(epsilonBefore, shownDigits),
    after: shownUp(epsilonAfter, shownDigits),
    remainingBefore: remaining(epsilonBefore),
    remainingAfter: remaining(epsilonAfter),
    fits: budget === null || fresh.rho === 0 || epsilonAfter <= budget.epsilon,
    unprovedBefore: before.unbounded,
    unprovedHere: own.unbounded + fresh.unbounded,
    charged: known.length > 0,
  };
}

import type { StudyBudgetView } from "@consilium/core/hospital/studyViews";
import type { Plan } from "@consilium/core/study/plan";
import {
  countedFor,
  factorOf,
  nothing,
  plus,
  plusSpent,
  type Spent,
  type Totals,
  timesSpent,
} from "@consilium/gate/account";
import { type Charging, plannedCost } from "../policy/unitCost.js";
import type { Account } from "./accounts.js";
import { epsilonOf, shownDown, shownUp } from "./epsilon.js";
import { minusSpent } from "./spending.js";
import { shownDigits } from "./views.js";

/**
 * What a study does to its population's budget: before it, and after all its stages. The rule is the ledger's own (what
 * is spent and reserved, and the study's stages that are neither yet, against the limit); every ε is rounded against us.
 */
export function studyBudget(
  totals: Totals,
  asked: {
    readonly study: string;
    readonly plan: Plan;
    readonly account: Account;
    /** Of the whole policy. */
    readonly accounts: readonly Account[];
    readonly charging: Charging;
  },
): StudyBudgetView {
  const { study, plan, account, accounts, charging } = asked;
  const { name, budget, tables, delta, unit } = account;
  const known = totals.stagesOf(study).filter((stage) => stage.population === name);
  const own = known.reduce<Spent>(
    (sum, stage) => plusSpent(sum, timesSpent(plus(nothing, stage.rho), factorOf(account, stage.unit))),
    nothing,
  );
  const charged = new Set(known.map(({ stage }) => stage));
  const open = { ...plan, stages: plan.stages.filter(({ id }) => !charged.has(id)) };
  const fresh = plannedCost(open, charging);
  const { committed, reserved } = countedFor(account, accounts, totals);
  const now = plusSpent(committed, reserved);
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
    unit,
    factor: charging.factor,
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

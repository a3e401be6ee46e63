import type { BudgetState } from "@consilium/core/hospital/studyFacts";
import type { PopulationBudget } from "../policy/policy.js";
import type { Account } from "./accounts.js";
import { shownDown, shownUp } from "./epsilon.js";
import { populationView, type ReadLedger } from "./views.js";

/** What explains a study to the person who approves it. */
export function budgetState(
  { totals }: Pick<ReadLedger, "totals">,
  { name }: Pick<PopulationBudget, "name">,
  accounts: readonly Account[],
): BudgetState | null {
  const account = accounts.find((one) => one.name === name);
  if (account === undefined) return null;
  const view = populationView(totals, account, accounts);
  return {
    unit: view.unit,
    spentEpsilon: shownUp(view.spent + view.reserved, 3),
    remainingEpsilon: view.remaining === null ? null : shownDown(view.remaining, 3),
    unproved: view.unbounded,
    notes: view.notes,
  };
}

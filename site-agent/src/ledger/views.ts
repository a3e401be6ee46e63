import type { PopulationView } from "@consilium/core/hospital/ledgerViews";
import { type Booked, countedFor, plusSpent, type Totals } from "@consilium/gate/account";
import type { Policy } from "../policy/policy.js";
import type { KnownTables } from "../tables/knownTables.js";
import { type Account, accountsOf, bookedElsewhere, goneAccount, notesFor } from "./accounts.js";
import type { SignedEntry } from "./entry.js";
import { epsilonOf, shownDown, shownUp } from "./epsilon.js";
import type { LedgerHead } from "./head.js";

/** What there is to show: a `Ledger`, or entries that were read from a store at rest. */
export interface ReadLedger {
  entries(): readonly SignedEntry[];
  readonly totals: Totals;
  /** The head that this copy is behind; null when it is not. */
  readonly behind: LedgerHead | null;
  /** What it has lost; null where that is not known. */
  readonly lost: readonly Booked[] | null;
}

/** What each population has spent, and has left. */
export function populationViews(
  { totals }: Pick<ReadLedger, "totals">,
  policy: Policy,
  tables: KnownTables,
): PopulationView[] {
  const accounts = accountsOf(policy, tables);
  return [
    ...accounts.map((account) => populationView(totals, account, accounts)),
    // Spent by a population that the policy no longer names, on records that no population has now: the spending stays.
    ...bookedElsewhere(accounts, totals).map((name) => {
      const gone = goneAccount(totals, name);
      return populationView(totals, gone, [gone]);
    }),
  ];
}

/** Digits after the point in the views: what falls away falls away against us. */
export const shownDigits = 9;

/** What one of `accounts` has spent, and has left. */
export function populationView(
  totals: Totals,
  account: Account,
  accounts: readonly Account[],
): PopulationView {
  const { name, tables, delta, unit, budget } = account;
  const { committed, reserved } = countedFor(account, accounts, totals);
  const spent = epsilonOf(committed, delta);
  const all = epsilonOf(plusSpent(committed, reserved), delta);
  return {
    name,
    tables,
    delta,
    unit,
    limit: budget?.epsilon ?? null,
    spent: shownUp(spent, shownDigits),
    reserved: shownUp(all - spent, shownDigits),
    remaining: budget === null ? null : Math.max(0, shownDown(budget.epsilon - all, shownDigits)),
    unbounded: committed.unbounded,
    notes: notesFor(account, accounts, totals),
  };
}

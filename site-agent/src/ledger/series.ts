import type { LedgerSeriesView } from "@consilium/core/hospital/ledgerViews";
import { countedFor, plusSpent, type Totals } from "@consilium/gate/account";
import type { Policy } from "../policy/policy.js";
import type { KnownTables } from "../tables/knownTables.js";
import { type Account, accountsOf, bookedElsewhere, goneAccount } from "./accounts.js";
import { archivedOf, startingTotals } from "./archived.js";
import type { SignedEntry } from "./entry.js";
import { epsilonOf, shownUp } from "./epsilon.js";
import { shownDigits } from "./views.js";

/** Points of one population's curve at most: a screen has no more columns. */
const pointsMost = 500;

/**
 * What each population had spent after each entry that touched it: ε at the δ that its budget has now, rounded up. ε
 * does not add, so every point is computed from the ρ of all entries before it. Where there are more entries than a
 * screen has columns, some between are left out; never the first and the last.
 */
export function ledgerSeries(
  entries: readonly SignedEntry[],
  policy: Policy,
  tables: KnownTables,
): LedgerSeriesView[] {
  const present = accountsOf(policy, tables);
  const all = totalsOf(entries);
  const gone = bookedElsewhere(present, all).map((name) => goneAccount(all, name));
  return [
    ...present.map((account) => seriesOf(entries, account, present)),
    ...gone.map((account) => seriesOf(entries, account, [account])),
  ];
}

function seriesOf(
  entries: readonly SignedEntry[],
  account: Account,
  accounts: readonly Account[],
): LedgerSeriesView {
  const { name, delta, unit, budget } = account;
  const points = changesOf(entries, account, accounts);
  return {
    population: name,
    delta,
    unit,
    limit: budget?.epsilon ?? null,
    points: thinned(points).map(({ at, sequence, committed, reserved }) => ({
      at: new Date(at).toISOString(),
      entry: sequence,
      spent: shownUp(epsilonOf(committed, delta), shownDigits),
      held: shownUp(epsilonOf(plusSpent(committed, reserved), delta), shownDigits),
      unproved: committed.unbounded,
    })),
  };
}

/** What counts for a population after each entry that changed it, or that was booked under its name. */
function changesOf(entries: readonly SignedEntry[], account: Account, accounts: readonly Account[]) {
  const archived = archivedOf(entries);
  const totals = startingTotals(archived);
  let before = countedFor(account, accounts, totals);
  const { committed: earlier } = before;
  // What was archived is one point: where the curve begins.
  const start =
    archived === null || (earlier.rho === 0 && earlier.unbounded === 0)
      ? []
      : [{ at: archived.through.at, sequence: archived.through.sequence, ...before }];
  const changes = entries.flatMap(({ entry }) => {
    totals.add(entry);
    if (entry.kind === "open" || entry.kind === "ceiling") return [];
    if (entry.kind === "approved" || entry.kind === "refused" || entry.kind === "signed") return [];
    const { committed, reserved } = countedFor(account, accounts, totals);
    const isSame =
      committed.rho === before.committed.rho &&
      committed.unbounded === before.committed.unbounded &&
      reserved.rho === before.reserved.rho;
    before = { committed, reserved };
    const isOwn = entry.kind !== "reconcile" && entry.population === account.name;
    const { at, sequence } = entry;
    return isSame && !isOwn ? [] : [{ at, sequence, committed, reserved }];
  });
  return [...start, ...changes];
}

function totalsOf(entries: readonly SignedEntry[]): Totals {
  const totals = startingTotals(archivedOf(entries));
  for (const { entry } of entries) totals.add(entry);
  return totals;
}

function thinned<T>(points: readonly T[]): T[] {
  if (points.length <= pointsMost) return [...points];
  const step = (points.length - 1) / (pointsMost - 1);
  return Array.from({ length: pointsMost }, (_, k) => points[Math.round(k * step)]!);
}

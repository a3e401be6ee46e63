import type {
  BehindView,
  EntryView,
  EpsilonCost,
  LedgerView,
  PopulationView,
} from "@consilium/core/hospital/ledgerViews";
import type { BudgetState } from "@consilium/core/hospital/studyFacts";
import {
  type Booked,
  countedFor,
  lostOf,
  nothing,
  plus,
  plusSpent,
  type Spent,
  type Totals,
  type Unit,
} from "@consilium/gate/account";
import type { KnownTables } from "../data/tableSources.js";
import { type Policy, type PopulationBudget, populations } from "../policy/policy.js";
import { type Account, accountsOf, bookedElsewhere, goneAccount, notesFor, shownDelta } from "./accounts.js";
import { type LedgerEntry, ownerOf, type SignedEntry } from "./entry.js";
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

export function ledgerView(ledger: ReadLedger, policy: Policy, tables: KnownTables): LedgerView {
  const entries = ledger.entries();
  const { entry, hash } = entries.at(-1)!;
  const costOf = costs(policy);
  return {
    ...ownerOf(entries),
    head: { sequence: entry.sequence, hash },
    behind: behindView(ledger, costOf),
    populations: populationViews(ledger, policy, tables),
    entries: entries.map((signed) => entryView(signed, costOf)),
  };
}

function behindView(ledger: ReadLedger, costOf: CostOf): BehindView | null {
  const { behind } = ledger;
  if (behind === null) return null;
  const known = ledger.lost;
  const lost = (known ?? [])
    .filter(({ rho, unbounded }) => rho > 0 || unbounded > 0)
    .map(({ population, unit, rho, unbounded }) => ({
      population,
      unbounded,
      ...costOf(population, { unit, rho, claimed: null }),
    }));
  return { sequence: behind.sequence, isKnown: known !== null, lost };
}

/** Digits after the point in the views: what falls away falls away against us. */
export const shownDigits = 9;

function populationView(totals: Totals, account: Account, accounts: readonly Account[]): PopulationView {
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

interface Charged {
  readonly unit?: Unit | undefined;
  /** Null where nothing is proved. */
  readonly rho: number | null;
  readonly claimed: { readonly epsilon: number } | null;
}

type CostOf = (population: string, charged: Charged) => EpsilonCost;

/** What charges come to at the δ of their population; equal ones are computed once, for a study's attempts repeat. */
export function costs(policy: Policy): CostOf {
  const deltas = new Map(populations(policy).map(({ name, delta }) => [name, delta]));
  const known = new Map<string, number>();
  return (population, { rho, claimed, unit = "row" }) => {
    const delta = deltas.get(population) ?? shownDelta;
    const claimedEpsilon = claimed?.epsilon ?? null;
    if (rho === null) return { epsilon: null, delta, unit, claimedEpsilon };
    const key = `${rho} ${delta}`;
    const epsilon = known.get(key) ?? shownUp(epsilonOf({ rho, unbounded: 0 }, delta), shownDigits);
    known.set(key, epsilon);
    return { epsilon, delta, unit, claimedEpsilon };
  };
}

function entryView({ entry, hash }: SignedEntry, costOf: CostOf): EntryView {
  const base = {
    sequence: entry.sequence,
    at: new Date(entry.at).toISOString(),
    kind: entry.kind,
    populations: [],
    study: null,
    stages: [],
    cost: null,
    hash,
  };
  switch (entry.kind) {
    case "open":
      return base;
    case "reserve": {
      const { study, population } = entry;
      const stages = entry.stages.map((stage) => `${stage.stage} ${stage.attempt}`);
      return { ...base, populations: [population], study, stages, cost: reservedCost(entry, costOf) };
    }
    case "commit": {
      const { study, population, stage, attempt } = entry;
      const cost = costOf(population, entry);
      return { ...base, populations: [population], study, stages: [`${stage} ${attempt}`], cost };
    }
    case "release":
      return { ...base, populations: [entry.population], study: entry.study };
    case "reconcile": {
      const lost = lostOf(entry);
      const names = [...new Set(lost.map(({ population }) => population))];
      // Several populations are different people, and several units different measures: their costs have no sum.
      const [only, ...others] = lost;
      const cost = only === undefined || others.length > 0 ? null : lostCost(only, costOf);
      return { ...base, populations: names, cost };
    }
  }
}

/** Stages of one reservation together; without a bound as soon as one has none. */
function reservedCost(entry: Extract<LedgerEntry, { kind: "reserve" }>, costOf: CostOf): EpsilonCost {
  const { population, unit, stages } = entry;
  const proved = stages.filter(({ rho }) => rho !== null);
  const unproved = stages.find(({ rho }) => rho === null);
  if (unproved !== undefined) return costOf(population, { ...unproved, unit });
  const { rho } = proved.reduce<Spent>((sum, stage) => plus(sum, stage.rho), nothing);
  return costOf(population, { rho, unit, claimed: null });
}

function lostCost({ population, unit, rho, unbounded }: Booked, costOf: CostOf): EpsilonCost {
  return costOf(population, { rho: unbounded > 0 ? null : rho, unit, claimed: null });
}

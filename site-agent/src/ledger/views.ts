import type {
  BehindView,
  EntryView,
  EpsilonCost,
  LedgerView,
  PopulationView,
} from "@consilium/core/hospital/ledgerViews";
import type { BudgetState } from "../policy/explain.js";
import { type Policy, type PopulationBudget, populations } from "../policy/policy.js";
import type { LedgerEntry, SignedEntry, Spent } from "./entry.js";
import type { LedgerHead } from "./head.js";
import { lostSpending } from "./history.js";
import { epsilonOf, nothing, plus, plusSpent, shownDown, shownUp, type Totals } from "./totals.js";

/** What there is to show: a `Ledger`, or entries that were read from a store at rest. */
export interface ReadLedger {
  entries(): readonly SignedEntry[];
  readonly totals: Totals;
  /** The head that this copy is behind; null when it is not. */
  readonly behind: LedgerHead | null;
}

/** What each population has spent, and has left. */
export function populationViews(ledger: Pick<ReadLedger, "totals">, policy: Policy): PopulationView[] {
  const known = populations(policy);
  const gone = ledger.totals.populations().filter((name) => !known.some((one) => one.name === name));
  return [
    ...known.map((one) => populationView(ledger, one, one.tables)),
    // Spent by a population that the policy no longer names: the spending stays.
    ...gone.map((name) => populationView(ledger, { name, budget: null }, [])),
  ];
}

export function ledgerView(ledger: ReadLedger, policy: Policy): LedgerView {
  const entries = ledger.entries();
  const first = entries[0]!.entry;
  const { entry, hash } = entries.at(-1)!;
  const { federation, site } = first.kind === "open" ? first : { federation: "", site: "" };
  const costOf = costs(policy);
  return {
    federation,
    site,
    head: { sequence: entry.sequence, hash },
    behind: behindView(ledger, costOf),
    populations: populationViews(ledger, policy),
    entries: entries.map((signed) => entryView(signed, costOf)),
  };
}

function behindView(ledger: ReadLedger, costOf: CostOf): BehindView | null {
  const { behind } = ledger;
  if (behind === null) return null;
  const lost = Object.entries(lostSpending(ledger.entries(), behind))
    .filter(([, { rho, unbounded }]) => rho > 0 || unbounded > 0)
    .map(([population, { rho, unbounded }]) => ({
      population,
      unbounded,
      ...costOf(population, { rho, claimed: null }),
    }));
  return { sequence: behind.sequence, lost };
}

/** The δ at which ε is shown where the hospital has named none. */
export const shownDelta = 1e-6;
/** Digits after the point in the views: what falls away falls away against us. */
export const shownDigits = 9;

function populationView(
  ledger: Pick<ReadLedger, "totals">,
  { name, budget }: PopulationBudget,
  tables: readonly string[],
): PopulationView {
  const committed = ledger.totals.committed(name);
  const reserved = ledger.totals.reserved(name);
  const delta = budget?.delta ?? shownDelta;
  const spent = epsilonOf(committed, delta);
  const all = epsilonOf(plusSpent(committed, reserved), delta);
  return {
    name,
    tables,
    delta,
    limit: budget?.epsilon ?? null,
    spent: shownUp(spent, shownDigits),
    reserved: shownUp(all - spent, shownDigits),
    remaining: budget === null ? null : Math.max(0, shownDown(budget.epsilon - all, shownDigits)),
    unbounded: committed.unbounded,
  };
}

/** What explains a study to the person who approves it. */
export function budgetState(ledger: Pick<ReadLedger, "totals">, population: PopulationBudget): BudgetState {
  const view = populationView(ledger, population, []);
  return {
    spentEpsilon: shownUp(view.spent + view.reserved, 3),
    remainingEpsilon: view.remaining === null ? null : shownDown(view.remaining, 3),
    unproved: view.unbounded,
  };
}

interface Charged {
  /** Null where nothing is proved. */
  readonly rho: number | null;
  readonly claimed: { readonly epsilon: number } | null;
}

type CostOf = (population: string, charged: Charged) => EpsilonCost;

/** What charges come to at the δ of their population; equal ones are computed once, for a study's attempts repeat. */
export function costs(policy: Policy): CostOf {
  const deltas = new Map(populations(policy).map(({ name, budget }) => [name, budget?.delta ?? shownDelta]));
  const known = new Map<string, number>();
  return (population, { rho, claimed }) => {
    const delta = deltas.get(population) ?? shownDelta;
    const claimedEpsilon = claimed?.epsilon ?? null;
    if (rho === null) return { epsilon: null, delta, claimedEpsilon };
    const key = `${rho} ${delta}`;
    const epsilon = known.get(key) ?? shownUp(epsilonOf({ rho, unbounded: 0 }, delta), shownDigits);
    known.set(key, epsilon);
    return { epsilon, delta, claimedEpsilon };
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
      const names = Object.keys(entry.lost);
      const lost = Object.values(entry.lost).reduce<Spent>(plusSpent, nothing);
      // Several populations are different people: their costs have no sum.
      return {
        ...base,
        populations: names,
        cost: names.length === 1 ? lostCost(names[0]!, lost, costOf) : null,
      };
    }
  }
}

/** Stages of one reservation together; without a bound as soon as one has none. */
function reservedCost(entry: Extract<LedgerEntry, { kind: "reserve" }>, costOf: CostOf): EpsilonCost {
  const proved = entry.stages.filter(({ rho }) => rho !== null);
  const unproved = entry.stages.find(({ rho }) => rho === null);
  if (unproved !== undefined) return costOf(entry.population, unproved);
  const { rho } = proved.reduce<Spent>((sum, stage) => plus(sum, stage.rho), nothing);
  return costOf(entry.population, { rho, claimed: null });
}

function lostCost(population: string, { rho, unbounded }: Spent, costOf: CostOf): EpsilonCost {
  return costOf(population, { rho: unbounded > 0 ? null : rho, claimed: null });
}

import type { BehindView, EntryView, EpsilonCost, LedgerView } from "@consilium/core/hospital/ledgerViews";
import { type Booked, lostOf, nothing, plus, type Spent, type Unit } from "@consilium/gate/account";
import { type Policy, populations } from "../policy/policy.js";
import type { KnownTables } from "../tables/knownTables.js";
import { shownDelta } from "./accounts.js";
import { type LedgerEntry, ownerOf, type SignedEntry } from "./entry.js";
import { epsilonOf, shownUp } from "./epsilon.js";
import { populationViews, type ReadLedger, shownDigits } from "./views.js";

/** The whole ledger, entry by entry, as the hospital's own tools show it. */
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

interface Charged {
  readonly unit?: Unit | undefined;
  /** Null where nothing is proven. */
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
      return entry.archived === undefined ? base : { ...base, kind: "checkpoint" };
    case "reserve": {
      const { study, population } = entry;
      const stages = entry.stages.map((stage) => `${stage.stage} ${stage.attempt}`);
      return { ...base, populations: [population], study, stages, cost: reservedCost(entry, costOf) };
    }
    case "ceiling": {
      const { study, population, rho, unbounded } = entry;
      const cost = costOf(population, { ...entry, rho: unbounded > 0 ? null : rho, claimed: null });
      return { ...base, populations: [population], study, cost };
    }
    case "commit": {
      const { study, population, stage, attempt } = entry;
      const cost = costOf(population, entry);
      return { ...base, populations: [population], study, stages: [`${stage} ${attempt}`], cost };
    }
    case "approved":
    case "refused":
    case "signed":
      return { ...base, study: entry.study };
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

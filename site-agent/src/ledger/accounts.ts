import type { KnownTables } from "../data/tableSources.js";
import type { Unit } from "../data/tableUnit.js";
import { type Policy, type PopulationBudget, populationOf, populations } from "../policy/policy.js";
import { tablesOf } from "../policy/populations.js";
import type { Booked, Spent } from "./entry.js";
import { epsilonOf, nothing, plusSpent, shownUp, type Totals, timesSpent } from "./totals.js";

/**
 * What the ledger's entries come to for a population as policy and configuration have it now. An entry counts for the
 * population that it was booked to by name, and for the one that its source of records belongs to now: neither a renamed
 * population, nor a renamed table, nor one that moves begins anew. Where the unit of privacy has changed since, entries
 * count by group privacy in the present one.
 */
export interface Account extends PopulationBudget {
  /** That the policy names. */
  readonly tables: readonly string[];
  readonly unit: Unit;
  /** How many times spending of another unit counts: ρ grows with the square of the steps [BS16, Proposition 27]. */
  readonly factors: Readonly<Record<Unit, number>>;
  /** At most so many rows of a patient, by its tables; 1 where rows are counted. */
  readonly maxRows: number;
  /** Keyed hashes that stand for one of its tables' records. */
  readonly matches: ReadonlySet<string>;
}

/** A row that changes is a patient taken away and put back otherwise: two steps of a patient. */
const stepsOfRow = 2;

/** Of every population that the policy knows. */
export function accountsOf(policy: Policy, tables: KnownTables): Account[] {
  return populations(policy).map((population) => {
    const known = tablesOf(policy, population.name, tables).filter((table) => tables.names.includes(table));
    const units = known.map((table) => tables.unit(table));
    const rows = units.map((unit) => (unit.kind === "patient" ? unit.maxRows : 1));
    const unit = units[0]?.kind ?? "row";
    const maxRows = Math.max(1, ...rows);
    const matches = known.flatMap((table) => [...(tables.source(table)?.matches ?? [])]);
    return {
      ...population,
      unit,
      maxRows,
      factors: factorsOf(unit, maxRows),
      matches: new Set(matches),
    };
  });
}

/** Of a table's population; null where no population has the table. */
export function accountOf(policy: Policy, tables: KnownTables, table: string): Account | null {
  const name = populationOf(policy, table)?.name;
  return accountsOf(policy, tables).find((one) => one.name === name) ?? null;
}

interface Counted {
  readonly committed: Spent;
  readonly reserved: Spent;
}

/** @param accounts - of the whole policy, this one's among them */
export function countedFor(account: Account, accounts: readonly Account[], totals: Totals): Counted {
  const counts = (booked: Booked) => isCounted(booked, account, accounts);
  const inUnit = (booked: Booked) => timesSpent(booked, account.factors[booked.unit]);
  const sum = (all: readonly Booked[]) => all.filter(counts).map(inUnit).reduce(plusSpent, nothing);
  return {
    committed: sum(totals.bookings()),
    reserved: sum(totals.reservations()),
  };
}

/** Whole sentences on what counts otherwise than it was booked. */
export function notesFor(account: Account, accounts: readonly Account[], totals: Totals): string[] {
  return notesOn(
    totals.bookings().filter((booked) => isCounted(booked, account, accounts)),
    account,
  );
}

/** Everything that a further charge is added to. */
export function heldBy(account: Account, accounts: readonly Account[], totals: Totals): Spent {
  const { committed, reserved } = countedFor(account, accounts, totals);
  return plusSpent(committed, reserved);
}

/** What no population of the policy has to answer for any more, by the name that it was booked to. */
export function bookedElsewhere(accounts: readonly Account[], totals: Totals): string[] {
  const orphans = [...totals.bookings(), ...totals.reservations()].filter(
    (booked) =>
      !accounts.some((account) => account.name === booked.population || sharesSource(booked, account)),
  );
  return [...new Set(orphans.map(({ population }) => population))].sort();
}

/** The δ at which ε is shown where the hospital has named none. */
export const shownDelta = 1e-6;

/** A population that the policy no longer names, in the unit that all its entries have, or by rows. */
export function goneAccount(totals: Totals, name: string): Account {
  const own = totals.bookings().filter(({ population }) => population === name);
  const unit = own.length > 0 && own.every((one) => one.unit === "patient") ? "patient" : "row";
  const budget = { name, tables: [], delta: shownDelta, budget: null };
  return { ...budget, unit, maxRows: 1, factors: factorsOf(unit, 1), matches: new Set() };
}

function factorsOf(unit: Unit, maxRows: number): Account["factors"] {
  return unit === "row" ? { row: 1, patient: stepsOfRow ** 2 } : { row: maxRows ** 2, patient: 1 };
}

/**
 * Entries of earlier versions do not say where their records come from. Once the policy no longer names their population,
 * they may be anybody's, and count for everybody.
 */
function isCounted(booked: Booked, account: Account, accounts: readonly Account[]): boolean {
  if (booked.population === account.name || sharesSource(booked, account)) return true;
  return booked.sources.length === 0 && accounts.every(({ name }) => name !== booked.population);
}

function sharesSource({ sources }: Booked, { matches }: Account): boolean {
  return sources.some((source) => matches.has(source));
}

function notesOn(booked: readonly Booked[], account: Account): string[] {
  const { unit, maxRows, factors } = account;
  const otherUnit = booked.filter((one) => one.unit !== unit && one.rho > 0);
  const elsewhere = booked.filter((one) => one.population !== account.name);
  const unknown = elsewhere.filter(({ sources }) => sources.length === 0);
  const moved = elsewhere.filter(({ sources }) => sources.length > 0);
  return [
    ...(otherUnit.length === 0
      ? []
      : [unitNote(otherUnit, { unit, maxRows, factor: factors[otherUnit[0]!.unit] }, account)]),
    ...(moved.length === 0
      ? []
      : [
          `Spending booked to ${namesOf(moved)} counts here too: it was spent on records that belong to this population now.`,
        ]),
    ...(unknown.length === 0
      ? []
      : [
          `Spending booked to ${namesOf(unknown)} counts for every population: the policy no longer names ${unknown.length === 1 ? "that population" : "those populations"}, and the entries do not say which tables they are for. Name the population in policy.yaml again to keep its spending apart.`,
        ]),
  ];
}

function unitNote(
  booked: readonly Booked[],
  { unit, maxRows, factor }: { readonly unit: Unit; readonly maxRows: number; readonly factor: number },
  { delta }: Account,
): string {
  const spent = booked.reduce<Spent>(plusSpent, nothing);
  const was = shownUp(epsilonOf(spent, delta), 6);
  const now = shownUp(epsilonOf(timesSpent(spent, factor), delta), 6);
  return unit === "patient"
    ? `Earlier studies spent epsilon ${was} counted per row. Per patient of at most ${maxRows} rows their rho counts ${factor} times: epsilon ${now}. A patient with more rows in them is protected less.`
    : `Earlier studies spent epsilon ${was} counted per patient. Per row their rho counts ${factor} times: epsilon ${now}.`;
}

function namesOf(booked: readonly Booked[]): string {
  return [...new Set(booked.map(({ population }) => population))].sort().join(", ");
}

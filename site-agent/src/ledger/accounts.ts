import {
  type Booked,
  factorOf,
  isCounted,
  nothing,
  type Account as PopulationAccount,
  plusSpent,
  type Spent,
  type Totals,
  timesSpent,
  type Unit,
} from "@consilium/gate/account";
import { type Policy, type PopulationBudget, populationOf, populations } from "../policy/policy.js";
import { tablesOf } from "../policy/populations.js";
import type { KnownTables } from "../tables/knownTables.js";
import { epsilonOf, shownUp } from "./epsilon.js";

/** A population as policy and configuration have it now, for the gate's account and for what is shown of it. */
export interface Account extends PopulationBudget, PopulationAccount {
  /** That the policy names. */
  readonly tables: readonly string[];
}

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
      matches: new Set(matches),
    };
  });
}

/** Of a table's population; null where no population has the table. */
export function accountOf(policy: Policy, tables: KnownTables, table: string): Account | null {
  const name = populationOf(policy, table)?.name;
  return accountsOf(policy, tables).find((one) => one.name === name) ?? null;
}

/** Whole sentences on what counts otherwise than it was booked. */
export function notesFor(account: Account, accounts: readonly Account[], totals: Totals): string[] {
  return notesOn(
    totals.bookings().filter((booked) => isCounted(booked, account, accounts)),
    account,
  );
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
  return { ...budget, unit, maxRows: 1, matches: new Set() };
}

function sharesSource({ sources }: Booked, { matches }: Account): boolean {
  return sources.some((source) => matches.has(source));
}

function notesOn(booked: readonly Booked[], account: Account): string[] {
  const { unit, maxRows } = account;
  const otherUnit = booked.filter((one) => one.unit !== unit && one.rho > 0);
  const elsewhere = booked.filter((one) => one.population !== account.name);
  const unknown = elsewhere.filter(({ sources }) => sources.length === 0);
  const moved = elsewhere.filter(({ sources }) => sources.length > 0);
  return [
    ...(otherUnit.length === 0
      ? []
      : [unitNote(otherUnit, { unit, maxRows, factor: factorOf(account, otherUnit[0]!.unit) }, account)]),
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

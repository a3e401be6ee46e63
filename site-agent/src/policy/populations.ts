import type { PolicyFaultView } from "@consilium/core/hospital/policyViews";
import type { SiteRecords } from "../studies/records.js";
import type { KnownTables } from "../tables/knownTables.js";
import { type Policy, populationOf, populations } from "./policy.js";

/** What a policy's populations and the hospital's tables say together: no rule of the file alone shows it. */

/** The tables that a population has: those that it names, and for `default` all that no other one names. */
export function tablesOf(
  policy: Policy,
  population: string,
  { names }: Pick<KnownTables, "names">,
): string[] {
  const named = populations(policy).find(({ name }) => name === population)?.tables ?? [];
  const fallen = names.filter((table) => populationOf(policy, table)?.name === population);
  return [...new Set([...named, ...fallen])];
}

/** The number of studies of a population that count against `maxUnanswered`, by its name. */
export function unansweredIn(
  records: Pick<SiteRecords, "unanswered">,
  policy: Policy,
  tables: Pick<KnownTables, "names">,
): (population: string) => number {
  return (population) => records.unanswered(tablesOf(policy, population, tables)).length;
}

/**
 * Faults that leave no population's spending with a meaning: one source of records in two populations has two budgets, and
 * the ε of a row and the ε of a patient have no sum.
 */
export function populationFaults(policy: Policy, tables: KnownTables): PolicyFaultView[] {
  return [...sourceFaults(policy, tables), ...unitFaults(policy, tables)];
}

function sourceFaults(policy: Policy, tables: KnownTables): PolicyFaultView[] {
  return tables.overlaps.flatMap(([a, b]) => {
    const [first, second] = [populationOf(policy, a), populationOf(policy, b)];
    if (first === null || second === null || first.name === second.name) return [];
    const message =
      `populations: tables ${a} (population ${first.name}) and ${b} (population ${second.name}) have the same source: ` +
      "its records have one budget; put both tables into one population";
    return [{ line: null, message }];
  });
}

function unitFaults(policy: Policy, tables: KnownTables): PolicyFaultView[] {
  return populations(policy).flatMap(({ name }) => {
    const own = tablesOf(policy, name, tables).filter((table) => tables.names.includes(table));
    const [first] = own;
    const other = own.find((table) => tables.unit(table).kind !== tables.unit(first!).kind);
    if (first === undefined || other === undefined) return [];
    const counted = (table: string) => `${table} by ${tables.unit(table).kind}`;
    const message =
      `populations.${name}: config.yaml counts table ${counted(first)} and table ${counted(other)}: their costs have no sum; ` +
      "declare the same kind of unit for both, or put them into two populations";
    return [{ line: null, message }];
  });
}

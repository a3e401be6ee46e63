import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { OmopColumn, OmopDomain, OmopPlan } from "@consilium/core/omop/plan";

/** What a feature plan means, computed row by row over the CDM's CSV files without any SQL. */

type Row = Readonly<Record<string, string>>;
export type Cdm = Readonly<Record<string, readonly Row[]>>;

const tableOf: Record<OmopDomain, readonly [table: string, concept: string, date: string]> = {
  condition: ["condition_occurrence", "condition_concept_id", "condition_start_date"],
  drug: ["drug_exposure", "drug_concept_id", "drug_exposure_start_date"],
  measurement: ["measurement", "measurement_concept_id", "measurement_date"],
  procedure: ["procedure_occurrence", "procedure_concept_id", "procedure_date"],
  observation: ["observation", "observation_concept_id", "observation_date"],
  visit: ["visit_occurrence", "visit_concept_id", "visit_start_date"],
};

/** @param spell - how the folder spells a table's file: `person` or `PERSON` */
export function readCdm(folder: string, spell: (table: string) => string = (table) => table): Cdm {
  const tables = [
    "person",
    "observation_period",
    "concept_ancestor",
    ...Object.values(tableOf).map(([table]) => table),
  ];
  return Object.fromEntries(
    tables.map((table) => {
      const [header, ...lines] = readFileSync(join(folder, `${spell(table)}.csv`), "utf8").split(/\r?\n/);
      const names = header!.split(",");
      const rows = lines
        .filter((line) => line !== "")
        .map((line) => {
          const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
            ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!.trim(),
          );
          return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""]));
        });
      return [table, rows];
    }),
  );
}

export type HandRow = Readonly<Record<string, string | number | null>>;

/** One row for each person of the plan, by the person's number. */
export function rowsByHand(plan: OmopPlan, cdm: Cdm): Map<string, HandRow> {
  const concepts = (name: string) => {
    const below = (excluded: boolean) =>
      plan.conceptSets[name]!.filter((item) => item.excluded === excluded).flatMap(
        ({ concept, descendants }) => [
          String(concept),
          ...(descendants ? cdm.concept_ancestor! : [])
            .filter((pair) => pair.ancestor_concept_id === String(concept))
            .map((pair) => pair.descendant_concept_id!),
        ],
      );
    const without = new Set(below(true));
    return new Set(below(false).filter((concept) => !without.has(concept)));
  };
  const eventsOf = (domain: OmopDomain, set: string) => {
    const [table, concept, date] = tableOf[domain];
    const wanted = concepts(set);
    const byPerson = new Map<string, { day: number; row: Row }[]>();
    for (const row of cdm[table]!) {
      if (!wanted.has(row[concept]!) || row[date] === "") continue;
      const list = byPerson.get(row.person_id!) ?? [];
      list.push({ day: dayOf(row[date]!), row });
      byPerson.set(row.person_id!, list);
    }
    return byPerson;
  };
  const { domain, concepts: set, occurrence, from, to, observed } = plan.index;
  const indexDays = new Map<string, number>();
  for (const [person, events] of eventsOf(domain, set)) {
    const days = events
      .map(({ day }) => day)
      .filter((day) => (from === undefined || day >= dayOf(from)) && (to === undefined || day <= dayOf(to)));
    if (days.length === 0) continue;
    const day = occurrence === "first" ? Math.min(...days) : Math.max(...days);
    const covered = cdm.observation_period!.some(
      (period) =>
        observed !== undefined &&
        period.person_id === person &&
        dayOf(period.observation_period_start_date!) <= day - observed.daysBefore &&
        dayOf(period.observation_period_end_date!) >= day + observed.daysAfter,
    );
    if (observed === undefined || covered) indexDays.set(person, day);
  }
  const persons = new Map(cdm.person!.map((row) => [row.person_id!, row]));
  const columns = plan.columns.map(
    (column) => [column, "concepts" in column ? eventsOf(column.domain, column.concepts) : null] as const,
  );
  return new Map(
    [...indexDays]
      .filter(([person]) => persons.has(person))
      .map(([person, day]) => [
        person,
        Object.fromEntries(
          columns.map(([column, events]) => [
            column.name,
            cellOf(column, persons.get(person)!, day, events?.get(person) ?? []),
          ]),
        ),
      ]),
  );
}

function cellOf(
  column: OmopColumn,
  person: Row,
  index: number,
  all: readonly { readonly day: number; readonly row: Row }[],
): string | number | null {
  if (column.value === "sex")
    return person.gender_concept_id === "8532"
      ? "female"
      : person.gender_concept_id === "8507"
        ? "male"
        : null;
  if (column.value === "age") {
    const at = new Date(index * 86_400_000);
    const month = Number(person.month_of_birth || 1);
    const day = Number(person.day_of_birth || 1);
    const isBefore =
      at.getUTCMonth() + 1 < month || (at.getUTCMonth() + 1 === month && at.getUTCDate() < day);
    return at.getUTCFullYear() - Number(person.year_of_birth) - (isBefore ? 1 : 0);
  }
  const [from, to] = column.days;
  const events = all.filter(({ day }) => day - index >= from && day - index <= to);
  switch (column.value) {
    case "any":
      return events.length > 0 ? 1 : 0;
    case "count":
      return events.length;
    case "days-to":
      return events.length === 0 ? null : Math.min(...events.map(({ day }) => day - index));
    case "last": {
      const [id, time] =
        column.domain === "measurement"
          ? ["measurement_id", "measurement_datetime"]
          : ["observation_id", "observation_datetime"];
      const usable = events.filter(
        ({ row }) =>
          row.value_as_number !== "" &&
          (column.unit === "any" || row.unit_concept_id === String(column.unit)),
      );
      usable.sort(
        (a, b) =>
          b.day - a.day ||
          (b.row[time!]! > a.row[time!]! ? 1 : b.row[time!]! < a.row[time!]! ? -1 : 0) ||
          Number(b.row[id!]) - Number(a.row[id!]),
      );
      return usable[0] === undefined ? null : Number(usable[0].row.value_as_number);
    }
  }
}

function dayOf(iso: string): number {
  return Date.parse(`${iso.slice(0, 10)}T00:00:00Z`) / 86_400_000;
}

import { parseIsoDay } from "@consilium/core/omop/isoDay";
import {
  type ConceptSet,
  type OmopColumn,
  type OmopDomain,
  type OmopPlan,
  personColumn,
} from "@consilium/core/omop/plan";
import { omopSchemaPattern } from "@consilium/core/omop/schemaName";
import type { OmopDialect } from "./dialect.js";

/**
 * A feature plan as one SELECT in a database's own SQL. Pure: the text is made of this file's words, of integers and dates
 * that are checked again here, and of the hospital's own schema names. A study's names are not in it: column i of the plan
 * is called `c<i>`.
 */

export interface OmopPlace {
  readonly dialect: OmopDialect;
  /** Where the CDM's tables are: `cdm`, `hospital.dbo`; left out, the connection's own. */
  readonly schema?: string | undefined;
  /** Where CONCEPT_ANCESTOR is, if elsewhere. */
  readonly vocabularySchema?: string | undefined;
}

/** Apart, because SQL Server has no WITH inside a subquery. */
export interface OmopQuery {
  readonly with: string;
  readonly select: string;
  /** The names of the select's columns in their order, which are `c0`, `c1` and so on; the last is `personColumn`. */
  readonly columns: readonly string[];
}

interface EventTable {
  readonly table: string;
  /** Names of columns: the event's concept, its date and time, its number. */
  readonly concept: string;
  readonly date: string;
  readonly time: string;
  readonly id: string;
}

const events = (table: string, prefix: string, start = prefix): EventTable => ({
  table,
  concept: `${prefix}_concept_id`,
  date: `${start}_date`,
  time: `${start}_datetime`,
  id: `${table}_id`,
});

export const omopEventTables: Readonly<Record<OmopDomain, EventTable>> = {
  condition: events("condition_occurrence", "condition", "condition_start"),
  drug: events("drug_exposure", "drug", "drug_exposure_start"),
  measurement: events("measurement", "measurement"),
  procedure: events("procedure_occurrence", "procedure"),
  observation: events("observation", "observation"),
  visit: events("visit_occurrence", "visit", "visit_start"),
};

/** GENDER concepts of the OMOP vocabulary. */
const maleConcept = 8507;
const femaleConcept = 8532;

/**
 * @param plan - of a valid study
 * @throws RangeError for a number or a name that no validated plan or configuration holds
 */
export function compileOmopPlan(plan: OmopPlan, place: OmopPlace): OmopQuery {
  const sql = new Compiler(plan, place);
  const index = `omop_index AS (\n${sql.index()}\n)`;
  const people = `omop_people AS (\n${sql.people()}\n)`;
  const joined = plan.columns.flatMap((column, at) => {
    const values = sql.values(column);
    return values === null ? [] : [{ at, values }];
  });
  const parts = [index, people, ...joined.map(({ at, values }) => `omop_${at} AS (\n${values}\n)`)];
  const cells = plan.columns.map((column, at) => `${sql.cell(column, `omop_${at}.v`)} AS c${at}`);
  cells.push(`omop_index.person_id AS c${plan.columns.length}`);
  const joins = joined.map(({ at }) => `LEFT JOIN omop_${at} ON omop_${at}.person_id = omop_index.person_id`);
  const select = [
    `SELECT ${cells.join(",\n  ")}`,
    "FROM omop_index",
    "JOIN omop_people ON omop_people.person_id = omop_index.person_id",
    ...joins,
  ];
  return {
    with: `WITH ${parts.join(",\n")}`,
    select: select.join("\n"),
    columns: [...plan.columns.map(({ name }) => name), personColumn],
  };
}

class Compiler {
  readonly #plan: OmopPlan;
  readonly #dialect: OmopDialect;
  readonly #schema: string;
  readonly #vocabulary: string;

  constructor(plan: OmopPlan, { dialect, schema, vocabularySchema }: OmopPlace) {
    this.#plan = plan;
    this.#dialect = dialect;
    this.#schema = prefix(schema);
    this.#vocabulary = prefix(vocabularySchema ?? schema);
  }

  /** One row for each person who has the index event. */
  index(): string {
    const { domain, concepts, occurrence, from, to, observed } = this.#plan.index;
    const { day, daysBetween, dayLiteral, hasDay = (column) => `${column} IS NOT NULL` } = this.#dialect;
    const table = omopEventTables[domain];
    const date = day(`e.${table.date}`);
    const bounds = [
      ...(from === undefined ? [] : [`${date} >= ${dayLiteral(checkedDay(from))}`]),
      ...(to === undefined ? [] : [`${date} <= ${dayLiteral(checkedDay(to))}`]),
    ];
    const events = [
      `SELECT e.person_id, ${occurrence === "first" ? "MIN" : "MAX"}(${date}) AS index_date`,
      `FROM ${this.#schema}${table.table} e`,
      `WHERE ${[this.#inSet(`e.${table.concept}`, concepts), hasDay(`e.${table.date}`), ...bounds].join(" AND ")}`,
      "GROUP BY e.person_id",
    ].join("\n");
    if (observed === undefined) return events;
    const start = day("o.observation_period_start_date");
    const end = day("o.observation_period_end_date");
    return [
      `SELECT i.person_id, i.index_date FROM (\n${events}\n) i`,
      `WHERE EXISTS (SELECT 1 FROM ${this.#schema}observation_period o WHERE o.person_id = i.person_id`,
      `  AND ${daysBetween(start, "i.index_date")} >= ${integer(observed.daysBefore)}`,
      `  AND ${daysBetween("i.index_date", end)} >= ${integer(observed.daysAfter)})`,
    ].join("\n");
  }

  /** Grouped, so that a person has one row even where PERSON lists them twice. Of a birthday only what a calendar has, so that sums of it end. */
  people(): string {
    const columns = Object.entries({ year: 9999, month: 12, day: 31 }).map(([part, last]) => {
      const column = `${part}_of_birth`;
      return `MAX(CASE WHEN p.${column} BETWEEN 1 AND ${last} THEN p.${column} END) AS ${column}`;
    });
    return [
      `SELECT p.person_id, ${columns.join(", ")}, MAX(p.gender_concept_id) AS gender_concept_id`,
      `FROM ${this.#schema}person p`,
      "GROUP BY p.person_id",
    ].join("\n");
  }

  /** `person_id` and `v` of the persons with such an event; null for what PERSON itself says. */
  values(column: OmopColumn): string | null {
    switch (column.value) {
      case "age":
      case "sex":
        return null;
      case "any":
        return this.#aggregate(column, "1");
      case "count":
        return this.#aggregate(column, "COUNT(*)");
      case "days-to":
        return this.#aggregate(column, `MIN(${this.#sinceIndex(omopEventTables[column.domain])})`);
      case "last":
        return this.#last(column);
    }
  }

  /** @param value - of the joined values */
  cell(column: OmopColumn, value: string): string {
    switch (column.value) {
      case "age":
        return this.#age();
      case "sex":
        return `CASE omop_people.gender_concept_id WHEN ${femaleConcept} THEN 'female' WHEN ${maleConcept} THEN 'male' END`;
      case "any":
      case "count":
        return `COALESCE(${value}, 0)`;
      case "days-to":
      case "last":
        return value;
    }
  }

  #aggregate(column: Extract<OmopColumn, { value: "any" | "count" | "days-to" }>, aggregate: string): string {
    return [
      `SELECT i.person_id, ${aggregate} AS v`,
      ...this.#eventsInWindow(column.domain, column.concepts, column.days),
      "GROUP BY i.person_id",
    ].join("\n");
  }

  #last(column: Extract<OmopColumn, { value: "last" }>): string {
    const { date, time, id } = omopEventTables[column.domain];
    // Of one day the latest time, then the greatest number: every reading takes the same one.
    const order = [
      `${this.#dialect.day(`e.${date}`)} DESC`,
      `CASE WHEN e.${time} IS NULL THEN 1 ELSE 0 END`,
      `e.${time} DESC`,
      `e.${id} DESC`,
      "e.value_as_number DESC",
    ];
    const inUnit = column.unit === "any" ? [] : [`  AND e.unit_concept_id = ${integer(column.unit)}`];
    return [
      "SELECT r.person_id, r.v FROM (",
      "SELECT i.person_id, e.value_as_number AS v,",
      `  ROW_NUMBER() OVER (PARTITION BY i.person_id ORDER BY ${order.join(", ")}) AS place`,
      ...this.#eventsInWindow(column.domain, column.concepts, column.days),
      "  AND e.value_as_number IS NOT NULL",
      ...inUnit,
      ") r WHERE r.place = 1",
    ].join("\n");
  }

  #eventsInWindow(domain: OmopDomain, concepts: string, [from, to]: readonly [number, number]): string[] {
    const table = omopEventTables[domain];
    return [
      `FROM omop_index i JOIN ${this.#schema}${table.table} e ON e.person_id = i.person_id`,
      `WHERE ${this.#inSet(`e.${table.concept}`, concepts)}`,
      `  AND ${this.#sinceIndex(table)} BETWEEN ${integer(from)} AND ${integer(to)}`,
    ];
  }

  #sinceIndex({ date }: EventTable): string {
    return this.#dialect.daysBetween("i.index_date", this.#dialect.day(`e.${date}`));
  }

  /** Whole years on the index date; of a birthday that is not known, the first of the year or of the month. */
  #age(): string {
    const { part } = this.#dialect;
    const date = "omop_index.index_date";
    const birthday = "COALESCE(omop_people.month_of_birth, 1) * 100 + COALESCE(omop_people.day_of_birth, 1)";
    return (
      `${part("YEAR", date)} - omop_people.year_of_birth - ` +
      `CASE WHEN ${part("MONTH", date)} * 100 + ${part("DAY", date)} < ${birthday} THEN 1 ELSE 0 END`
    );
  }

  /** A concept belongs to its set whether or not CONCEPT_ANCESTOR lists it below itself. */
  #inSet(concept: string, name: string): string {
    const set = Object.hasOwn(this.#plan.conceptSets, name) ? this.#plan.conceptSets[name] : undefined;
    if (set === undefined) throw new RangeError("the plan has no such concept set");
    const included = this.#anyOf(
      concept,
      set.filter(({ excluded }) => !excluded),
    );
    const excluded = set.filter((item) => item.excluded);
    return excluded.length === 0 ? included : `${included} AND NOT ${this.#anyOf(concept, excluded)}`;
  }

  #anyOf(concept: string, items: ConceptSet): string {
    const own = `${concept} IN (${items.map((item) => integer(item.concept)).join(", ")})`;
    const above = items.filter(({ descendants }) => descendants).map((item) => integer(item.concept));
    if (above.length === 0) return `(${own})`;
    // A descendant that is NULL would make NOT IN unknown for every concept.
    const below =
      `SELECT a.descendant_concept_id FROM ${this.#vocabulary}concept_ancestor a ` +
      `WHERE a.ancestor_concept_id IN (${above.join(", ")}) AND a.descendant_concept_id IS NOT NULL`;
    return `(${own} OR ${concept} IN (${below}))`;
  }
}

function integer(value: number): string {
  if (!Number.isInteger(value) || Math.abs(value) > 2_147_483_647)
    throw new RangeError("not an integer of 32 bits");
  return String(value);
}

function checkedDay(iso: string): string {
  if (parseIsoDay(iso) === null) throw new RangeError("not a date");
  return iso;
}

function prefix(schema: string | undefined): string {
  if (schema === undefined) return "";
  if (!omopSchemaPattern.test(schema)) throw new RangeError("not a schema's name");
  return `${schema}.`;
}

import { type ConceptSet, type OmopColumn, type OmopDomain, type OmopPlan, personColumn } from "./plan.js";

/** A feature plan in plain words, for the person at the hospital who approves the study. */
export function omopPlanWords(plan: OmopPlan): string[] {
  return [
    `If the table is an OMOP database, this hospital computes the columns from it with SQL that its own software writes; the study brings no SQL. ${personColumn} is read to give each person one row and for nothing else.`,
    indexWords(plan.index),
    ...plan.columns.map((column) => `${column.name}: ${columnWords(column)}.`),
    ...Object.entries(plan.conceptSets).map(([name, set]) => `Concept set ${name}: ${setWords(set)}.`),
  ];
}

const nouns: Readonly<Record<OmopDomain, readonly [one: string, many: string]>> = {
  condition: ["a condition", "conditions"],
  drug: ["a drug exposure", "drug exposures"],
  measurement: ["a measurement", "measurements"],
  procedure: ["a procedure", "procedures"],
  observation: ["an observation", "observations"],
  visit: ["a visit", "visits"],
};

function indexWords({ domain, concepts, occurrence, from, to, observed }: OmopPlan["index"]): string {
  const period = [
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(to === undefined ? [] : [`until ${to}`]),
  ];
  const covered =
    observed === undefined
      ? ""
      : ` Left out are persons whom no single observation period covers from ${observed.daysBefore} days before the index date to ${observed.daysAfter} days after it.`;
  return `One row for each person with ${nouns[domain][0]} of the concept set ${concepts}${period.length === 0 ? "" : `, ${period.join(" ")}`}. The index date is that of the ${occurrence} such event.${covered}`;
}

function columnWords(column: OmopColumn): string {
  switch (column.value) {
    case "age":
      return "age in whole years on the index date";
    case "sex":
      return "female or male by PERSON; any other entry is a missing value";
    case "any":
      return `1 if there is ${ofSet(column, 0)}, else 0`;
    case "count":
      return `number of ${ofSet(column, 1)}`;
    case "days-to":
      return `days from the index date to the first of the ${ofSet(column, 1)}; missing if there is none`;
    case "last": {
      const unit = column.unit === "any" ? "in whatever unit" : `in the unit of concept ${column.unit}`;
      return `last value ${unit} of ${ofSet(column, 0)}; missing if there is none`;
    }
  }
}

function ofSet(column: Exclude<OmopColumn, { value: "age" | "sex" }>, form: 0 | 1): string {
  const [from, to] = column.days;
  const window = from === to ? `on ${dayWords(from)}` : `from ${dayWords(from)} to ${dayWords(to)}`;
  return `${nouns[column.domain][form]} of the concept set ${column.concepts} ${window}`;
}

function dayWords(days: number): string {
  if (days === 0) return "the index date";
  const count = `${Math.abs(days)} ${Math.abs(days) === 1 ? "day" : "days"}`;
  return `${count} ${days < 0 ? "before" : "after"} the index date`;
}

/** Names are as the study's author writes them. */
function setWords(set: ConceptSet): string {
  const listed = (excluded: boolean) =>
    set
      .filter((item) => item.excluded === excluded)
      .map(({ concept, name, descendants }) => {
        const called = name === undefined ? "" : ` (${name})`;
        return `${concept}${called}${descendants ? " and its descendants" : ""}`;
      })
      .join(", ");
  const without = listed(true);
  return `${listed(false)}${without === "" ? "" : `, without ${without}`}`;
}

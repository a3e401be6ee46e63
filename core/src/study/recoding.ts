import { nearest } from "../nearest.js";
import { unwrap } from "../result.js";
import { datesAreWritten, statedDay } from "./dates.js";
import { type CategoricalFeature, type Label, type NumericFeature, otherLevel } from "./features.js";
import type { Study } from "./study.js";
import { readWhere, type Where, type WhereColumn } from "./where/where.js";

/** What a study makes of a table's columns before a method sees them: recoded levels, numbers of dates, and the cohort. */

type Recoded = Pick<Study, "features" | "label" | "columns" | "where" | "omop">;
type Issue = readonly [path: (string | number)[], message: string];

/** Where a feature or label is made from. */
export const sourceOf = ({ from, name }: { readonly from?: string | undefined; readonly name: string }) =>
  from ?? name;

/** The date that a feature's dates are compared with; null for a year. */
export function referenceOf({ as }: NumericFeature): string | null {
  if (as === undefined || as === "year") return null;
  return "age-at" in as ? as["age-at"] : as["days-since"];
}

/** The table's columns that a study reads, each once; the patient's is not among them. */
export function columnsRead({
  features,
  label,
  columns = [],
}: Pick<Study, "features" | "label" | "columns">): string[] {
  const made = [...features, ...(label === undefined ? [] : [label])].map(sourceOf);
  return [...new Set([...made, ...columns.map(({ name }) => name)])];
}

/** What `where` may name: features, then the label, then `columns`. */
function whereColumns({ features, label, columns = [] }: Recoded): Map<string, WhereColumn> {
  const all = [
    ...features,
    ...(label === undefined ? [] : [{ ...label, type: "label" as const }]),
    ...columns,
  ];
  return new Map(
    all.map((one, at): [string, WhereColumn] => {
      const kind = one.type === "numeric" ? "number" : one.type === "date" ? "date" : "level";
      return [one.name, { at, kind, levels: "levels" in one ? one.levels : [] }];
    }),
  );
}

/** A valid study's condition; null where it is about all rows. */
export function cohortOf(study: Recoded): Where | null {
  return study.where === undefined ? null : unwrap(readWhere(study.where, whereColumns(study)));
}

/** What of the new columns does not fit the others; paths begin at the study. */
export function recodingIssues(study: Recoded): Issue[] {
  const { features, label, columns = [], where, omop } = study;
  const issues: Issue[] = [];
  const made = [...features, ...(label === undefined ? [] : [label])];
  const pathOf = (at: number) => (at < features.length ? ["features", at] : ["label"]);
  const dates = columns.filter(({ type }) => type === "date").map(({ name }) => name);
  const used = new Set<string>();
  const dateFault = (name: string): string | null => {
    used.add(name);
    if (dates.includes(name)) return null;
    const near = nearest(name, dates);
    return near.length > 0
      ? `columns declares no date "${name}"; did you mean ${near.join(" or ")}?`
      : `declare "${name}" under columns, with type: date`;
  };
  made.forEach((one, at) => {
    const add = (key: string, message: string | null) => {
      if (message !== null) issues.push([[...pathOf(at), key], message]);
    };
    const source = sourceOf(one);
    if (!("min" in one)) {
      add("map", mapFault(one));
      if ("undeclared" in one && one.undeclared === "other" && one.levels.includes(otherLevel))
        add("levels", `${otherLevel} is what undeclared values count as: call the level otherwise`);
    } else if (one.as === undefined) {
      if (dates.includes(source)) add("as", `${source} is a date: write as: year, days-since or age-at`);
    } else {
      add("from", dateFault(source));
      const reference = referenceOf(one);
      if (reference !== null && statedDay(reference) === null)
        add(
          "as",
          /^\d{4}-/.test(reference)
            ? `${reference} is no day of the calendar`
            : /^\d/.test(reference) && !dates.includes(reference)
              ? `${reference} is no date: ${datesAreWritten}`
              : dateFault(reference),
        );
    }
    if (omop !== undefined && (one.from !== undefined || "map" in one || "as" in one))
      add("from", `an OMOP plan makes column "${one.name}" itself; leave from, map and as out`);
  });
  if (where !== undefined) {
    const read = readWhere(where, whereColumns(study));
    if (read.ok) for (const name of read.value.names) used.add(name);
    else issues.push([["where"], read.error.message]);
  }
  const names = new Set(made.map(({ name }) => name));
  columns.forEach(({ name }, at) => {
    const fault = names.has(name)
      ? `"${name}" is declared already; give the feature or label another name, with from: ${name}`
      : used.has(name) || issues.some(([[key]]) => key === "where")
        ? null
        : `nothing reads "${name}"; remove it`;
    if (fault !== null) issues.push([["columns", at, "name"], fault]);
    names.add(name);
  });
  if (omop !== undefined && columns.length > 0)
    issues.push([["columns"], "a table in OMOP has the plan's columns alone; remove it"]);
  return issues;
}

/** Each entry leads to a level, and each level has an entry. */
function mapFault({ map, levels }: CategoricalFeature | Label): string | null {
  if (map === undefined) return null;
  const reached = new Set(Array.isArray(map) ? map.map(({ level }) => level) : Object.values(map));
  const unknown = [...reached].find((level) => !levels.includes(level));
  if (unknown !== undefined) return `"${unknown}" is not among the levels`;
  const idle = levels.find((level) => !reached.has(level));
  return idle === undefined ? null : `nothing becomes "${idle}"; remove the level, or say what does`;
}

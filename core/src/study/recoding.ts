import type { AnySaid } from "@consilium/words/said";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import type { MethodIssue } from "../method/method.js";
import { nearest } from "../nearest.js";
import { unwrap } from "../result.js";
import { nameOf, sentences } from "../said.js";
import { statedDay } from "./dates.js";
import { type CategoricalFeature, type Label, type NumericFeature, otherLevel } from "./features.js";
import type { Study } from "./study.js";
import { readWhere, type Where, type WhereColumn } from "./where/where.js";

/** What a study makes of a table's columns before a method sees them: recoded levels, numbers of dates, and the cohort. */

type Recoded = Pick<Study, "features" | "label" | "columns" | "where" | "omop">;

const fault = sentences<StudyFaultSays>();

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
export function recodingIssues(study: Recoded): MethodIssue[] {
  const { features, label, columns = [], where, omop } = study;
  const issues: MethodIssue[] = [];
  const made = [...features, ...(label === undefined ? [] : [label])];
  const pathOf = (at: number) => (at < features.length ? ["features", at] : ["label"]);
  const dates = columns.filter(({ type }) => type === "date").map(({ name }) => name);
  const used = new Set<string>();
  const dateFault = (name: string): AnySaid | null => {
    used.add(name);
    if (dates.includes(name)) return null;
    return fault("fault.date-undeclared", { text: nameOf(name), near: nearest(name, dates).map(nameOf) });
  };
  made.forEach((one, at) => {
    const add = (key: string, found: AnySaid | null) => {
      if (found !== null) issues.push([[...pathOf(at), key], found]);
    };
    const source = sourceOf(one);
    if (!("min" in one)) {
      add("map", mapFault(one));
      if ("undeclared" in one && one.undeclared === "other" && one.levels.includes(otherLevel))
        add("levels", fault("fault.other-level", { level: nameOf(otherLevel) }));
    } else if (one.as === undefined) {
      if (dates.includes(source)) add("as", fault("fault.date-as", { column: nameOf(source) }));
    } else {
      add("from", dateFault(source));
      const reference = referenceOf(one);
      if (reference !== null && statedDay(reference) === null)
        add(
          "as",
          /^\d{4}-/.test(reference)
            ? fault("fault.no-day", { text: nameOf(reference) })
            : /^\d/.test(reference) && !dates.includes(reference)
              ? fault("fault.no-date", { text: nameOf(reference) })
              : dateFault(reference),
        );
    }
    if (omop !== undefined && (one.from !== undefined || "map" in one || "as" in one))
      add("from", fault("fault.omop-made", { column: nameOf(one.name) }));
  });
  if (where !== undefined) {
    const read = readWhere(where, whereColumns(study));
    if (read.ok) for (const name of read.value.names) used.add(name);
    else issues.push([["where"], read.error.said]);
  }
  const names = new Set(made.map(({ name }) => name));
  columns.forEach(({ name }, at) => {
    const column = nameOf(name);
    const isRead = used.has(name) || issues.some(([[key]]) => key === "where");
    const place = ["columns", at, "name"];
    if (names.has(name)) issues.push([place, fault("fault.column-known", { column })]);
    else if (!isRead) issues.push([place, fault("fault.column-unread", { column })]);
    names.add(name);
  });
  if (omop !== undefined && columns.length > 0) issues.push([["columns"], fault("fault.omop-columns", {})]);
  return issues;
}

/** Each entry leads to a level, and each level has an entry. */
function mapFault({ map, levels }: CategoricalFeature | Label): AnySaid | null {
  if (map === undefined) return null;
  const reached = new Set(Array.isArray(map) ? map.map(({ level }) => level) : Object.values(map));
  const unknown = [...reached].find((level) => !levels.includes(level));
  if (unknown !== undefined) return fault("fault.map-level", { level: nameOf(unknown) });
  const idle = levels.find((level) => !reached.has(level));
  return idle === undefined ? null : fault("fault.map-idle", { level: nameOf(idle) });
}

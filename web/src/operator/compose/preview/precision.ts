import type { ExpectedPrecision, PrecisionCase } from "@consilium/core/study/expectedPrecision";
import { forecastOf, forecastWithin } from "@consilium/core/study/forecastWords";
import { locale, served, t } from "../../../shared/language";
import { isRecord } from "../../../shared/yaml/values";

/** What precision to expect, in words: what the methods compute from the draft's declarations. */
export interface PrecisionLine {
  readonly what: string;
  /** For each number of rows that is told of. */
  readonly likely: readonly string[];
  readonly best: readonly string[];
  /** Of how many rows, where one number is told of; where some lines are of a group, each says of what. */
  readonly rows: string;
}

/** One line for each result, with its precision in each case. @param cases - one at least; they have the same results */
export function precisionTable(cases: readonly Pick<PrecisionCase, "lines">[]): PrecisionLine[] {
  const [first] = cases;
  if (first === undefined) return [];
  const hasGroups = first.lines.some(({ isOfGroup }) => isOfGroup);
  const each = (at: number, which: "best" | "likely") =>
    cases.map(({ lines }) => {
      const line = lines[at];
      return line === undefined ? "-" : served(forecastWithin(line, which));
    });
  return first.lines.map((one, at) => ({
    what: served(forecastOf(one)),
    likely: each(at, "likely"),
    best: each(at, "best"),
    rows: rowsOf(one, hasGroups),
  }));
}

/** Whether a study counts patients, whose rows weigh as one. */
export const isOfPatients = ({ patient }: Readonly<Record<string, unknown>>) =>
  isRecord(patient) && patient.weighting !== "rows";

function rowsOf({ rows: count, isOfGroup }: ExpectedPrecision, hasGroups: boolean): string {
  const rows = count.toLocaleString(locale());
  if (!hasGroups) return rows;
  return isOfGroup ? t("{rows} in each group", { rows }) : t("{rows} in all", { rows });
}

/** The smallest group that can be told from none; null where nothing is counted. */
export function smallestGroup(precision: readonly ExpectedPrecision[]): number | null {
  const counts = precision.flatMap(({ statistic, likely }) =>
    statistic === "count" && likely !== null ? [likely] : [],
  );
  return counts.length === 0 ? null : Math.ceil(Math.max(...counts));
}

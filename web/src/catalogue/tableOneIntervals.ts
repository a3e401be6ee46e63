import type { TablesFile } from "@consilium/core/release/views";
import { decimal, locale, t } from "../shared/language";

/** The intervals of a printed table one's cells, from the table that has each of its numbers in a line. */

type Table = TablesFile["tables"][number];
type Cell = Table["rows"][number][number];

/** By row and column of the table one; null where a cell has none. */
export type IntervalOf = (row: number, column: number) => string | null;

/** Of which statistics a printed cell has the interval, in this order. */
const told: Readonly<Record<string, readonly string[]>> = {
  n: ["n"],
  "mean (SD)": ["mean"],
  "median [Q1, Q3]": ["median"],
};
const counted = ["count", "share"];
/** What a row of counts is called: `female, n (%)`. */
const countedEnd = ", n (%)";
/** Columns before those of groups: variable and statistic. */
const named = 2;

/** @returns null for a release that has no such table */
export function tableOneIntervals(tables: readonly Table[]): IntervalOf | null {
  const [printed, tidy] = ["table-one", "table-one-tidy"].map((name) =>
    tables.find((table) => table.name === name),
  );
  if (printed === undefined || tidy === undefined) return null;
  const at = Object.fromEntries(tidy.columns.map(({ name }, index) => [name, index]));
  const cell = (row: readonly Cell[], name: string): Cell => row[at[name] ?? -1] ?? null;
  const groups = [...new Set(tidy.rows.map((row) => cell(row, "group")))];
  const lines = new Map(
    tidy.rows.map((row) => {
      const [variable, unit, level] = ["variable", "unit", "level"].map((name) => cell(row, name));
      const what = unit === null ? variable : `${variable} (${unit})`;
      return [keyOf(what!, level!, cell(row, "statistic"), cell(row, "group")), row];
    }),
  );
  return (row, column) => {
    const [variable, statistic] = printed.rows[row] ?? [];
    const own = printed.rows[row]?.[column];
    if (typeof statistic !== "string" || typeof own !== "string" || column < named) return null;
    const isCounted = statistic.endsWith(countedEnd);
    const shown = statistic.slice(0, -countedEnd.length);
    const level = !isCounted ? null : shown === "missing" ? "(missing)" : shown;
    const texts = (isCounted ? counted : (told[statistic] ?? [])).flatMap((name) => {
      const line =
        lines.get(keyOf(variable!, level, name, groups[column - named]!)) ??
        lines.get(keyOf(variable!, shown, name, groups[column - named]!));
      const [low, high] = [line?.[at.low!], line?.[at.high!]];
      // Without noise a count is exact.
      return typeof low !== "number" || typeof high !== "number" || low === high
        ? []
        : [rangeText(name, low, high, own)];
    });
    return texts.length === 0 ? null : t("95 %: {ranges}", { ranges: texts.join("; ") });
  };
}

const keyOf = (...parts: readonly Cell[]) => JSON.stringify(parts);

/** As many digits as the printed number has. */
function rangeText(statistic: string, low: number, high: number, printed: string): string {
  if (statistic === "share")
    return t("{low} to {high} %", {
      low: decimal((100 * low).toFixed(1)),
      high: decimal((100 * high).toFixed(1)),
    });
  const digits = /^-?\d+\.(\d+)/.exec(printed)?.[1]?.length ?? 0;
  const text = (value: number) =>
    digits === 0 ? Math.round(value).toLocaleString(locale()) : decimal(value.toFixed(digits));
  return t("{low} to {high}", { low: text(low), high: text(high) });
}

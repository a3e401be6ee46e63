import type { ProfileSays } from "@consilium/words/says/profile";
import { lines, nameOf } from "../said.js";
import type { LevelProfile, NumericProfile, ProfileReportView } from "./profileViews.js";

/** What a hospital's people check before they approve a study, from a profile of their table as the study would use it. */

const line = lines<ProfileSays>();

/** Least percentage of rows used that is no reason to look; more left out than that are another table than the study's. */
const minPercentUsed = 80;
/** Least percentage of values beyond a bound that is a reason to look at the unit. */
const minPercentBeyond = 5;
/** Least number of rows with one value beyond a bound that may stand for a missing one. */
const minRowsOfValue = 10;
/** Levels that a remark names. */
const maxLevels = 5;

/** Whether few rows are used, or none: who approves then says so twice. */
export const usesFewRows = (report: Rows & Pick<ProfileReportView, "used">): boolean =>
  report.used < (minPercentUsed / 100) * rowsMeant(report);

type Rows = Pick<ProfileReportView, "rows" | "outside" | "unsampled" | "patients">;

/** Rows that the study means to use: those that its `where`, its sample or its bound on a patient's rows leaves out are no fault. */
const rowsMeant = ({ rows, outside, unsampled, patients }: Rows) =>
  rows - (outside?.rows ?? 0) - unsampled - (patients?.overBound ?? 0);

/** @returns sentences by code, what matters most first; empty where nothing stands out */
export function profileRemarks(report: ProfileReportView): string[] {
  const { used, columns, label, problems } = report;
  const rows = rowsMeant(report);
  const all = label === null ? columns : [...columns, label];
  const ofRows = !usesFewRows(report)
    ? []
    : used === 0
      ? [line("profile.none-used", { rows })]
      : [line("profile.few-used", { used, rows, percent: percentOf(used, rows) })];
  const rejecting = all.filter(({ rejectedRows }) => rejectedRows > (1 - minPercentUsed / 100) * rows);
  const spelled = all.filter((one) => one.type === "categorical" && one.undeclared > 0) as LevelProfile[];
  const wrong = new Map<string, number>();
  for (const { code, column, count } of problems)
    if (code === "COLUMN_TYPE") wrong.set(column, (wrong.get(column) ?? 0) + count);
  return [
    ...ofRows,
    ...[...wrong].map(([column, cells]) => line("profile.wrong-type", { column: nameOf(column), cells })),
    ...spelled.map(({ name, undeclared }) =>
      line("profile.undeclared", { column: nameOf(name), cells: undeclared }),
    ),
    ...rejecting.map(({ name, rejectedRows }) =>
      line("profile.rejects", { column: nameOf(name), rows: rejectedRows }),
    ),
    // Of no row there is nothing more to say.
    ...(used === 0 || label === null ? [] : unusedLevels(label, "profile.outcome-unused")),
    ...(used === 0 ? [] : columns.flatMap((one) => columnRemarks(one, used))),
  ];
}

function columnRemarks(column: NumericProfile | LevelProfile, used: number): string[] {
  return column.type === "categorical"
    ? unusedLevels(column, "profile.levels-unused")
    : [...aboveRemarks(column, used), ...belowRemarks(column, used)];
}

function aboveRemarks(
  { name, unit, declared, above, commonestAbove: one }: NumericProfile,
  used: number,
): string[] {
  const column = nameOf(name);
  const { max } = declared;
  if (isOneValue(one, above))
    return [line("profile.one-value-above", { column, rows: one.rows, max, value: one.value })];
  if (above < (minPercentBeyond / 100) * used) return [];
  const percent = percentOf(above, used);
  return [line("profile.above", { column, percent, max, unit: unit === null ? null : nameOf(unit) })];
}

function belowRemarks(
  { name, unit, declared, below, commonestBelow: one }: NumericProfile,
  used: number,
): string[] {
  const column = nameOf(name);
  const { min } = declared;
  if (isOneValue(one, below))
    return [line("profile.one-value-below", { column, rows: one.rows, min, value: one.value })];
  if (below < (minPercentBeyond / 100) * used) return [];
  const percent = percentOf(below, used);
  return [line("profile.below", { column, percent, min, unit: unit === null ? null : nameOf(unit) })];
}

/** Whether one value makes up most of those beyond a bound, in more rows than one patient has. */
const isOneValue = (
  one: NumericProfile["commonestAbove"],
  beyond: number,
): one is NonNullable<NumericProfile["commonestAbove"]> =>
  one !== null && one.rows >= minRowsOfValue && 2 * one.rows > beyond;

function unusedLevels(
  { name, levels }: LevelProfile,
  code: "profile.levels-unused" | "profile.outcome-unused",
): string[] {
  const unused = levels.filter(({ rows }) => rows === 0).map(({ level }) => nameOf(level));
  if (unused.length === 0) return [];
  const more = Math.max(0, unused.length - maxLevels);
  return [line(code, { column: nameOf(name), levels: unused.slice(0, maxLevels), more })];
}

/** A whole percentage that is 0 or 100 only where all are meant. */
const percentOf = (part: number, whole: number): number =>
  part === whole ? 100 : Math.min(99, Math.max(part === 0 ? 0 : 1, Math.round((100 * part) / whole)));

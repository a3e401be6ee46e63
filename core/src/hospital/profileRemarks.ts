import type { ProfileSays } from "@consilium/words/says/profile";
import { lines, nameOf } from "../said.js";
import { findingsOf } from "./findings.js";
import type { LevelProfile, NumericProfile, ProfileReportView } from "./profileViews.js";
import { isFew } from "./usableRows.js";

/** Remarks for a hospital's people to check before they approve a study, from a profile of their table as the study would use it. */

const line = lines<ProfileSays>();

/** Least percentage of rows left out by one column that is a reason to look at it. */
const minPercentRejected = 20;
/** Least percentage of values beyond a bound that is a reason to look at the unit. */
const minPercentBeyond = 5;
/** Least number of rows with one value beyond a bound that may stand for a missing one. */
const minRowsOfValue = 10;
/** Levels that a remark names. */
const maxLevels = 5;

/** True where fewer rows are used than the policy's `minimumUsable` asks: who approves then says so twice. */
export const usesFewRows = (report: ProfileReportView): boolean =>
  isFew(report.used, rowsMeant(report), report.minimumUsable);

/** Rows that the study means to use: those that its `where`, its sample or its bound on a patient's rows leaves out are no fault. */
const rowsMeant = ({ rows, malformed, outside, unsampled, patients }: ProfileReportView) =>
  rows + malformed - (outside?.rows ?? 0) - unsampled - (patients?.overBound ?? 0);

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
  const rejecting = all.filter(({ rejectedRows }) => rejectedRows > (minPercentRejected / 100) * rows);
  const spelled = all.filter((one) => one.type === "categorical" && one.undeclared > 0) as LevelProfile[];
  const wrong = new Map<string, number>();
  for (const { code, column, count } of problems)
    if (code === "COLUMN_TYPE") wrong.set(column, (wrong.get(column) ?? 0) + count);
  return [
    ...ofRows,
    ...(report.malformed === 0 ? [] : [line("profile.unreadable", { rows: report.malformed })]),
    ...[...wrong].map(([column, cells]) => line("profile.wrong-type", { column: nameOf(column), cells })),
    ...spelled.map(({ name, undeclared }) =>
      line("profile.undeclared", { column: nameOf(name), cells: undeclared }),
    ),
    ...rejecting.map(({ name, rejectedRows }) =>
      line("profile.rejects", { column: nameOf(name), rows: rejectedRows }),
    ),
    ...findingsOf(report.check),
    // Of no row there is nothing more to say.
    ...(used === 0 || label === null ? [] : unusedLevels(label, "profile.outcome-unused")),
    ...(used === 0 ? [] : columns.flatMap((one) => columnRemarks(one, used))),
  ];
}

function columnRemarks(column: NumericProfile | LevelProfile, used: number): string[] {
  return column.type === "categorical"
    ? unusedLevels(column, "profile.levels-unused")
    : boundRemarks(column, used);
}

/** Remarks on values above and below the bounds: another unit, or one that stands for a missing one. */
function boundRemarks(profile: NumericProfile, used: number): string[] {
  const { declared, above, below, commonestAbove, commonestBelow } = profile;
  const column = nameOf(profile.name);
  const unit = profile.unit === null ? null : nameOf(profile.unit);
  const percentOfUsed = (beyond: number) =>
    beyond < (minPercentBeyond / 100) * used ? null : percentOf(beyond, used);
  const remarks: string[] = [];
  const percentAbove = percentOfUsed(above);
  if (isOneValue(commonestAbove, above))
    remarks.push(line("profile.one-value-above", { column, ...commonestAbove, max: declared.max }));
  else if (percentAbove !== null)
    remarks.push(line("profile.above", { column, percent: percentAbove, max: declared.max, unit }));
  const percentBelow = percentOfUsed(below);
  if (isOneValue(commonestBelow, below))
    remarks.push(line("profile.one-value-below", { column, ...commonestBelow, min: declared.min }));
  else if (percentBelow !== null)
    remarks.push(line("profile.below", { column, percent: percentBelow, min: declared.min, unit }));
  return remarks;
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

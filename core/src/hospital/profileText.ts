import { quoted } from "../text.js";
import type { LevelProfile, NumericProfile, ProfileReportView } from "./profileViews.js";

/** A profile as a table to read on a terminal. `JSON.stringify` of the report is its form for programs. */
export function formatProfile(report: Omit<ProfileReportView, "minimumUsable" | "check">): string {
  const all = report.rows + report.malformed;
  const share = all === 0 ? "" : ` (${((100 * report.used) / all).toFixed(1)} %)`;
  const lines = [
    `Table ${report.table}, as study ${report.study} would see it. This stays at the hospital.`,
    "",
    `Files      ${count(report.files)}`,
    `Rows       ${count(all)}`,
    `Used       ${count(report.used)}${share}`,
    `Rejected   ${count(report.rejected)}${report.rejected > 0 ? ", by missing values or faults listed below" : ""}`,
    ...(report.malformed === 0
      ? []
      : [`Unreadable ${count(report.malformed)}, left out: they cannot be taken apart`]),
    ...outsideLines(report.outside),
    ...patientLines(report.patients),
    `Allowed    ${count(report.maxRowsPerSite)}${report.used > report.maxRowsPerSite ? ": TOO MANY ROWS" : ""}`,
  ];
  if (report.problems.length > 0) {
    lines.push(
      "",
      "Faults: a study with a proof leaves their rows out, another one cannot use the table until they are corrected.",
    );
    lines.push(
      ...grid([
        ["code", "column", "cells", "first at"],
        ...report.problems.map((problem) => [
          problem.code,
          problem.column,
          count(problem.count),
          `row ${problem.row}${problem.file === null ? "" : ` of ${problem.file}`}`,
        ]),
      ]),
    );
  }
  const numeric = report.columns.filter((column): column is NumericProfile => column.type === "numeric");
  if (numeric.length > 0) {
    lines.push("", "Numbers (min to sd: of used rows, values outside the bounds counted as the bound)");
    lines.push(
      ...grid(
        [
          ["column", "bounds", "missing", "rejects", "below", "above", "min", "mean", "max", "sd", ""],
          ...numeric.map((column) => [
            column.unit === null ? column.name : `${column.name} [${column.unit}]`,
            `${column.declared.min} to ${column.declared.max}`,
            count(column.missing),
            count(column.rejectedRows),
            count(column.below),
            count(column.above),
            number(column.min),
            number(column.mean),
            number(column.max),
            number(column.stdDev),
            column.constant ? "CONSTANT" : "",
          ]),
        ],
        2,
      ),
    );
  }
  const levels = report.columns.filter((column): column is LevelProfile => column.type === "categorical");
  if (report.label !== null) levels.push({ ...report.label, name: `${report.label.name} (label)` });
  if (levels.length > 0) {
    lines.push("", "Categories (rows used per level)");
    lines.push(
      ...grid(
        [
          ["column", "level", "rows", "missing", "undeclared", "rejects", ""],
          ...levels.flatMap((column) =>
            column.levels.map(({ level, rows }, at) => [
              at === 0 ? column.name : "",
              level,
              count(rows),
              at === 0 ? count(column.missing) : "",
              at === 0 ? count(column.undeclared) : "",
              at === 0 ? count(column.rejectedRows) : "",
              at === 0 && column.constant ? "CONSTANT" : "",
            ]),
          ),
        ],
        2,
      ),
    );
  }
  return `${lines.join("\n")}\n`;
}

function outsideLines(outside: ProfileReportView["outside"]): string[] {
  if (outside === null) return [];
  const open =
    outside.open === 0
      ? ""
      : `, ${count(outside.open)} of them by a value that is missing, or that is no number or date of the declared format`;
  return [`Outside    ${count(outside.rows)}, left out by the study's where${open}`];
}

function patientLines(patients: ProfileReportView["patients"]): string[] {
  if (patients === null) return [];
  const { column, maxRows, orderBy, overBound, withoutPatient } = patients;
  const each = `at most ${count(maxRows)} ${maxRows === 1 ? "row" : "rows"} of each, ${orderBy === null ? "by a keyed hash" : `the first by ${quoted(orderBy)}`}`;
  return [
    `Patients   ${count(patients.patients)}, by column ${quoted(column)}; ${each}`,
    `Over bound ${count(overBound)}${overBound > 0 ? ", left out" : ""}`,
    `No patient ${count(withoutPatient)}${withoutPatient > 0 ? ", rejected" : ""}`,
  ];
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

function number(value: number | null): string {
  return value === null ? "-" : String(Number(value.toPrecision(6)));
}

/** Columns padded to their widest cell; the first `left` ones flush left, numbers flush right. */
function grid(rows: readonly (readonly string[])[], left = Number.POSITIVE_INFINITY): string[] {
  const widths = rows[0]!.map((_, k) => Math.max(...rows.map((row) => row[k]!.length)));
  return rows.map((row) =>
    `  ${row.map((cell, k) => (k < left ? cell.padEnd(widths[k]!) : cell.padStart(widths[k]!))).join("  ")}`.trimEnd(),
  );
}

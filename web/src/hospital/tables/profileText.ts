import type { ProfileReportView } from "@consilium/core/hospital/profileViews";
import { locale, plural, t } from "../../shared/language";

export interface Verdict {
  readonly tone: "ok" | "warn" | "bad";
  readonly title: string;
  readonly text: string;
}

/** Above this share of clamped cells, a column's bounds should be checked. */
const clampedShareMost = 0.05;
/** Above this share of rejected rows, the study uses a table that differs from the hospital's. */
const rejectedShareMost = 0.1;

/** Whether a study could use the table, in one sentence, and what to check. */
export function profileVerdict(report: ProfileReportView): Verdict {
  const { rows, used, rejected, maxRowsPerSite, problems } = report;
  if (problems.length > 0)
    return {
      tone: "bad",
      title: t("The study cannot use the table as it is."),
      text: plural(
        problems.length,
        "One error must be corrected in the table or in the study's declarations; they are listed below, without the values.",
        "{count} errors must be corrected in the table or in the study's declarations; they are listed below, without the values.",
      ),
    };
  if (used > maxRowsPerSite)
    return {
      tone: "bad",
      title: t("The table has more rows than the study allows."),
      text: t(
        "It has {value} usable rows; the study allows at most {value2} per hospital. Ask the operator to raise participation.maxRowsPerSite.",
        { value: used.toLocaleString(locale()), value2: maxRowsPerSite.toLocaleString(locale()) },
      ),
    };
  if (used === 0)
    return {
      tone: "bad",
      title: t("The study cannot use any row."),
      text: t("Every row is rejected; see which columns below."),
    };
  const looks = [...rejectedNote(rows, rejected), ...clampedNote(report)];
  if (looks.length > 0)
    return {
      tone: "warn",
      title: t("The study can use the table; check these points first."),
      text: looks.join(" "),
    };
  return {
    tone: "ok",
    title: t("The study can use the table."),
    text: t("It would use {value} of {value2} rows.", {
      value: used.toLocaleString(locale()),
      value2: rows.toLocaleString(locale()),
    }),
  };
}

function rejectedNote(rows: number, rejected: number): string[] {
  if (rejected <= rejectedShareMost * rows) return [];
  return [
    t("{rejected} of the rows are rejected, by missing values in the columns below.", {
      rejected: percent(rejected, rows),
    }),
  ];
}

function clampedNote({ columns, used }: ProfileReportView): string[] {
  const clamped = columns.flatMap((column) =>
    column.type === "numeric" && column.below + column.above > clampedShareMost * used ? [column.name] : [],
  );
  if (clamped.length === 0) return [];
  return [
    t(
      "Many values are outside the declared bounds and are clamped: {value}. Check whether this hospital uses a different unit.",
      { value: clamped.join(", ") },
    ),
  ];
}

function percent(part: number, whole: number): string {
  return `${Math.round((100 * part) / whole)} %`;
}

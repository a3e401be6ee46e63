import type { ProfileView } from "@consilium/core/hospital/profileViews";
import { locale, plural, served, t } from "../../shared/language";

export interface Verdict {
  readonly tone: "ok" | "warn" | "bad";
  readonly title: string;
  readonly texts: readonly string[];
}

/** Whether a study could use the table, in one sentence, and what to check. */
export function profileVerdict({ report, remarks }: Pick<ProfileView, "report" | "remarks">): Verdict {
  const { rows, used, maxRowsPerSite, problems } = report;
  const checks = remarks.map(served);
  if (problems.length > 0)
    return {
      tone: "bad",
      title: t("The study cannot use the table as it is."),
      texts: [
        plural(
          problems.length,
          "One error must be corrected in the table or in the study's declarations; they are listed below, without the values.",
          "{count} errors must be corrected in the table or in the study's declarations; they are listed below, without the values.",
        ),
        ...checks,
      ],
    };
  if (used > maxRowsPerSite)
    return {
      tone: "bad",
      title: t("The table has more rows than the study allows."),
      texts: [
        t(
          "It has {value} usable rows; the study allows at most {value2} per hospital. Ask the operator to raise participation.maxRowsPerSite.",
          { value: used.toLocaleString(locale()), value2: maxRowsPerSite.toLocaleString(locale()) },
        ),
      ],
    };
  if (used === 0)
    return {
      tone: "bad",
      title: t("The study cannot use any row."),
      texts: checks,
    };
  if (checks.length > 0)
    return {
      tone: "warn",
      title: t("The study can use the table; check these points first."),
      texts: checks,
    };
  return {
    tone: "ok",
    title: t("The study can use the table."),
    texts: [
      t("It would use {value} of {value2} rows.", {
        value: used.toLocaleString(locale()),
        value2: rows.toLocaleString(locale()),
      }),
    ],
  };
}

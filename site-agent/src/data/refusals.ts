import { ConsiliumError } from "@consilium/core/errors";
import { quoted } from "@consilium/core/text";
import type { ProfileReport } from "./profile.js";

/** What an analysis cannot compute on, or would reveal something by computing on; each analysis declares its own. */
export interface RefusalRules {
  /** Rows that the site can use at least, those over the bound of their patient left out; 0 for an analysis that takes an empty table. */
  readonly minimumRows: number;
  /** Whether a feature that has one value only at this site is refused. */
  readonly refuseConstant: boolean;
}

/**
 * @returns ROWS_TOO_FEW, or COLUMN_CONSTANT naming every such feature; none for a table that will do. The messages
 *   are for the hospital: to the operator goes the code alone.
 */
export function refusals(report: ProfileReport, rules: RefusalRules): ConsiliumError[] {
  const table = `table ${quoted(report.table)}`;
  if (report.used < rules.minimumRows) {
    return [
      new ConsiliumError(
        "ROWS_TOO_FEW",
        `${table}: ${report.used} usable of ${report.rows} rows, the study needs ${rules.minimumRows}`,
      ),
    ];
  }
  const constant = report.columns.filter((column) => column.constant).map((column) => quoted(column.name));
  if (!rules.refuseConstant || constant.length === 0) return [];
  const more = constant.length > 20 ? ` and ${constant.length - 20} more` : "";
  return [
    new ConsiliumError(
      "COLUMN_CONSTANT",
      `${table}: one value in all ${report.used} usable rows of ${constant.slice(0, 20).join(", ")}${more}`,
    ),
  ];
}

import type { ConsiliumError } from "@consilium/core/errors";
import { fault } from "./fault.js";
import { shown, tablePlace } from "./place.js";
import type { ProfileReport } from "./profile.js";

/** What an analysis cannot compute on, or would reveal something by computing on; each analysis declares its own. */
export interface RefusalRules {
  /** Rows that the site can use at least, those over the bound of their patient left out; 0 for an analysis that takes an empty table. */
  readonly minimumRows: number;
  /** Whether a feature that has one value only at this site is refused. */
  readonly refuseConstant: boolean;
}

/** At most so many columns are named. */
const namedMost = 20;

/**
 * @returns ROWS_TOO_FEW, or COLUMN_CONSTANT naming every such feature; none for a table that will do. The messages
 *   are for the hospital: to the operator goes the code alone.
 */
export function refusals(report: ProfileReport, rules: RefusalRules): ConsiliumError[] {
  const place = tablePlace(report.table);
  const { used: usable, rows } = report;
  if (usable < rules.minimumRows)
    return [fault("ROWS_TOO_FEW", "rows.few", { place, usable, rows, needs: rules.minimumRows })];
  const constant = report.columns.filter((column) => column.constant).map((column) => shown(column.name));
  if (!rules.refuseConstant || constant.length === 0) return [];
  const columns = constant.slice(0, namedMost);
  const more = constant.length - columns.length;
  return [fault("COLUMN_CONSTANT", "rows.constant", { place, usable, columns, more })];
}

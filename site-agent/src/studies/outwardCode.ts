import type { ErrorCode } from "@consilium/core/errors";

/**
 * Codes that would tell the operator something about this site's records. They stay here; the site sends
 * PREFLIGHT_FAILED. A study that hides tables never comes to any of them.
 */
const privateCodes: ReadonlySet<ErrorCode> = new Set([
  "ROWS_TOO_FEW",
  "ROWS_TOO_MANY",
  "COLUMN_TYPE",
  "VALUE_NOT_FINITE",
  "LEVEL_UNDECLARED",
  "COLUMN_CONSTANT",
  "POLICY_ROWS",
]);

/** What the operator may see of a refusal. */
export function outwardCode(code: ErrorCode): ErrorCode {
  return privateCodes.has(code) ? "PREFLIGHT_FAILED" : code;
}

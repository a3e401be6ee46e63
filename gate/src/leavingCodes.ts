const listed = (codes: string): readonly string[] => codes.trim().split(/\s+/);

/**
 * Every code that can leave a site, with what it depends on. Of a sound study the last two never come up: whatever reading and
 * adding up may meet once the site has joined, its stages end in vectors (site-agent/src/studies/zeros.ts). Of others those of
 * `records` leave as PREFLIGHT_FAILED. A code that is not here leaves as INTERNAL.
 */
export const leavingCodes = {
  "the study": listed(
    "STUDY_INVALID STUDY_NEWER STUDY_RETIRED STUDY_HASH PLAN_DIFFERS METHOD_REFUSED MESSAGE_TOO_LARGE",
  ),
  "the policy": listed(`
    POLICY_INVALID POLICY_CHANGED POLICY_ANALYSIS POLICY_NO_PRIVACY POLICY_VARIANT POLICY_COLUMN POLICY_EPSILON POLICY_DELTA
    POLICY_UNIT POLICY_POPULATION POLICY_SITES POLICY_REQUEST POLICY_SCHEDULE POLICY_COLLUDING POLICY_PER_HOSPITAL METHODS_MISSING OFFERS_TOO_MANY`),
  "a person": listed("REFUSED_BY_SITE APPROVAL_LATE APPROVAL_SECOND APPROVAL_CHANGED"),
  "the ledger": listed("BUDGET_EXHAUSTED CEILING_REACHED LEDGER_BROKEN LEDGER_BEHIND"),
  "other parties": listed(`
    INVITATION_INVALID AUTHORITY_MISMATCH CERTIFICATE_INVALID SITE_EXPELLED PROTOCOL_VERSION REVOCATIONS_INVALID
    REVOCATIONS_STALE REVOCATIONS_UNCONFIRMED REVOCATIONS_EXPIRED FIELD_INVALID RATE_LIMITED MESSAGE_UNEXPECTED
    ROSTER_INVALID ROSTER_UNPINNED ROSTER_TOO_SMALL UPLOAD_ORDER UPLOAD_TRUNCATED UPLOAD_HASH UPLOAD_CHANGED UPLOAD_LENGTH
    BROADCAST_CHANGED BROADCAST_INVALID SEAL_BROKEN COMMITMENT_BROKEN KEYS_INVALID SHARES_INVALID SUM_THRESHOLD
    TRANSCRIPT_DIFFERS SURVIVORS_INVALID SURVIVORS_CHANGED SUM_REPLAYED UNMASK_FAILED STATEMENT_INVALID CERTIFICATE_EPSILON
    STUDY_CANCELLED`),
  "the world": listed(`
    DISK_FULL UNREACHABLE TABLE_UNKNOWN TABLE_AWAY CONFIG_INVALID ENGINE_UNREACHABLE ENGINE_INCOMPLETE ENGINE_UNSAFE`),
  "the software": listed("INTERNAL ENGINE_VERSION"),
  "the table's shape": listed(`
    TABLE_UNREADABLE TABLE_EMPTY COLUMN_MISSING COLUMN_AMBIGUOUS OMOP_PLAN_MISSING QUERY_INVALID VIEW_INVALID
    ENGINE_UNSUITABLE`),
  "an approved table": listed("TABLE_CHANGED DATABASE_LOST QUERY_FAILED ENGINE_FAILED"),
  records: listed(`
    PREFLIGHT_FAILED ROWS_TOO_FEW ROWS_TOO_MANY COLUMN_TYPE VALUE_NOT_FINITE VALUE_MISSING LEVEL_UNDECLARED COLUMN_CONSTANT
    POLICY_ROWS`),
};

/** The things that a code which leaves a site may depend on. */
export type Dependence = keyof typeof leavingCodes;

const hidden = new Set(leavingCodes.records);
const leaving = new Set(Object.values(leavingCodes).flat());

/** In place of each that depends on records. */
export const recordsCode = "PREFLIGHT_FAILED";

/** The code that the aggregator is told in place of another. */
export function outwardCode(code: string): string {
  if (hidden.has(code)) return recordsCode;
  return leaving.has(code) ? code : "INTERNAL";
}

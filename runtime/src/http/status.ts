import type { ConsiliumError, ErrorCode } from "@consilium/core/errors";

/** Codes whose status is not that of their family. */
const statuses: Partial<Readonly<Record<ErrorCode, number>>> = {
  UNAUTHENTICATED: 401,
  SIGN_IN_FAILED: 401,
  CROSS_SITE: 403,
  OIDC_FAILED: 403,
  NOT_PERMITTED: 403,
  ADDRESS_UNKNOWN: 404,
  STUDY_UNKNOWN: 404,
  TABLE_UNKNOWN: 404,
  RELEASE_UNKNOWN: 404,
  ACCOUNT_UNKNOWN: 404,
  API_TOKEN_UNKNOWN: 404,
  STUDY_STATE: 409,
  SITE_ENROLLED: 409,
  INVITATION_OPEN: 409,
  ACCOUNT_EXISTS: 409,
  ACCOUNT_LAST: 409,
  LINK_INVALID: 410,
  RELEASE_WITHDRAWN: 410,
  MESSAGE_TOO_LARGE: 413,
  HOST_UNKNOWN: 421,
  RATE_LIMITED: 429,
  SIGN_IN_BUSY: 503,
  UNREACHABLE: 503,
  AGGREGATOR_STANDBY: 503,
  DISK_FULL: 507,
  // While a request is answered, these are of the process's own files.
  CONFIG_INVALID: 500,
  STATE_MISSING: 500,
  STATE_LOCKED: 500,
};

/** The HTTP status of an error: the same on every server of ours. */
export function httpStatus(error: ConsiliumError): number {
  const own = statuses[error.code];
  if (own !== undefined) return own;
  switch (error.family) {
    case "config":
    case "peer":
      return 400;
    // A normal "no": the request was understood, and what there is does not allow it.
    case "refusal":
      return 409;
    case "internal":
      return 500;
  }
}

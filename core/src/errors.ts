import { SumError } from "@consilium/secure-sum/errors";
import type { Result } from "./result.js";

/**
 * Every failure of Consilium has a stable code, a family that says who must act, and a remedy.
 * `docs/ERRORS.md` lists the same table; a test compares the two.
 *
 * No message may hold a record's value: numbers in messages are counts, sizes, limits and row numbers.
 */

/** Who must act: the person who configured it, the other side of a connection, nobody (a normal "no"), or us. */
export type ErrorFamily = "config" | "peer" | "refusal" | "internal";

interface ErrorEntry {
  readonly family: ErrorFamily;
  /** One line: what happened. */
  readonly summary: string;
  /** One line: what to do about it. */
  readonly remedy: string;
}

const entry = (family: ErrorFamily, summary: string, remedy: string): ErrorEntry => ({
  family,
  summary,
  remedy,
});

export const errorTable = {
  // Configuration and usage
  USAGE: entry("config", "the command line is not understood", "see the command's --help"),
  INTERRUPTED: entry(
    "config",
    "the command was interrupted",
    "give it again: what runs elsewhere continues without it",
  ),
  CONFIG_INVALID: entry(
    "config",
    "a configuration file or option is wrong",
    "correct the key that the message names",
  ),
  STATE_MISSING: entry(
    "config",
    "the state folder lacks what this command needs",
    "run the command that makes it (init, enroll), or point --state at the right folder",
  ),
  STATE_LOCKED: entry(
    "config",
    "another process uses this state folder",
    "stop the other process, or use a folder of its own",
  ),
  STORE_LOST: entry(
    "config",
    "the connection to the database was lost while something was written, and the process has stopped",
    "start it again once the database answers; it continues from what is stored",
  ),
  DISK_FULL: entry(
    "config",
    "the disk that a process keeps its state on is full, or has less room than it keeps in reserve",
    "free space there, or give the folder a larger disk or quota; what waits continues by itself then",
  ),
  BACKUP_INVALID: entry(
    "config",
    "a backup is damaged, not whole, encrypted under another passphrase, or none",
    "use another backup, or the passphrase of this one",
  ),
  PORT_IN_USE: entry(
    "config",
    "the address to listen on is taken",
    "choose another port, or 0 for a free one",
  ),
  UNREACHABLE: entry(
    "config",
    "the process at the given address does not answer",
    "check that it runs and that the address is right",
  ),
  PROXY_FAILED: entry(
    "config",
    "the proxy on the way does not let the connection through",
    "check `proxy:` in config.yaml or HTTPS_PROXY; `consilium doctor` says what to ask the network team for",
  ),
  TLS_INTERCEPTED: entry(
    "config",
    "something on the way answers in the server's place with a certificate of its own",
    "check the address; if it is right, have the network team let the connection pass unopened: `consilium doctor`",
  ),

  // Studies
  STUDY_INVALID: entry(
    "config",
    "the study file is not a valid study",
    "correct the keys that the message lists",
  ),
  STUDY_UNKNOWN: entry("config", "no such study", "list the studies with `consilium study list`"),
  STUDY_STATE: entry(
    "config",
    "the study is not in a state in which this can be done",
    "look at it with `consilium study show`",
  ),

  // Data at a site
  TABLE_UNKNOWN: entry(
    "config",
    "this site has no table of that name",
    "name the table in the site's configuration",
  ),
  TABLE_UNREADABLE: entry(
    "config",
    "the table cannot be read",
    "check the path, the format and the permissions of the file",
  ),
  TABLE_CHANGED: entry(
    "config",
    "the table is not the one that was approved",
    "restore the approved contents, or start the study again",
  ),
  TABLE_EMPTY: entry(
    "config",
    "the table holds no columns at all",
    "check that the file was written completely",
  ),
  COLUMN_MISSING: entry(
    "config",
    "a declared column is not in the table",
    "correct the column's name in the study or the table",
  ),
  COLUMN_AMBIGUOUS: entry(
    "config",
    "a declared column is in the table more than once",
    "give the table's columns names that differ",
  ),
  COLUMN_TYPE: entry(
    "config",
    "a value is not of the declared type",
    "correct the row that the message names, or declare the column categorical",
  ),
  VALUE_NOT_FINITE: entry(
    "config",
    "a value is NaN or infinite",
    "correct the row that the message names, or declare a rule for missing values",
  ),
  VALUE_MISSING: entry(
    "config",
    "a value is missing and no rule says what to do",
    "declare `missing:` for the column, or fill the value",
  ),
  LEVEL_UNDECLARED: entry(
    "config",
    "a categorical value is not among the declared levels",
    "declare the level in the study, or correct the row that the message names",
  ),
  ROWS_TOO_FEW: entry(
    "refusal",
    "this site has too few usable rows to take part",
    "check `consilium site profile`; the details stay at the site",
  ),
  ROWS_TOO_MANY: entry(
    "refusal",
    "the table has more rows than the study declares",
    "raise participation.maxRowsPerSite in the study",
  ),
  COLUMN_CONSTANT: entry(
    "refusal",
    "a feature has one value only at this site",
    "leave the feature out, or widen the table; the details stay at the site",
  ),

  // Policy and approval
  POLICY_INVALID: entry(
    "config",
    "the hospital's policy file cannot be read, so no study is judged",
    "correct the lines that the message names; the file is read again by itself",
  ),
  POLICY_CHANGED: entry(
    "refusal",
    "the policy file is not the one that was edited",
    "look at what it says now, and make the change again",
  ),
  POLICY_UNWRITABLE: entry(
    "config",
    "the agent cannot write the policy file",
    "let the user that runs the agent write the state folder, or edit the file where it comes from",
  ),
  POLICY_ANALYSIS: entry(
    "refusal",
    "this site does not take part in analyses of this kind",
    "add the analysis to analyses in the site's policy.yaml",
  ),
  POLICY_NO_PRIVACY: entry(
    "refusal",
    "this site does not take part without privacy",
    "set allowNoPrivacy: true in the site's configuration, for public data only",
  ),
  POLICY_VARIANT: entry(
    "refusal",
    "this site does not take part in studies whose privacy is claimed but not proved, or proved where it wants the other",
    "add the variant to variants in the site's policy.yaml",
  ),
  METHODS_MISSING: entry(
    "refusal",
    "this site has no methods of the study's variant installed",
    "install the package methods-paper at the site and allow the variant in its policy.yaml, or run a sound study",
  ),
  POLICY_COLUMN: entry(
    "refusal",
    "the study names a column that this site does not open to studies",
    "leave the column out, or change columns in the site's policy.yaml",
  ),
  POLICY_EPSILON: entry(
    "refusal",
    "the study costs more epsilon than this site allows for one study",
    "lower privacy.epsilon, or raise perStudy.epsilon in the site's policy.yaml",
  ),
  POLICY_DELTA: entry(
    "refusal",
    "the study's delta is greater than this site allows for one study",
    "lower privacy.delta, or raise perStudy.delta in the site's policy.yaml",
  ),
  POLICY_UNIT: entry(
    "refusal",
    "the study protects another unit of privacy than this site has declared for the table",
    "name the site's own patient column with at most its number of rows in the study, or declare the table's unit in the site's config.yaml",
  ),
  POLICY_POPULATION: entry(
    "config",
    "the hospital's policy names populations, and the study's table belongs to none of them",
    "add the table to a population of the site's policy.yaml, or declare a population default",
  ),
  POLICY_SITES: entry(
    "refusal",
    "the study may run with fewer sites than this one asks for",
    "raise participation.minimumSites, or lower minimumSites in the site's policy.yaml",
  ),
  POLICY_SCHEDULE: entry(
    "refusal",
    "the hospital answers at set times, too far apart for the study's deadlines",
    "raise participation.phaseDeadline in the study, or change answerOn in the site's policy",
  ),
  POLICY_COLLUDING: entry(
    "refusal",
    "the study withstands fewer colluding sites than this one asks for",
    "raise participation.tolerateColluding, or lower tolerateColluding in the site's policy.yaml",
  ),
  POLICY_ROWS: entry(
    "refusal",
    "the study can use fewer of this site's rows than the policy asks for",
    "lower minimumRows in the site's policy.yaml; the details stay at the site",
  ),
  REFUSED_BY_SITE: entry(
    "refusal",
    "a person at the site has refused the study",
    "ask the hospital; the reason stays there",
  ),
  OFFERS_TOO_MANY: entry(
    "refusal",
    "the site takes no more studies for now: too many were offered within a day, wait for a person, or are under way",
    "start the study again later; the hospital can raise `offers` in its config.yaml",
  ),
  APPROVAL_LATE: entry(
    "refusal",
    "the time to join the study is over",
    "ask the operator to resume the study or to start it again, with a longer participation.joinDeadline",
  ),
  PREFLIGHT_FAILED: entry(
    "refusal",
    "the site's own check of its table failed",
    "the hospital sees the reason in its log and with `consilium site status`",
  ),

  // The hospital's ledger
  BUDGET_EXHAUSTED: entry(
    "refusal",
    "the population's privacy budget does not allow the study",
    "lower the study's epsilon, or ask the hospital's data committee for a larger budget",
  ),
  LEDGER_BROKEN: entry(
    "internal",
    "the ledger was changed: an entry does not hold",
    "restore the state folder from a backup; `consilium ledger verify` names the entry",
  ),
  LEDGER_BEHIND: entry(
    "refusal",
    "this copy of the ledger is older than what was spent",
    "restore the newest backup, or charge the difference: `consilium ledger reconcile`",
  ),
  LEDGER_HEAD_INVALID: entry(
    "peer",
    "a head of this site's ledger was shown that is not this site's",
    "report it: the aggregator must return heads as it got them",
  ),

  // Identity
  TOKEN_INVALID: entry(
    "peer",
    "the invitation token is not one of this federation's",
    "ask the operator for a new one: `consilium invite`",
  ),
  TOKEN_EXPIRED: entry(
    "peer",
    "the invitation token has expired",
    "ask the operator for a new one: `consilium invite`",
  ),
  TOKEN_USED: entry(
    "peer",
    "the invitation token has been used",
    "ask the operator for a new one: `consilium invite`",
  ),
  TOKEN_WITHDRAWN: entry(
    "peer",
    "the invitation was withdrawn, or replaced by a newer one",
    "use the newest token, or ask the operator for a new one: `consilium invite`",
  ),
  SITE_ENROLLED: entry(
    "config",
    "the site is enrolled already, and this would replace its key",
    "for a site that lost its key, `consilium invite <site> --replace`; for one that kept it, `--same-key`",
  ),
  INVITATION_OPEN: entry(
    "config",
    "the site has an open invitation already",
    "withdraw it with `consilium invitation withdraw <site>`, or replace it with `consilium invite <site> --replace`",
  ),
  IDENTITY_REPLACED: entry(
    "peer",
    "the site has enrolled with another signing key, and the aggregator refuses this one",
    "if nobody at this hospital enrolled again, report it to the operator at once; to come back with this key and this " +
      "ledger, ask for `consilium invite <site> --replace`, stop the agent, and run `consilium site enroll` with the new " +
      "token and this state folder",
  ),
  AUTHORITY_MISMATCH: entry(
    "peer",
    "the server's certificate is not of the federation that was pinned",
    "check the address; if it is right, somebody intercepts the connection",
  ),
  CERTIFICATE_MISSING: entry(
    "peer",
    "this call needs a client certificate",
    "enrol first: `consilium site enroll`",
  ),
  CERTIFICATE_INVALID: entry(
    "peer",
    "the client certificate is not of this federation or has expired",
    "enrol again with a new token",
  ),
  SITE_EXPELLED: entry(
    "peer",
    "this site has been expelled from the federation",
    "speak to the federation's operator",
  ),
  REVOCATIONS_INVALID: entry(
    "peer",
    "the list of expelled sites is not signed by this federation's authority",
    "report it: the aggregator must not change the list",
  ),
  REVOCATIONS_STALE: entry(
    "peer",
    "a list of expelled sites came that is older than the one already known",
    "report it: the list only grows; an old one would readmit an expelled site",
  ),
  REVOCATIONS_UNCONFIRMED: entry(
    "peer",
    "the aggregator has not confirmed recently that the list of expelled sites is the newest",
    "wait until the agent is connected; if it is, report it to the operator: the aggregator may be holding back a newer list",
  ),
  REVOCATIONS_EXPIRED: entry(
    "peer",
    "the list of expelled sites is past its date of renewal",
    "ask the operator to have it signed again: `consilium expelled renew`",
  ),
  NOT_PERMITTED: entry("peer", "this peer may not make this call", "use the identity that the call is for"),
  ADDRESS_UNKNOWN: entry(
    "config",
    "nothing answers at this address of the process, or not by this method",
    "check the address, and that both sides have the same version",
  ),
  UNAUTHENTICATED: entry(
    "peer",
    "the request carries no valid session or token",
    "sign in; a program passes a token: the file that `consilium init` wrote, or one of `consilium token add`",
  ),

  // Accounts and sign-in
  SIGN_IN_FAILED: entry(
    "refusal",
    "name and password, or the token, are not right",
    "try again; an operator or administrator makes a link to set a new password: `consilium account link`",
  ),
  SIGN_IN_BUSY: entry(
    "refusal",
    "more people sign in at this moment than passwords can be checked",
    "wait a few seconds, then try again",
  ),
  CROSS_SITE: entry(
    "peer",
    "a page of another origin made this request, or one that does not know the session",
    "open the page at its own address and load it again",
  ),
  HOST_UNKNOWN: entry(
    "config",
    "the page was asked for by a name that is not one of its own",
    "open it by localhost, or add the name to console.hosts in config.yaml",
  ),
  LINK_INVALID: entry(
    "config",
    "the one-time link has been used or has expired",
    "make another: `consilium account link`",
  ),
  ACCOUNT_UNKNOWN: entry("config", "there is no such account", "list them: `consilium account list`"),
  ACCOUNT_EXISTS: entry("config", "there is an account of this name", "choose another name"),
  ACCOUNT_LAST: entry(
    "config",
    "this is the last account that may do everything",
    "make another one first: `consilium account add`",
  ),
  API_TOKEN_UNKNOWN: entry("config", "there is no such token", "list them: `consilium token list`"),
  OIDC_FAILED: entry(
    "config",
    "the identity provider did not sign anybody in",
    "try again; if it persists, look at the process's log and compare config.yaml with the provider's settings",
  ),

  // Wire
  PROTOCOL_VERSION: entry(
    "peer",
    "the two sides speak no common protocol version",
    "upgrade the side that the message names",
  ),
  FIELD_INVALID: entry(
    "peer",
    "a field of a message is missing, malformed or over its limit",
    "upgrade the sender; if it persists, report it",
  ),
  MESSAGE_TOO_LARGE: entry(
    "peer",
    "a message is over its size limit",
    "upgrade the sender; if it persists, report it",
  ),
  RATE_LIMITED: entry(
    "peer",
    "messages or requests come faster than they are taken",
    "wait a minute, then continue; a program that asks should ask less often",
  ),
  MESSAGE_UNEXPECTED: entry(
    "peer",
    "a message came that this state does not allow",
    "nothing: it was ignored; if it persists, report it",
  ),
  UPLOAD_ORDER: entry(
    "peer",
    "a chunk does not continue what was received",
    "nothing: the sender resumes from the acknowledged offset",
  ),
  UPLOAD_TRUNCATED: entry(
    "peer",
    "an upload ended before its declared length",
    "nothing: the sender resumes",
  ),
  UPLOAD_HASH: entry(
    "peer",
    "an upload does not have its declared hash",
    "nothing: the sender starts it again",
  ),
  UPLOAD_CHANGED: entry(
    "peer",
    "a different upload came for what was already received",
    "report it: a site must never answer the same request twice differently",
  ),
  UPLOAD_LENGTH: entry(
    "peer",
    "an upload does not have the planned length",
    "upgrade the sender; if it persists, report it",
  ),

  // Protocol checks at the site
  STUDY_HASH: entry(
    "peer",
    "the study's text and its hash do not match",
    "report it: the aggregator must not change a study",
  ),
  PLAN_DIFFERS: entry(
    "peer",
    "aggregator and site do not read the study alike",
    "run the same version on both sides; if they are the same, report it",
  ),
  ROSTER_INVALID: entry(
    "peer",
    "the roster of sites does not verify",
    "report it: the aggregator must not change a roster",
  ),
  ROSTER_UNPINNED: entry(
    "refusal",
    "too few of the sites that take part are ones whose keys this site has pinned",
    "invite the pinned members too, or add the others under members in the site's policy.yaml",
  ),
  ROSTER_TOO_SMALL: entry(
    "refusal",
    "too few sites take part",
    "invite more sites, or wait until they are online",
  ),
  BROADCAST_CHANGED: entry(
    "peer",
    "the aggregator sent two different broadcasts for one stage",
    "report it: a stage has one broadcast",
  ),
  BROADCAST_INVALID: entry(
    "peer",
    "the aggregator broadcast what the study's method never asks of a site",
    "report it: the site has answered nothing",
  ),
  SEAL_BROKEN: entry(
    "peer",
    "a sealed message between sites does not open",
    "report it: it was changed on the way, or meant for another",
  ),
  COMMITMENT_BROKEN: entry(
    "peer",
    "a site's revealed share of the seed is not the one it committed to",
    "report it: start the study again without that site",
  ),

  // Secure sums
  KEYS_INVALID: entry(
    "peer",
    "the list of keys for a sum is not one that the sites signed",
    "report it: somebody changed keys on the way",
  ),
  SHARES_INVALID: entry(
    "peer",
    "shares of a sum's secrets are missing, not signed, or not the ones asked for",
    "report it: the software of the named site or of the aggregator is at fault",
  ),
  SUM_THRESHOLD: entry(
    "refusal",
    "fewer sites than a sum's threshold take part, or the threshold does not protect this site",
    "bring more sites back and start another attempt, or lower participation.tolerateColluding",
  ),
  TRANSCRIPT_DIFFERS: entry(
    "peer",
    "sites were shown different keys, sharers or broadcasts for one sum",
    "report it: nothing was revealed",
  ),
  SURVIVORS_INVALID: entry(
    "peer",
    "the list of survivors of a sum is not one that can be answered",
    "report it: the aggregator's software is at fault; nothing was revealed",
  ),
  SURVIVORS_CHANGED: entry(
    "peer",
    "another list of survivors than the one that was signed or answered before",
    "report it: two lists would show the difference; start another attempt or study",
  ),
  SUM_REPLAYED: entry(
    "peer",
    "a step of a sum came again, or out of order",
    "nothing, if the sum continued; otherwise start another attempt",
  ),
  UNMASK_FAILED: entry(
    "peer",
    "the secrets of the named site cannot be joined from the shares that came",
    "start another attempt; leave the named site out if it happens again",
  ),

  // Rounds
  PHASE_DEADLINE: entry(
    "refusal",
    "a phase's deadline passed with sites missing",
    "bring the named sites back, then `consilium study resume`",
  ),
  SUM_IMPLAUSIBLE: entry(
    "peer",
    "a sum is not one that honest sites can send",
    "raise participation.maxRowsPerSite if a hospital may have more rows; else ask the sites to check their software",
  ),
  STUDY_CANCELLED: entry("refusal", "the study was cancelled", "start it again when you wish"),
  SITE_FAILED: entry(
    "refusal",
    "a site could not continue with the study",
    "ask the named site to look at its log; then `consilium study resume`",
  ),

  // Releases
  RELEASE_UNKNOWN: entry(
    "config",
    "no such release or file",
    "list the releases with `consilium release list`",
  ),
  RELEASE_CORRUPT: entry(
    "peer",
    "the release is not what its certificate says",
    "do not use it; get it again, and report it if it persists",
  ),
  CERTIFICATE_EPSILON: entry(
    "peer",
    "a certificate's privacy is not what its events add up to",
    "do not rely on it, and report it: the aggregator and the sites signed something false",
  ),
  COUNTERSIGNATURE_INVALID: entry(
    "peer",
    "countersignatures of the sites are wrong or too few",
    "do not rely on it, and report it: the sites did not say what the certificate says",
  ),
  STATEMENT_INVALID: entry(
    "peer",
    "the statement that the aggregator asks a site to sign is not true by the site's own records",
    "report it: the aggregator must not misstate a study; `consilium ledger show` has what was charged",
  ),
  DEPOSIT_INVALID: entry(
    "peer",
    "the deposit of a release is incomplete or malformed",
    "nothing: the aggregator deposits again",
  ),
  PUBLISHER_UNREACHABLE: entry(
    "config",
    "the publisher does not answer",
    "start it; the aggregator deposits again by itself",
  ),

  METHOD_REFUSED: entry(
    "internal",
    "a method answers otherwise than its study says; it was found before a record was read",
    "report it with the study: nothing was charged for the step",
  ),
  INTERNAL: entry("internal", "a fault of Consilium's own", "report it with the process's log"),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorTable;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorTable, text);
}

/**
 * An error with a stable code. `message` names what, where and the numbers; the remedy comes from the table
 * unless the place that raises it knows a better one.
 */
export class ConsiliumError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string;

  constructor(code: ErrorCode, message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ConsiliumError";
    this.code = code;
    this.remedy = options.remedy ?? errorTable[code].remedy;
  }

  get family(): ErrorFamily {
    return errorTable[this.code].family;
  }

  /** `[CODE] what, where and numbers. Remedy.` */
  describe(): string {
    const remedy = this.remedy.charAt(0).toUpperCase() + this.remedy.slice(1);
    return `[${this.code}] ${this.message.replace(/\.$/, "")}. ${remedy}${remedy.endsWith("?") ? "" : "."}`;
  }
}

/**
 * Makes any thrown value a ConsiliumError: a refusal of the secure sum keeps its code, unknown values become INTERNAL
 * with the cause kept for the log.
 */
export function toConsiliumError(thrown: unknown): ConsiliumError {
  if (thrown instanceof ConsiliumError) return thrown;
  if (thrown instanceof SumError) {
    return new ConsiliumError(thrown.code, thrown.message, { remedy: thrown.remedy });
  }
  return new ConsiliumError("INTERNAL", "an unexpected fault", { cause: thrown });
}

/** The value of a result of the secure sum, or its refusal thrown as a ConsiliumError. */
export function unwrapSum<T>(result: Result<T, SumError>): T {
  if (result.ok) return result.value;
  throw toConsiliumError(result.error);
}

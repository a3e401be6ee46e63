import { SumError } from "@consilium/secure-sum/errors";
import type { Result } from "./result.js";

/**
 * Every failure of Consilium has a stable code, a family that says who must act, and a remedy.
 * The documentation's page of error codes is made from this table.
 *
 * No message may hold a record's value: numbers in messages are counts, sizes, limits and row numbers.
 */

/** Who must act: the person who configured it, the other side of a connection, nobody (a normal "no"), or us. */
export type ErrorFamily = "config" | "peer" | "refusal" | "internal";

interface ErrorEntry {
  readonly family: ErrorFamily;
  /** One line: what to do about it. */
  readonly remedy: string;
}

const config = (remedy: string) => ({ family: "config", remedy }) as const;
const peer = (remedy: string) => ({ family: "peer", remedy }) as const;
const refusal = (remedy: string) => ({ family: "refusal", remedy }) as const;
const internal = (remedy: string) => ({ family: "internal", remedy }) as const;

/** What each means is in `errorSummaries.ts`. */
export const errorTable = {
  // Configuration and usage
  USAGE: config("see the command's --help"),
  INTERRUPTED: config("give it again: what runs elsewhere continues without it"),
  CONFIG_INVALID: config("correct the key that the message names"),
  STATE_MISSING: config("run the command that makes it (init, enroll), or point --state at the right folder"),
  STATE_LOCKED: config("stop the other process, or use a folder of its own"),
  STORE_LOST: config("start it again once the database answers; it continues from what is stored"),
  STORE_FENCED: config("start it again: it stands by until the process that took over ends"),
  DISK_FULL: config("free space there, or enlarge its disk or quota; what waits then continues by itself"),
  BACKUP_INVALID: config("use another backup, or the passphrase of this one"),
  PORT_IN_USE: config("choose another port, or 0 for a free one"),
  UNREACHABLE: config("check that it runs and that the address is right"),
  AGGREGATOR_STANDBY: config("use the active aggregator's address; sites try the next one by themselves"),
  PROXY_FAILED: config(
    "check `proxy:` in config.yaml or HTTPS_PROXY; `consilium doctor` says what to ask the network team for",
  ),
  TLS_INTERCEPTED: config(
    "check the address; if it is right, have the network team let the connection pass unopened: `consilium doctor`",
  ),

  // Studies
  STUDY_INVALID: config("correct the keys that the message lists"),
  STUDY_UNKNOWN: config("list the studies with `consilium study list`"),
  STUDY_STATE: config("look at it with `consilium study show`"),

  // Data at a site
  TABLE_UNKNOWN: config("name the table in the site's configuration"),
  TABLE_AWAY: config(
    "bring the file, share or database of the table back: check its path, permissions and address",
  ),
  TABLE_UNREADABLE: config("check the path, the format and the permissions of the file"),
  DATABASE_LOST: config("check that the database runs and can be reached; start the study again"),
  TABLE_CHANGED: config("restore the approved contents, or start the study again"),
  OMOP_PLAN_MISSING: config("write an `omop:` block into the study, or name a table that has its columns"),
  QUERY_INVALID: config("correct the table's query in the site's configuration"),
  QUERY_FAILED: config("write the table's query so that it takes any value: with TRY_CAST"),
  VIEW_INVALID: config("correct the view definition at the path that the message names"),
  TABLE_LEFT_OUT: config(
    "state the table's `encoding`, correct the names in its header, or name its columns with `csv.names`",
  ),
  TABLE_EMPTY: config("check that the file was written completely"),
  ENGINE_UNSUITABLE: refusal(
    "set `engine: none` for the table in the site's configuration, or run a sound method that adds up over rows",
  ),
  ENGINE_FAILED: internal(
    "see the agent's log and the machine's memory; with `engine: none` the agent computes the table itself",
  ),
  ENGINE_UNREACHABLE: internal(
    "check that the cluster of the table's engine runs, has room and accepts the agent's sign-in; `consilium doctor` tries it",
  ),
  ENGINE_INCOMPLETE: config("install on the cluster what the message names; `consilium doctor` looks again"),
  ENGINE_UNSAFE: config("remove the settings that the message names from the cluster's configuration"),
  ENGINE_VERSION: config(
    "install one version of the site agent, its fold worker and the door to its tables with it, and start it",
  ),
  COLUMN_MISSING: config("correct the column's name in the study or the table"),
  COLUMN_AMBIGUOUS: config("give the table's columns names that differ"),
  COLUMN_TYPE: config("correct the row that the message names, or declare the column categorical"),
  VALUE_NOT_FINITE: config("correct the row that the message names, or declare a rule for missing values"),
  VALUE_MISSING: config("declare `missing:` for the column, or fill the value"),
  LEVEL_UNDECLARED: config("declare the level in the study, or correct the row that the message names"),
  ROWS_TOO_FEW: refusal("check `consilium site profile`; the details stay at the site"),
  ROWS_TOO_MANY: refusal("raise participation.maxRowsPerSite in the study"),
  COLUMN_CONSTANT: refusal("leave the feature out, or widen the table; the details stay at the site"),

  // Policy and approval
  POLICY_INVALID: config("correct the lines that the message names; the file is read again by itself"),
  POLICY_CHANGED: refusal("look at what it says now, and make the change again"),
  POLICY_UNWRITABLE: config(
    "let the user that runs the agent write the state folder, or edit the file where it comes from",
  ),
  POLICY_ANALYSIS: refusal("add the analysis to analyses in the site's policy.yaml"),
  POLICY_NO_PRIVACY: refusal("set allowNoPrivacy: true in the site's configuration, for public data only"),
  POLICY_VARIANT: refusal("add the variant to variants in the site's policy.yaml"),
  METHODS_MISSING: refusal(
    "install the package methods-paper at the site and allow the variant in its policy.yaml, or run a sound study",
  ),
  POLICY_COLUMN: refusal("leave the column out, or change columns in the site's policy.yaml"),
  POLICY_EPSILON: refusal("lower privacy.epsilon, or raise perStudy.epsilon in the site's policy.yaml"),
  POLICY_DELTA: refusal("lower privacy.delta, or raise perStudy.delta in the site's policy.yaml"),
  POLICY_UNIT: refusal(
    "name the site's own patient column with at most its number of rows in the study, or declare the table's unit in the site's config.yaml",
  ),
  POLICY_POPULATION: config("add the table to a population of the site's policy.yaml, or declare a default"),
  POLICY_SITES: refusal("raise participation.minimumSites, or lower minimumSites in the site's policy.yaml"),
  POLICY_REQUEST: refusal("state it under request in the study, or change requires in the site's policy"),
  POLICY_SCHEDULE: refusal("raise the study's participation.phaseDeadline, or change the policy's answerOn"),
  POLICY_COLLUDING: refusal(
    "raise participation.tolerateColluding, or lower tolerateColluding in the site's policy.yaml",
  ),
  POLICY_PER_HOSPITAL: refusal(
    "leave levels and conditions that are hospitals out of the study, or set figures.perHospital in the site's policy.yaml",
  ),
  POLICY_ROWS: refusal("lower minimumRows in the site's policy.yaml; the details stay at the site"),
  REFUSED_BY_SITE: refusal("ask the hospital; the reason stays there"),
  INVITATION_INVALID: peer(
    "upgrade the older of aggregator and site, then start the study again; the site's log names the field",
  ),
  OFFERS_TOO_MANY: refusal("start the study again later; the hospital can raise `offers` in its config.yaml"),
  APPROVAL_LATE: refusal(
    "ask the operator to resume the study or to start it again, with a longer participation.joinDeadline",
  ),
  APPROVAL_SECOND: refusal(
    "ask another approver: this hospital's policy wants two people to approve a study",
  ),
  APPROVAL_CHANGED: refusal(
    "load the page again, or give the command again, with the version of the site agent: it shows the study as it is now",
  ),
  PREFLIGHT_FAILED: refusal("the hospital sees the reason in its log and with `consilium site status`"),

  // The hospital's ledger
  BUDGET_EXHAUSTED: refusal(
    "lower the study's epsilon, or ask the hospital's data committee for a larger budget",
  ),
  CEILING_REACHED: refusal(
    "ask the hospital to approve the study again with `consilium site approve`, then `consilium study resume`",
  ),
  LEDGER_BROKEN: internal("restore a backup of the state folder; `consilium ledger verify` names the entry"),
  LEDGER_BEHIND: refusal("restore the newest backup, or charge the difference: `consilium ledger reconcile`"),
  LEDGER_HEAD_INVALID: peer("report it: the aggregator must return heads as it got them"),

  // Identity
  TOKEN_INVALID: peer("ask the operator for a new one: `consilium invite`"),
  TOKEN_EXPIRED: peer("ask the operator for a new one: `consilium invite`"),
  TOKEN_USED: peer("ask the operator for a new one: `consilium invite`"),
  TOKEN_WITHDRAWN: peer("use the newest token, or ask the operator for a new one: `consilium invite`"),
  SITE_ENROLLED: config(
    "for a site that lost its key, `consilium invite <site> --replace`; for one that kept it, `--same-key`",
  ),
  INVITATION_OPEN: config(
    "withdraw it with `consilium invitation withdraw <site>`, or replace it with `consilium invite <site> --replace`",
  ),
  IDENTITY_REPLACED: peer(
    "if nobody at this hospital enrolled again, report it to the operator at once; to come back with this key and this " +
      "ledger, ask for `consilium invite <site> --replace`, stop the agent, and run `consilium site enroll` with the new " +
      "token and this state folder",
  ),
  AUTHORITY_MISMATCH: peer("check the address; if it is right, somebody intercepts the connection"),
  CERTIFICATE_MISSING: peer("enrol first: `consilium site enroll`"),
  CERTIFICATE_INVALID: peer(
    "compare the two machines' clocks first; a site's certificate that has expired renews itself for 60 days while its agent " +
      "runs, and after that the site enrols again with an invitation for the same key",
  ),
  SITE_EXPELLED: peer("speak to the federation's operator"),
  REVOCATIONS_INVALID: peer("report it: the aggregator must not change the list"),
  REVOCATIONS_STALE: peer("report it: the list only grows; an old one would readmit an expelled site"),
  REVOCATIONS_UNCONFIRMED: peer(
    "wait until the agent is connected; if it is, report it to the operator: the aggregator may be holding back a newer list",
  ),
  REVOCATIONS_EXPIRED: peer("ask the operator to have it signed again: `consilium expelled renew`"),
  NOT_PERMITTED: peer("use the identity that the call is for"),
  ADDRESS_UNKNOWN: config("check the address, and that both sides have the same version"),
  UNAUTHENTICATED: peer(
    "sign in; a program passes a token: the file that `consilium init` wrote, or one of `consilium token add`",
  ),

  // Accounts and sign-in
  SIGN_IN_FAILED: refusal(
    "try again; an operator or administrator makes a link to set a new password: `consilium account link`",
  ),
  SIGN_IN_BUSY: refusal("wait a few seconds, then try again"),
  CROSS_SITE: peer("open the page at its own address and load it again"),
  HOST_UNKNOWN: config("open it by localhost, or add the name to console.hosts in config.yaml"),
  LINK_INVALID: config("make another: `consilium account link`"),
  ACCOUNT_UNKNOWN: config("list them: `consilium account list`"),
  ACCOUNT_EXISTS: config("choose another name"),
  ACCOUNT_LAST: config("make another one first: `consilium account add`"),
  API_TOKEN_UNKNOWN: config("list them: `consilium token list`"),
  OIDC_FAILED: config(
    "try again; if it persists, look at the process's log and compare config.yaml with the provider's settings",
  ),

  // Wire
  PROTOCOL_VERSION: peer("upgrade the side that the message names"),
  PROTOCOL_DOWNGRADED: peer(
    "ask the operator, by another way, whether older software runs there on purpose; if it does, " +
      "`consilium site accept-protocol` with the protocol that the message names first",
  ),
  FIELD_INVALID: peer("upgrade the sender; if it persists, report it"),
  MESSAGE_TOO_LARGE: peer("upgrade the sender; if it persists, report it"),
  RATE_LIMITED: peer("wait a minute, then continue; a program that asks should ask less often"),
  MESSAGE_UNEXPECTED: peer("nothing: it was ignored; if it persists, report it"),
  UPLOAD_ORDER: peer("nothing: the sender resumes from the acknowledged offset"),
  UPLOAD_TRUNCATED: peer("nothing: the sender resumes"),
  UPLOAD_HASH: peer("nothing: the sender starts it again"),
  UPLOAD_CHANGED: peer("report it: a site must never answer the same request twice differently"),
  UPLOAD_LENGTH: peer("upgrade the sender; if it persists, report it"),

  // Protocol checks at the site
  STUDY_NEWER: peer("upgrade the side that refuses it, or start the study without that key"),
  STUDY_RETIRED: refusal(
    "start the study anew with what current software writes; the message says what is retired, and why",
  ),
  STUDY_HASH: peer("report it: the aggregator must not change a study"),
  PLAN_DIFFERS: peer("run the same version on both sides; if they are the same, report it"),
  REPLAY_DIFFERS: internal(
    "run the version again that the study began with: it continues there, and nothing is charged again",
  ),
  ROSTER_INVALID: peer("report it: the aggregator must not change a roster"),
  ROSTER_UNPINNED: refusal(
    "invite the pinned members too, or add the others under members in the site's policy.yaml",
  ),
  ROSTER_TOO_SMALL: refusal("invite more sites, or wait until they are online"),
  BROADCAST_CHANGED: peer("report it: a stage has one broadcast"),
  BROADCAST_INVALID: peer("report it: the site has answered nothing"),
  SEAL_BROKEN: peer("report it: it was changed on the way, or meant for another"),
  COMMITMENT_BROKEN: peer("report it: start the study again without that site"),

  // Secure sums
  KEYS_INVALID: peer("report it: somebody changed keys on the way"),
  SHARES_INVALID: peer("report it: the software of the named site or of the aggregator is at fault"),
  SUM_THRESHOLD: refusal("bring back more sites and try again, or lower participation.tolerateColluding"),
  TRANSCRIPT_DIFFERS: peer("report it: nothing was revealed"),
  SURVIVORS_INVALID: peer("report it: the aggregator's software is at fault; nothing was revealed"),
  SURVIVORS_CHANGED: peer("report it: two lists would show the difference; start another attempt or study"),
  SUM_REPLAYED: peer("nothing, if the sum continued; otherwise start another attempt"),
  UNMASK_FAILED: peer("start another attempt; leave the named site out if it happens again"),

  // Rounds
  PHASE_DEADLINE: refusal("bring the named sites back, then `consilium study resume`"),
  SUM_IMPLAUSIBLE: peer(
    "raise participation.maxRowsPerSite if a hospital may have more rows; else ask the sites to check their software",
  ),
  STUDY_CANCELLED: refusal("start it again when you wish"),
  SITE_FAILED: refusal("ask the named site to look at its log; then `consilium study resume`"),

  // Releases
  RELEASE_UNKNOWN: config("list the releases with `consilium release list`"),
  RELEASE_WITHDRAWN: refusal("do not use it; its page in the catalogue says why"),
  RELEASE_SUPERSEDED: refusal("use the release that supersedes it; its page in the catalogue names it"),
  RELEASE_CORRUPT: peer("do not use it; get it again, and report it if it persists"),
  CERTIFICATE_EPSILON: peer(
    "do not rely on it, and report it: the aggregator and the sites signed something false",
  ),
  COUNTERSIGNATURE_INVALID: peer(
    "do not rely on it, and report it: the sites did not say what the certificate says",
  ),
  STATEMENT_INVALID: peer(
    "report it: the aggregator must not misstate a study; `consilium ledger show` has what was charged",
  ),
  DEPOSIT_INVALID: peer("nothing: the aggregator deposits again"),
  PUBLISHER_UNREACHABLE: config("start it; the aggregator deposits again by itself"),

  METHOD_REFUSED: internal("report it with the study: nothing was charged for the step"),
  RESULT_INCOMPLETE: internal(
    "resume the study under a version that mends it, or accept it without that part",
  ),
  RESULT_FAILED: internal("resume the study under a version that mends it: nothing is charged again"),
  INTERNAL: internal("report it with the process's log"),
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

  constructor(
    code: ErrorCode,
    message: string,
    options: { remedy?: string | undefined; cause?: unknown } = {},
  ) {
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
    // A sentence's line stays as it is: `sayLines` begins it with a capital.
    const remedy = this.remedy.endsWith("}")
      ? this.remedy
      : this.remedy.charAt(0).toUpperCase() + this.remedy.slice(1);
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

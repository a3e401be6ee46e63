/**
 * The closed catalogue of what the services log. A line's message is a key here; the type of the logger refuses every other
 * message, and every field that its event does not list. `docs/EVENTS.md` is generated from this and from `fields.ts`.
 *
 * Categories, types and outcomes are the Elastic Common Schema's.
 */

export type EventService = "aggregator" | "publisher" | "site-agent" | "site-console";

/** `event.category` */
export type EventCategory =
  | "api"
  | "authentication"
  | "configuration"
  | "database"
  | "email"
  | "file"
  | "iam"
  | "intrusion_detection"
  | "network"
  | "package"
  | "process"
  | "session"
  | "web";

/** `event.type` */
export type EventType =
  | "access"
  | "admin"
  | "allowed"
  | "change"
  | "connection"
  | "creation"
  | "deletion"
  | "denied"
  | "end"
  | "error"
  | "info"
  | "protocol"
  | "start"
  | "user";

export type EventLevel = "debug" | "info" | "warn" | "error";

interface CatalogueEntry {
  /** `event.action`: stable, for rules of a SIEM. */
  readonly action: string;
  readonly category: EventCategory;
  readonly type: EventType;
  readonly outcome: "success" | "failure" | "unknown";
  readonly level: EventLevel;
  readonly by: readonly EventService[];
  /** Keys of `fields.ts`. An error's own fields, and `moreInThisMinute`, may come with any event. */
  readonly fields: readonly (keyof typeof import("./fields.js").eventFields)[];
  /** When it is logged. */
  readonly when: string;
  /** The message, where the key is too short to be one: the kind of a line of the audit log. */
  readonly says?: string;
  /** Worth an alert, and why. */
  readonly alert?: string;
}

const everyone = ["aggregator", "publisher", "site-agent", "site-console"] as const;
const servers = ["aggregator", "publisher", "site-console"] as const;
const consoles = ["aggregator", "site-console"] as const;
const agent = ["site-agent"] as const;
const console = ["site-console"] as const;
const aggregator = ["aggregator"] as const;
const publisher = ["publisher"] as const;

/** Of a line of the audit log. */
const audited = ["actor", "study", "site", "detail"] as const;

/** The same without what a person typed. */
const spoken = ["actor", "study", "site"] as const;

const failing = { outcome: "failure", level: "error" } as const;
const warning = { outcome: "failure", level: "warn" } as const;
const done = { outcome: "success", level: "info" } as const;
const progress = { outcome: "success", level: "debug" } as const;

export const events = {
  // ---- every process --------------------------------------------------------------------------------------------
  ready: {
    ...{ action: "service-ready", category: "process", type: "start", ...done, by: everyone },
    fields: ["grpc", "http", "console", "site", "aggregator", "releases", "software", "standby"],
    when: "The process has started and answers.",
  },
  stopping: {
    ...{ action: "service-stopping", category: "process", type: "end", ...done, by: everyone },
    fields: ["reason"],
    when: "The process was asked to stop.",
  },
  stopped: {
    ...{ action: "service-stopped", category: "process", type: "end", ...done, by: everyone, fields: [] },
    when: "Every component has stopped.",
  },
  "shutdown timed out, exiting immediately": {
    ...{ action: "shutdown-timed-out", category: "process", type: "end", ...failing, by: everyone },
    fields: ["step", "deadlineMs"],
    when: "A component did not stop within the deadline.",
  },
  "a component did not stop cleanly": {
    ...{ action: "shutdown-step-failed", category: "process", type: "info", ...failing, by: everyone },
    fields: ["step"],
    when: "A component failed while it stopped; the others were stopped all the same.",
  },
  "second signal, exiting immediately": {
    ...{ action: "shutdown-forced", category: "process", type: "end", ...warning, by: everyone },
    fields: ["signal"],
    when: "A second SIGTERM or SIGINT came while the process stopped.",
  },
  "exiting immediately": {
    ...{ action: "service-aborted", category: "process", type: "end", ...failing, by: everyone },
    fields: ["reason"],
    when: "Continuing would do harm: an active aggregator has lost its store or its lease.",
    alert: "The service is down, or its standby takes over.",
  },
  "cannot send the log; retrying": {
    ...{ action: "log-delivery-failed", category: "network", type: "info", ...warning, by: servers },
    fields: ["destination", "code"],
    when: "The syslog or OTLP receiver does not take lines; logged once until it does again.",
  },
  "the log is sent again": {
    ...{ action: "log-delivery-resumed", category: "network", type: "connection", ...done, by: servers },
    fields: ["destination"],
    when: "The receiver takes lines again.",
  },
  "log lines were dropped": {
    ...{ action: "log-lines-dropped", category: "network", type: "info", ...warning, by: servers },
    fields: ["destination", "dropped"],
    when: "The buffer of lines for a receiver was full; these are in the local log only.",
    alert: "The SIEM has a gap. The local log has the lines.",
  },

  // ---- sign-in and accounts --------------------------------------------------------------------------------------
  "sign-in denied": {
    ...{ action: "sign-in-denied", category: "authentication", type: "info", ...warning, by: servers },
    fields: ["route", "code", "status", "source"],
    when: "A sign-in failed: wrong name or password, too many failures, or no valid answer of the identity provider.",
    alert: "Several within minutes, of one source or over all: somebody guesses passwords.",
  },
  "request denied": {
    ...{ action: "request-denied", category: "web", type: "error", ...warning, by: servers },
    fields: ["route", "code", "status", "source"],
    when: "A request was refused: not permitted for its role, from another site's page, for an unknown host name, or beyond a limit.",
    alert: "CROSS_SITE or HOST_UNKNOWN: a browser of the hospital was led here by another page.",
  },
  "sign-in failed": {
    ...{ action: "sign-in-failed", category: "authentication", type: "info", ...warning, by: consoles },
    fields: audited,
    when: "A wrong password for an account that exists; detail is the account.",
    alert: "Several of one account: somebody guesses its password.",
  },
  "the sign-in through the identity provider failed": {
    ...{
      action: "provider-sign-in-fault",
      category: "authentication",
      type: "info",
      ...failing,
      by: servers,
    },
    fields: [],
    when: "An internal error while a person signed in through the identity provider.",
  },
  "signed in": {
    ...{ action: "signed-in", category: "authentication", type: "start", ...done, by: consoles },
    fields: audited,
    when: "By password, or with a one-time link.",
  },
  "signed in by identity provider": {
    ...{ action: "signed-in-by-provider", category: "authentication", type: "start", ...done, by: consoles },
    fields: audited,
    when: "Through the identity provider.",
  },
  "a reader signed in through the identity provider": {
    ...{ action: "reader-signed-in", category: "authentication", type: "start", ...done, by: publisher },
    fields: ["subject"],
    when: "A reader of releases signed in.",
  },
  "a user of the identity provider has no role here": {
    ...{ action: "role-missing", category: "authentication", type: "info", ...warning, by: consoles },
    fields: ["subject"],
    when: "Somebody signed in at the identity provider, and none of their groups has a role here.",
    alert: "Repeated: a person who should not be here, or a group that is missing in the configuration.",
  },
  "the identity provider rejected the sign-in": {
    ...{ action: "provider-rejected", category: "authentication", type: "info", ...warning, by: servers },
    fields: ["reason"],
    when: "The identity provider's answer was refused.",
  },
  "password changed": {
    ...{
      action: "password-changed",
      category: "iam",
      type: "change",
      ...done,
      by: consoles,
      fields: audited,
    },
    when: "A person changed their password; their other sessions ended.",
  },
  "one-time link made": {
    ...{ action: "one-time-link-made", category: "iam", type: "creation", ...done, by: consoles },
    fields: audited,
    when: "An administrator made a link by which a person makes an account or sets a password.",
  },
  "account added": {
    ...{ action: "account-added", category: "iam", type: "creation", ...done, by: consoles, fields: audited },
    when: "An administrator added an account.",
  },
  "account made by one-time link": {
    ...{ action: "account-made-by-link", category: "iam", type: "creation", ...done, by: consoles },
    fields: audited,
    when: "A person made their account with a one-time link.",
  },
  "account made by identity provider": {
    ...{ action: "account-made-by-provider", category: "iam", type: "creation", ...done, by: consoles },
    fields: audited,
    when: "A person signed in through the identity provider for the first time.",
  },
  "password set by one-time link": {
    ...{ action: "password-set-by-link", category: "iam", type: "change", ...done, by: consoles },
    fields: audited,
    when: "A person set their password with a one-time link.",
  },
  "role changed": {
    ...{ action: "role-changed", category: "iam", type: "change", ...done, by: consoles, fields: audited },
    when: "An administrator, or the identity provider's groups, gave an account another role.",
    alert: "To administrator: confirm that it was intended.",
  },
  "account removed": {
    ...{
      action: "account-removed",
      category: "iam",
      type: "deletion",
      ...done,
      by: consoles,
      fields: audited,
    },
    when: "An administrator removed an account.",
  },
  "token added": {
    ...{ action: "token-added", category: "iam", type: "creation", ...done, by: consoles, fields: audited },
    when: "An API token was made; the token itself is never logged.",
  },
  "token revoked": {
    ...{ action: "token-revoked", category: "iam", type: "deletion", ...done, by: consoles, fields: audited },
    when: "An API token was revoked.",
  },
  "no accounts yet: open the one-time link in the file": {
    ...{ action: "first-link-made", category: "iam", type: "creation", ...done, by: consoles },
    fields: ["file"],
    when: "Nobody has an account: the first run's link is in that file.",
  },
  "the pages' certificate was replaced": {
    ...{
      action: "pages-certificate-replaced",
      category: "configuration",
      type: "change",
      ...done,
      by: console,
    },
    fields: ["notAfter"],
    when: "The files of `console.tls` hold a new certificate, which is served from now on.",
  },
  "the pages' new certificate cannot be used; the former one stays": {
    ...{
      action: "pages-certificate-unusable",
      category: "configuration",
      type: "info",
      ...warning,
      by: console,
    },
    fields: [],
    when: "The files of `console.tls` have changed, and certificate and key cannot be read or do not match.",
    alert: "The pages stop working in browsers when the former certificate expires.",
  },
  "cannot remove the file of the one-time link": {
    ...{
      action: "first-link-kept",
      category: "file",
      type: "deletion",
      ...warning,
      by: consoles,
      fields: [],
    },
    when: "The first account was made, and the used link's file is still there.",
  },
  "dropped accounts of an older copy of the agent's store": {
    ...{ action: "former-accounts-dropped", category: "iam", type: "deletion", ...warning, by: console },
    fields: ["accounts"],
    when: "The agent's store was restored from a copy of a version before the site console.",
  },
  "migrated the accounts from the agent": {
    ...{ action: "accounts-migrated", category: "iam", type: "change", ...done, by: console },
    fields: ["accounts"],
    when: "Once, at the upgrade from a version before the site console.",
  },
  "changed by an administrator": {
    ...{ action: "setting-changed", category: "configuration", type: "change", ...done, by: consoles },
    fields: audited,
    when: "An audited change without an event of its own; detail names the request.",
  },

  // ---- pages -----------------------------------------------------------------------------------------------------
  "request failed": {
    ...{
      action: "request-failed",
      category: "web",
      type: "error",
      ...failing,
      by: servers,
      fields: ["route"],
    },
    when: "An internal error while a request was answered.",
  },
  "event stream ended": {
    ...{ action: "event-stream-failed", category: "web", type: "error", ...failing, by: console, fields: [] },
    when: "A page's live view ended through a fault.",
  },
  "cannot build the overview": {
    ...{ action: "overview-failed", category: "web", type: "error", ...failing, by: aggregator, fields: [] },
    when: "The operator's live overview failed.",
  },
  "cannot build a study's view": {
    ...{ action: "study-view-failed", category: "web", type: "error", ...failing, by: aggregator },
    fields: ["study"],
    when: "The live view of a study failed.",
  },
  "notification not delivered": {
    ...{ action: "notification-failed", category: "email", type: "info", ...warning, by: consoles },
    fields: ["channel", "kind", "state", "fault"],
    when: "A mail server or webhook did not take a message; state says whether it is tried again.",
  },
  "cannot send a notification": {
    ...{
      action: "notification-fault",
      category: "email",
      type: "info",
      ...failing,
      by: consoles,
      fields: [],
    },
    when: "An internal error while a message was sent.",
  },
  "cannot look for events to report": {
    ...{
      action: "notices-failed",
      category: "database",
      type: "error",
      ...warning,
      by: aggregator,
      fields: [],
    },
    when: "The look at sites and studies for notifications failed; it is repeated.",
  },
  "cannot look for studies that wait": {
    ...{ action: "notices-failed", category: "database", type: "error", ...warning, by: console, fields: [] },
    when: "The look at waiting studies for notifications failed; it is repeated.",
  },
  "sent a test notification": {
    ...{
      action: "test-notification",
      category: "email",
      type: "info",
      ...done,
      by: consoles,
      fields: audited,
    },
    when: "A person tried the notifications.",
  },

  // ---- hospital: decisions and policy ----------------------------------------------------------------------------
  "approved the study": {
    ...{ action: "study-approved", category: "configuration", type: "change", ...done, by: console },
    fields: audited,
    when: "A person at the hospital approved a study.",
  },
  "refused the study": {
    ...{ action: "study-refused", category: "configuration", type: "change", ...done, by: console },
    fields: audited,
    when: "A person at the hospital refused a study.",
  },
  "reconciled the ledger": {
    ...{ action: "ledger-reconciled-by-person", category: "database", type: "change", ...done, by: console },
    fields: audited,
    when: "A person charged what an older copy of the ledger lacked.",
    alert: "Confirm that the state folder was restored on purpose.",
  },
  "compacted the ledger": {
    ...{ action: "ledger-compacted-by-person", category: "database", type: "change", ...done, by: console },
    fields: audited,
    when: "A person moved old entries of the ledger to an archive.",
  },
  "named a deputy": {
    ...{ action: "deputy-named", category: "iam", type: "change", ...done, by: console },
    fields: audited,
    when: "A person may decide in another one's place for a time.",
    alert: "Where deputies are not expected.",
  },
  "removed a deputy": {
    ...{ action: "deputy-removed", category: "iam", type: "change", ...done, by: console },
    fields: audited,
    when: "A person may no longer decide in another one's place.",
  },
  "asked the operator": {
    ...{ action: "question-sent", category: "network", type: "info", ...done, by: console },
    fields: spoken,
    when: "An approver asked the operator about a study. The audit log has the text.",
  },
  "answered a question": {
    ...{ action: "question-answered", category: "network", type: "info", ...done, by: consoles },
    fields: spoken,
    when: "The operator answered a hospital's question. The audit log has the text.",
  },
  "asked a question": {
    ...{ action: "question-received", category: "network", type: "info", ...done, by: aggregator },
    fields: spoken,
    when: "A hospital asked about a study. The audit log has the text.",
  },
  "a question was ignored: its id is taken": {
    ...{ action: "question-repeated", category: "network", type: "denied", ...warning, by: aggregator },
    fields: ["site", "study"],
    when: "A site sent another text under the id of a question.",
  },
  "a question was ignored": {
    ...{ action: "question-ignored", category: "network", type: "denied", ...warning, by: aggregator },
    fields: ["site", "study", "isInvited", "held"],
    when: "A site asked about a study that it is not invited to, or too often.",
  },
  "an answer could not be stored": {
    ...{ action: "answer-not-stored", category: "database", type: "error", ...failing, by: agent },
    fields: ["study"],
    when: "It comes again when the agent reconnects.",
  },
  "an answer was ignored: nobody here asked that": {
    ...{ action: "answer-unasked", category: "network", type: "denied", ...warning, by: agent },
    fields: ["study"],
    when: "The aggregator answered what was not asked.",
    alert: "Always: a defect at the aggregator, or a hostile one.",
  },
  "a second, different answer was ignored": {
    ...{ action: "answer-changed", category: "network", type: "denied", ...warning, by: agent },
    fields: ["study"],
    when: "The aggregator answered a question again, in other words.",
    alert: "Always: a defect at the aggregator, or a hostile one.",
  },
  "a question could not be sent again": {
    ...{ action: "question-not-sent", category: "network", type: "info", ...failing, by: agent, fields: [] },
    when: "A question that the aggregator has not confirmed; it is sent when the agent reconnects.",
  },
  "changed the policy": {
    ...{ action: "policy-changed", category: "configuration", type: "change", ...done, by: console },
    fields: audited,
    when: "A person saved another policy.",
    alert: "Every change: the policy says which studies may use the records.",
  },
  "the policy was read": {
    ...{ action: "policy-read", category: "configuration", type: "info", ...done, by: agent },
    fields: ["sha256"],
    when: "At the start and after each change of the file, with its SHA-256.",
    alert: "Without a policy-changed before it: the file was edited outside the console.",
  },
  "there is no policy file: a person approves every study": {
    ...{ action: "policy-absent", category: "configuration", type: "info", ...done, by: agent, fields: [] },
    when: "At the start, or when the file is removed.",
  },
  "the policy is invalid: every study is refused": {
    ...{ action: "policy-invalid", category: "configuration", type: "info", ...failing, by: agent },
    fields: ["reason"],
    when: "The policy file cannot be read or has an error.",
    alert: "The hospital takes part in no study until it is corrected.",
  },

  // ---- hospital: agent -------------------------------------------------------------------------------------------
  "a promise was rejected; why is not shown: it may tell of a record": {
    ...{
      action: "rejection-unhandled",
      category: "process",
      type: "info",
      ...failing,
      by: agent,
      fields: [],
    },
    when: "A defect; the process continues.",
  },
  "the process that reads tables ended": {
    ...{ action: "table-process-ended", category: "process", type: "end", ...warning, by: agent },
    fields: ["exitCode", "signal"],
    when: "By a fault of a driver, for want of memory, or killed. It is started again when a table is asked for.",
    alert: "Where it happens again: a table that cannot be read, or a machine without enough memory.",
  },
  "the tables of the changed config.yaml are served": {
    ...{
      action: "tables-changed",
      category: "configuration",
      type: "change",
      ...done,
      by: agent,
      fields: [],
    },
    when: "Its `tables` or `engines` are others than before. Other keys count from the next start.",
  },
  "config.yaml has changed and cannot be used: the tables stay as they were": {
    ...{ action: "tables-unchanged", category: "configuration", type: "change", ...failing, by: agent },
    fields: ["code", "reason"],
    when: "It has an error, whose place `reason` names. The agent would not start with it.",
    alert: "Correct the file.",
  },
  "unused room in the store was given back to the disk": {
    ...{ action: "store-reclaimed", category: "database", type: "change", ...done, by: agent, fields: [] },
    when: "At the start, after much was removed from the store.",
  },
  "methods could not be loaded": {
    ...{ action: "methods-failed", category: "package", type: "info", ...failing, by: agent, fields: [] },
    when: "A method that the policy allows could not be loaded.",
  },
  "invalid ledger head from the aggregator": {
    ...{
      action: "ledger-head-invalid",
      category: "intrusion_detection",
      type: "info",
      ...failing,
      by: agent,
    },
    fields: ["code"],
    when: "The aggregator returned a ledger head that this site never signed.",
    alert: "Always: the aggregator does not return what it was given.",
  },
  "the ledger is behind its anchor; nothing is spent until it is reconciled": {
    ...{ action: "ledger-behind", category: "database", type: "error", ...failing, by: agent },
    fields: ["code", "ownSequence", "anchorSequence"],
    when: "The ledger is an older copy than the one under which data were sent.",
    alert: "Always: the state folder was restored from an old copy, or rolled back.",
  },
  "the ledger check failed": {
    ...{ action: "ledger-check-failed", category: "database", type: "error", ...failing, by: console },
    fields: ["code", "actor"],
    when: "A person's check of the ledger found that its chain, a signature or an anchor does not hold.",
    alert: "Always: the ledger was changed or damaged.",
  },
  "the ledger was reconciled": {
    ...{ action: "ledger-reconciled", category: "database", type: "change", ...warning, by: agent },
    outcome: "success",
    fields: ["entries", "studiesAbandoned"],
    when: "What the older copy lacked was charged; its studies were abandoned.",
  },
  "the ledger was compacted": {
    ...{ action: "ledger-compacted", category: "database", type: "change", ...done, by: agent },
    fields: ["entries"],
    when: "Old entries of the ledger were moved to an archive.",
  },
  "the state was restored from a backup": {
    ...{ action: "state-restored", category: "database", type: "change", ...warning, by: agent },
    outcome: "success",
    fields: ["studiesAbandoned"],
    when: "The first start after a restore.",
    alert: "Confirm that the restore was intended.",
  },
  "connected to the aggregator": {
    ...{ action: "aggregator-connected", category: "network", type: "connection", ...done, by: agent },
    fields: ["aggregator", "software"],
    when: "The site's one connection is open.",
  },
  "not connected to the aggregator": {
    ...{ action: "aggregator-unreachable", category: "network", type: "info", ...warning, by: agent },
    fields: ["code", "retryMs", "aggregator"],
    when: "The connection was lost or could not be opened; it is tried again.",
    alert:
      "For over an hour: the hospital takes part in nothing. AUTHORITY_MISMATCH: somebody intercepts the connection.",
  },
  "the aggregator refused this site": {
    ...{ action: "aggregator-refused", category: "network", type: "denied", ...failing, by: agent },
    fields: ["code", "reason"],
    when: "The aggregator closed the connection with a code.",
    alert: "SITE_EXPELLED: this hospital was expelled.",
  },
  "malformed message from the aggregator": {
    ...{
      action: "aggregator-malformed",
      category: "intrusion_detection",
      type: "info",
      ...failing,
      by: agent,
    },
    fields: ["code", "reason"],
    when: "A message broke the protocol; the connection was closed.",
    alert: "Always: a version mismatch, or a hostile aggregator.",
  },
  "a message of the aggregator's was refused": {
    ...{ action: "aggregator-message-refused", category: "network", type: "denied", ...failing, by: agent },
    fields: ["what", "study", "code", "reason"],
    when: "A message about a study could not be read; it alone was refused, and the connection stays.",
    alert: "Always: a version mismatch, or a hostile aggregator.",
  },
  "the aggregator refused a message about a study": {
    ...{ action: "message-refused-there", category: "network", type: "denied", ...failing, by: agent },
    fields: ["study", "code", "reason"],
    when: "The aggregator could not read a message of this site's about a study; it alone was refused.",
    alert: "Always: a version mismatch.",
  },
  "a table was left out of the greeting": {
    ...{ action: "table-left-out", category: "configuration", type: "info", ...warning, by: agent },
    fields: ["table", "code", "reason"],
    when: "Names of the table's columns cannot travel; the aggregator is told nothing of the table.",
  },
  "the greeting could not be made": {
    ...{ action: "greeting-failed", category: "network", type: "info", ...failing, by: agent, fields: [] },
    when: "A table could not be described, for example.",
  },
  "a heartbeat could not be logged and was not sent": {
    ...{
      action: "egress-log-failed",
      category: "database",
      type: "error",
      ...failing,
      by: agent,
      fields: [],
    },
    when: "The egress log could not be written; without it nothing is sent.",
  },
  "the certificate could not be renewed yet": {
    ...{ action: "certificate-renewal-failed", category: "iam", type: "info", ...warning, by: agent },
    fields: ["code", "reason"],
    when: "It is tried again until the certificate expires.",
    alert: "For over a day: the site is cut off when the certificate expires.",
  },
  "the certificate was renewed": {
    ...{ action: "certificate-renewed", category: "iam", type: "change", ...done, by: agent },
    fields: ["notAfter"],
    when: "At half of its lifetime.",
  },
  "a request failed": {
    ...{ action: "agent-request-failed", category: "api", type: "info", ...failing, by: agent },
    fields: ["request"],
    when: "An internal error while the console or the command line was answered.",
  },
  "a stage was answered": {
    ...{ action: "stage-answered", category: "network", type: "protocol", ...done, by: agent },
    fields: ["study", "step", "bytes"],
    when: "The site's answer to a stage was charged, stored and handed over; bytes is its size.",
  },
  "a method broke what its step allows; these records were left out": {
    ...{
      action: "contribution-refused",
      category: "intrusion_detection",
      type: "denied",
      ...failing,
      by: agent,
    },
    fields: ["study", "step", "records"],
    when: "The gate refused contributions of a method beyond their bounds; records is how many.",
    alert: "Always: a method does not keep its claim.",
  },
  "request ignored: too many studies are already open": {
    ...{ action: "request-ignored", category: "network", type: "denied", ...warning, by: agent },
    fields: ["study", "what"],
    when: "The aggregator asked for more studies at once than a site works on.",
  },
  "a request could not be handled": {
    ...{ action: "request-unhandled", category: "network", type: "info", ...failing, by: agent },
    fields: ["study", "what"],
    when: "An internal error while the aggregator's request was handled.",
  },
  "a request waits for room on the disk": {
    ...{ action: "disk-full", category: "file", type: "info", ...warning, by: agent },
    fields: ["study", "what", "reason"],
    when: "The disk is full; the request is handled once there is room.",
    alert: "Make room: the study waits.",
  },
  "asked for a step of a study that this site is not in": {
    ...{ action: "step-unknown", category: "network", type: "denied", ...warning, by: agent },
    fields: ["study", "step"],
    when: "The aggregator asked for a step of a study that this site refused or does not know.",
  },
  "an answer was not taken": {
    ...{ action: "answer-stale", category: "network", type: "protocol", ...warning, by: agent },
    fields: ["study", "step", "code", "reason"],
    when: "The aggregator no longer waits for this answer.",
  },
  "a step failed": {
    ...{ action: "step-failed", category: "process", type: "info", ...failing, by: agent },
    fields: ["study", "step"],
    when: "An internal error in a step of a study.",
  },
  "a step was refused": {
    ...{ action: "step-refused", category: "network", type: "denied", ...failing, by: agent },
    fields: ["study", "step", "code", "reason"],
    when: "The site refused a step; the code says why.",
    alert:
      "ROSTER_INVALID, TRANSCRIPT_DIFFERS: equivocation, the aggregator shows sites different things. BUDGET_EXHAUSTED: the privacy budget is used up.",
  },
  "a study ended": {
    ...{ action: "study-ended-at-site", category: "process", type: "end", ...done, by: agent },
    fields: ["study", "outcome"],
    when: "The aggregator reported a study's end; its keys and answers were removed.",
  },
  "an invitation was refused": {
    ...{ action: "invitation-refused", category: "network", type: "denied", ...warning, by: agent },
    fields: ["study", "code", "reason"],
    when: "An offered study could not be read, or its hash does not match.",
  },
  "a study waits for approval": {
    ...{ action: "study-waiting", category: "process", type: "info", ...done, by: agent },
    fields: ["study", "table"],
    when: "The policy allows it, and a person has to decide.",
  },
  "the study could not be judged": {
    ...{ action: "study-judging-failed", category: "process", type: "info", ...failing, by: agent },
    fields: ["study"],
    when: "An internal error while an offered study was judged.",
  },
  "this site does not take part": {
    ...{ action: "study-declined", category: "network", type: "denied", ...warning, by: agent },
    fields: ["study", "code", "reason"],
    when: "Policy, budget, table or roster do not allow the study.",
  },
  "an offered study was not taken": {
    ...{ action: "offer-not-taken", category: "network", type: "denied", ...warning, by: agent },
    fields: ["study", "code", "reason"],
    when: "More studies were offered than the site keeps.",
    alert: "Repeated: the aggregator floods the hospital with studies.",
  },
  "the study was changed after it was offered": {
    ...{ action: "study-changed", category: "intrusion_detection", type: "denied", ...failing, by: agent },
    fields: ["study", "code"],
    when: "A study's text differs from the one that was approved.",
    alert: "Always: equivocation, the aggregator changed a study after a person approved it.",
  },
  "a study could not be approved": {
    ...{ action: "study-approval-failed", category: "process", type: "info", ...failing, by: agent },
    fields: ["study"],
    when: "An internal error while an approved study was joined.",
  },
  "a person refused a study": {
    ...{ action: "study-refused-at-agent", category: "configuration", type: "change", ...done, by: agent },
    fields: ["study"],
    when: "The refusal was sent to the aggregator, without its reason.",
  },
  "joined a study": {
    ...{ action: "study-joined", category: "process", type: "start", ...done, by: agent },
    fields: ["study", "table"],
    when: "The site takes part; what the study costs is reserved in the ledger.",
  },

  // ---- hospital: console -----------------------------------------------------------------------------------------
  "waiting for the site's agent": {
    ...{ action: "agent-awaited", category: "process", type: "info", ...done, by: console, fields: [] },
    when: "The console has started, and no agent answers yet.",
  },
  "the agent's metrics are missing: no answer from the agent": {
    ...{ action: "agent-silent", category: "process", type: "info", ...warning, by: console, fields: [] },
    when: "The agent does not answer the console.",
  },
  "cannot copy the agent's audit log": {
    ...{
      action: "audit-copy-failed",
      category: "database",
      type: "error",
      ...failing,
      by: console,
      fields: [],
    },
    when: "The agent's lines of the audit log stay there and are copied later.",
  },
  "cannot take over the agent's log": {
    ...{
      action: "agent-log-failed",
      category: "network",
      type: "info",
      ...warning,
      by: console,
      fields: [],
    },
    when: "The agent's lines, which the console sends for it, could not be read; it is tried again.",
  },

  // ---- aggregator ------------------------------------------------------------------------------------------------
  "took the lease on the store": {
    ...{ action: "lease-taken", category: "process", type: "change", ...done, by: aggregator },
    fields: ["takeovers", "takenFrom"],
    when: "This aggregator is the active one from here on.",
    alert: "A takeover: the other aggregator is down.",
  },
  "closed a connection to make room for others": {
    ...{
      action: "connection-closed",
      category: "network",
      type: "denied",
      ...warning,
      by: aggregator,
      fields: [],
    },
    when: "More connections than the server holds; those without a certificate go first.",
    alert: "Repeated: a flood of connections.",
  },
  "refused a message": {
    ...{ action: "message-refused", category: "network", type: "denied", ...warning, by: aggregator },
    fields: ["what", "site", "study", "code", "reason"],
    when: "A site's message could not be taken; it alone was refused, and the site stays connected.",
    alert: "Always: a version mismatch, or a hostile site.",
  },
  "refused a call": {
    ...{ action: "call-refused", category: "network", type: "denied", ...warning, by: aggregator },
    fields: ["method", "code", "reason"],
    when: "A site's or a stranger's call was refused.",
    alert: "CERTIFICATE_INVALID or SITE_EXPELLED, repeated: somebody tries a certificate that is not valid.",
  },
  "call failed": {
    ...{ action: "call-failed", category: "network", type: "info", ...failing, by: aggregator },
    fields: ["method"],
    when: "An internal error in a call.",
  },
  "cannot close an upload": {
    ...{
      action: "upload-close-failed",
      category: "file",
      type: "info",
      ...failing,
      by: aggregator,
      fields: [],
    },
    when: "An upload's file could not be closed.",
  },
  "cannot record expired invitations": {
    ...{
      action: "expiry-failed",
      category: "database",
      type: "error",
      ...failing,
      by: aggregator,
      fields: [],
    },
    when: "The events of expired invitations are recorded the next time.",
  },
  "cannot store a sum": {
    ...{ action: "sum-store-failed", category: "database", type: "error", ...failing, by: aggregator },
    fields: ["study", "stage"],
    when: "A finished sum could not be stored.",
  },
  "cannot deposit the release; retrying": {
    ...{ action: "deposit-delayed", category: "network", type: "info", ...warning, by: aggregator },
    fields: ["study"],
    when: "The publisher does not take a finished release.",
  },
  "cannot deliver a withdrawal; retrying": {
    ...{ action: "withdrawal-delayed", category: "network", type: "info", ...warning, by: aggregator },
    fields: ["release"],
    when: "The publisher does not take a withdrawal.",
    alert: "For over an hour: a withdrawn release is still shown.",
  },
  "the files of ended studies could not be looked for": {
    ...{
      action: "study-files-failed",
      category: "file",
      type: "info",
      ...failing,
      by: aggregator,
      fields: [],
    },
    when: "At the start; it is tried at the next one.",
  },
  "the files of an ended study could not be removed": {
    ...{ action: "study-files-kept", category: "file", type: "deletion", ...failing, by: aggregator },
    fields: ["study"],
    when: "They are removed at the next start.",
  },
  "a site revealed inconsistent shares": {
    ...{
      action: "shares-inconsistent",
      category: "intrusion_detection",
      type: "info",
      ...warning,
      by: aggregator,
    },
    fields: ["study", "site", "stage"],
    when: "A site's shares do not fit together.",
    alert: "Always: a defect at that site, or a hostile one.",
  },
  "rejected a site's post": {
    ...{ action: "post-rejected", category: "network", type: "denied", ...warning, by: aggregator },
    fields: ["study", "site", "code", "reason"],
    when: "A message of a site does not fit the secure sum.",
  },
  "rejected piggybacked keys": {
    ...{ action: "keys-rejected", category: "network", type: "denied", ...warning, by: aggregator },
    fields: ["study", "site", "code", "reason"],
    when: "Keys that came with an answer do not fit; they are asked for again.",
  },
  "rejected a site's vector": {
    ...{ action: "vector-rejected", category: "network", type: "denied", ...warning, by: aggregator },
    fields: ["study", "site", "code", "reason"],
    when: "An upload does not fit its step.",
  },
  "rejected a countersignature": {
    ...{
      action: "countersignature-rejected",
      category: "network",
      type: "denied",
      ...warning,
      by: aggregator,
    },
    fields: ["study", "site", "code", "reason"],
    when: "A site's countersignature does not fit the certificate.",
  },
  "a study waits for disk space": {
    ...{ action: "disk-full", category: "file", type: "info", ...warning, by: aggregator },
    fields: ["study", "reason"],
    when: "The disk is full; the study continues once there is room.",
    alert: "Make room: studies wait.",
  },
  "a study resumes after waiting for disk space": {
    ...{ action: "disk-freed", category: "file", type: "info", ...done, by: aggregator, fields: ["study"] },
    when: "There is room again.",
  },
  "a part of a result could not be computed": {
    ...{ action: "part-failed", category: "process", type: "info", ...failing, by: aggregator },
    fields: ["study", "detail"],
    when: "What the detail names of a study's result could not be computed; the rest stands.",
  },
  "the study failed": {
    ...{ action: "study-failed", category: "process", type: "info", ...failing, by: aggregator },
    fields: ["study"],
    when: "An internal error ended a study, or its result could not be computed.",
  },

  // ---- aggregator: audit log -------------------------------------------------------------------------------------
  invited: {
    ...{
      action: "site-invited",
      category: "iam",
      type: "creation",
      ...done,
      by: aggregator,
      fields: audited,
    },
    when: "The operator made an invitation; its secret is never logged.",
    says: "site invited",
  },
  "invitation replaced": {
    ...{ action: "invitation-replaced", category: "iam", type: "change", ...done, by: aggregator },
    fields: audited,
    when: "A newer invitation of the site took its place.",
  },
  "invitation withdrawn": {
    ...{ action: "invitation-withdrawn", category: "iam", type: "deletion", ...done, by: aggregator },
    fields: audited,
    when: "The operator withdrew an invitation.",
  },
  "invitation expired": {
    ...{ action: "invitation-expired", category: "iam", type: "deletion", ...done, by: aggregator },
    fields: audited,
    when: "Nobody used it in time.",
  },
  enrolled: {
    ...{
      action: "site-enrolled",
      category: "iam",
      type: "creation",
      ...done,
      by: aggregator,
      fields: audited,
    },
    when: "A site used its invitation and has a certificate.",
    says: "site enrolled",
  },
  "enrolled again": {
    ...{ action: "site-enrolled-again", category: "iam", type: "change", ...done, by: aggregator },
    fields: audited,
    when: "A site used its invitation again, with the same key.",
  },
  "key replaced": {
    ...{
      action: "site-key-replaced",
      category: "iam",
      type: "change",
      ...done,
      by: aggregator,
      fields: audited,
    },
    when: "A site enrolled with a new key in place of its former one.",
    alert: "Confirm with the hospital, by telephone, that it was its machine.",
  },
  "displaced key refused": {
    ...{ action: "displaced-key-refused", category: "intrusion_detection", type: "denied", ...warning },
    by: aggregator,
    fields: audited,
    when: "A machine with a replaced key tries to connect.",
    alert: "Always: the hospital's old machine, or the hospital itself, displaced by an attacker.",
  },
  "enrolment refused": {
    ...{ action: "enrolment-refused", category: "iam", type: "info", ...warning, by: aggregator },
    fields: audited,
    when: "An invitation was used that is not valid, or not any more.",
    alert: "Repeated: somebody tries an old or stolen invitation.",
  },
  expelled: {
    ...{
      action: "site-expelled",
      category: "iam",
      type: "deletion",
      ...done,
      by: aggregator,
      fields: audited,
    },
    when: "A site is on the list of expelled sites that the operator installed.",
    says: "site expelled",
    alert: "Confirm that it was intended.",
  },
  "changed the list of expelled sites": {
    ...{
      action: "expelled-list-changed",
      category: "configuration",
      type: "change",
      ...done,
      by: aggregator,
    },
    fields: audited,
    when: "The operator installed a newer list.",
  },
  "started the study": {
    ...{
      action: "study-started",
      category: "process",
      type: "start",
      ...done,
      by: aggregator,
      fields: audited,
    },
    when: "An operator started a study.",
  },
  "removed working data": {
    ...{ action: "working-data-removed", category: "database", type: "change", ...done, by: consoles },
    fields: audited,
    when: "A failed study was not resumed within the retention period: it is cancelled, and its working data are removed.",
  },
  "removed study records": {
    ...{ action: "study-records-removed", category: "database", type: "change", ...done, by: consoles },
    fields: audited,
    when: "The retention period of an ended study is over: details of its exchange are removed.",
  },
  "old data could not be removed": {
    ...{ action: "retention-failed", category: "database", type: "error", ...failing },
    by: ["aggregator", "site-agent"],
    fields: ["study"],
    when: "For example on a full disk; it is tried again in an hour.",
  },
  "cancelled the study": {
    ...{
      action: "study-cancelled",
      category: "process",
      type: "end",
      ...done,
      by: aggregator,
      fields: audited,
    },
    when: "An operator cancelled a study.",
  },
  "resumed the study": {
    ...{
      action: "study-resumed",
      category: "process",
      type: "change",
      ...done,
      by: aggregator,
      fields: audited,
    },
    when: "An operator resumed a failed study.",
  },
  "accepted the result without its missing parts": {
    ...{ action: "result-accepted", category: "process", type: "change", ...done, by: aggregator },
    fields: audited,
    when: "An operator accepted a release without parts that could not be computed.",
  },
  "began the study with the sites that had joined": {
    ...{ action: "study-proceeded", category: "process", type: "change", ...done, by: aggregator },
    fields: audited,
    when: "An operator began before all invited sites had answered.",
  },
  "gave the sites more time to join": {
    ...{ action: "study-extended", category: "process", type: "change", ...done, by: aggregator },
    fields: audited,
    when: "An operator extended the deadline of joining.",
  },
  "withdrew the release": {
    ...{
      action: "release-withdrawn",
      category: "web",
      type: "info",
      ...done,
      by: aggregator,
      fields: audited,
    },
    when: "An operator withdrew a release.",
    alert: "Readers should stop using it: see its reason.",
  },
  "superseded the release": {
    ...{
      action: "release-superseded",
      category: "web",
      type: "info",
      ...done,
      by: aggregator,
      fields: audited,
    },
    when: "An operator put a newer release in its place.",
  },
  opened: {
    ...{ action: "step-opened", category: "network", type: "protocol", ...progress, by: aggregator },
    fields: audited,
    when: "A step of a study began.",
    says: "step started",
  },
  joined: {
    ...{
      action: "site-joined",
      category: "process",
      type: "start",
      ...done,
      by: aggregator,
      fields: audited,
    },
    when: "A site takes part in a study.",
    says: "site joined the study",
  },
  refused: {
    ...{ action: "site-declined", category: "network", type: "denied", ...warning, by: aggregator },
    fields: audited,
    when: "A site does not take part in a study; detail is its code.",
    says: "site does not take part",
  },
  dropped: {
    ...{
      action: "site-dropped",
      category: "network",
      type: "end",
      ...warning,
      by: aggregator,
      fields: audited,
    },
    when: "A study continues without a site.",
    says: "study continues without a site",
  },
  posted: {
    ...{ action: "site-posted", category: "network", type: "protocol", ...progress, by: aggregator },
    fields: audited,
    when: "A site answered a step.",
    says: "site responded",
  },
  received: {
    ...{ action: "upload-received", category: "network", type: "protocol", ...progress, by: aggregator },
    fields: audited,
    when: "An upload of a site is complete.",
    says: "upload received",
  },
  faulty: {
    ...{ action: "site-faulty", category: "intrusion_detection", type: "info", ...warning, by: aggregator },
    fields: audited,
    when: "What a site revealed is inconsistent.",
    says: "a site's shares are inconsistent",
  },
  failed: {
    ...{
      action: "site-failed",
      category: "process",
      type: "info",
      ...warning,
      by: aggregator,
      fields: audited,
    },
    when: "A site could not do a step; detail is its code.",
    says: "a site could not do a step",
  },
  resumed: {
    ...{
      action: "study-resumes",
      category: "process",
      type: "change",
      ...done,
      by: aggregator,
      fields: audited,
    },
    when: "A failed study continues.",
    says: "study resumed",
  },
  accepted: {
    ...{ action: "result-lacks", category: "process", type: "change", ...done, by: aggregator },
    fields: audited,
    when: "A study continues to its release without the parts of its result that the detail names, each with its reason.",
    says: "result accepted without missing parts",
  },
  countersigned: {
    ...{ action: "site-countersigned", category: "network", type: "protocol", ...progress, by: aggregator },
    fields: audited,
    when: "A site countersigned the certificate.",
    says: "certificate countersigned",
  },
  ended: {
    ...{ action: "study-ended", category: "process", type: "end", ...done, by: aggregator, fields: audited },
    when: "A study has ended.",
    says: "study ended",
  },

  // ---- publisher -------------------------------------------------------------------------------------------------
  "a damaged release is not served": {
    ...{ action: "release-damaged", category: "file", type: "info", ...failing, by: publisher },
    fields: ["release"],
    when: "A file of a release does not match its certificate.",
    alert: "Always: the disk is failing, or somebody changed a release.",
  },
  "a release was withdrawn or superseded": {
    ...{ action: "release-status-changed", category: "web", type: "info", ...done, by: publisher },
    fields: ["release", "status", "supersededBy"],
    when: "A signed withdrawal of the aggregator was applied.",
  },
  "a release was published": {
    ...{ action: "release-published", category: "web", type: "info", ...done, by: publisher },
    fields: ["release"],
    when: "A release is in the catalogue.",
  },
  "a deposit was refused": {
    ...{
      action: "deposit-refused",
      category: "network",
      type: "denied",
      ...warning,
      by: publisher,
      fields: [],
    },
    when: "A deposit does not hold what its certificate says, or is not the aggregator's.",
    alert: "Always: a deposit that is not whole, or not the aggregator's.",
  },
  "a release is planned otherwise by this version": {
    ...{
      action: "release-planned-otherwise",
      category: "file",
      type: "info",
      ...warning,
      by: publisher,
      fields: ["release", "place"],
    },
    when: "A release was published whose study this version plans with another fact than its certificate states.",
  },
  "a deposit failed": {
    ...{
      action: "deposit-failed",
      category: "network",
      type: "info",
      ...failing,
      by: publisher,
      fields: [],
    },
    when: "An internal error while a deposit was taken.",
  },
  "cannot check the releases' files": {
    ...{
      action: "release-check-failed",
      category: "file",
      type: "info",
      ...failing,
      by: publisher,
      fields: [],
    },
    when: "The check of the releases' files after the start failed.",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

/** What a line of the log says first: a key of the catalogue. */
export type EventMessage = keyof typeof events;

/** An event as the catalogue has it. */
export type CatalogueEvent = CatalogueEntry;

type FieldTable = typeof import("./fields.js").eventFields;
type FieldValues = {
  readonly keyword: string;
  readonly long: number;
  readonly boolean: boolean;
  readonly ip: string;
  readonly date: string;
};
type ValueOf<F extends keyof FieldTable> = FieldValues[FieldTable[F]["type"]] | null | undefined;

/** The fields that an event may have. Another one does not compile. */
export type FieldsOf<M extends EventMessage> = {
  readonly [F in Exclude<
    keyof FieldTable,
    "moreInThisMinute"
  >]?: F extends (typeof events)[M]["fields"][number] ? ValueOf<F> : never;
} & { readonly moreInThisMinute?: number };

/** Whether a text is in the catalogue. */
export function isEventMessage(text: string): text is EventMessage {
  return Object.hasOwn(events, text);
}

/**
 * The closed list of fields that a line of the log may have, with their names in the Elastic Common Schema; what the schema
 * has no name for is below `consilium.`. Ids, counts, codes and sizes: never a record's value, a key or a token.
 */

export interface EventField {
  /** In ECS lines. */
  readonly ecs: string;
  readonly type: "keyword" | "long" | "boolean" | "ip" | "date";
  readonly what: string;
}

const field = <T extends EventField["type"]>(ecs: string, type: T, what: string) => ({ ecs, type, what });

export const eventFields = {
  accounts: field("consilium.accounts", "long", "Number of accounts."),
  actor: field("user.name", "keyword", "Account, token label, or user of the command line who did it."),
  aggregator: field("server.address", "keyword", "The aggregator's address."),
  anchorSequence: field(
    "consilium.ledger.anchor_sequence",
    "long",
    "Newest ledger entry under which data were sent.",
  ),
  bytes: field("consilium.bytes", "long", "Size of what was sent."),
  channel: field("consilium.notification.channel", "keyword", "`mail` or `webhook`."),
  code: field("event.code", "keyword", "A code of [ERRORS](ERRORS.md)."),
  console: field("consilium.listen.console", "keyword", "Where the hospital's pages listen."),
  deadlineMs: field("consilium.deadline_ms", "long", "Deadline in milliseconds."),
  destination: field("consilium.log.destination", "keyword", "`syslog` or `otlp`, with its address."),
  detail: field(
    "consilium.detail",
    "keyword",
    "Of a line of the audit log: names, roles, codes, fingerprints of keys.",
  ),
  dropped: field("consilium.log.dropped", "long", "Number of lines."),
  entries: field("consilium.ledger.entries", "long", "Number of ledger entries."),
  fault: field("error.message", "keyword", "What went wrong, in words of ours."),
  file: field("file.path", "keyword", "Path of a file of ours."),
  grpc: field("consilium.listen.grpc", "keyword", "Where gRPC listens."),
  held: field("consilium.questions", "long", "Number of a site's questions about a study."),
  http: field("consilium.listen.http", "keyword", "Where HTTP listens."),
  isInvited: field("consilium.invited", "boolean", "Whether the site is invited to the study."),
  kind: field("consilium.notification.kind", "keyword", "Which notification."),
  method: field("consilium.rpc.method", "keyword", "Name of the call."),
  moreInThisMinute: field(
    "consilium.more_in_this_minute",
    "long",
    "Further lines of this kind that were not written.",
  ),
  notAfter: field("tls.client.not_after", "date", "When the certificate expires."),
  outcome: field("consilium.study.outcome", "keyword", "How a study ended."),
  ownSequence: field("consilium.ledger.own_sequence", "long", "Newest entry of this ledger."),
  reason: field("event.reason", "keyword", "Why, in words of ours."),
  records: field("consilium.records_refused", "long", "Number of contributions that the gate refused."),
  release: field("consilium.release.id", "keyword", "Id of a release."),
  releases: field("consilium.release.count", "long", "Number of releases."),
  request: field("consilium.rpc.request", "keyword", "Name of a request to the agent."),
  retryMs: field("consilium.retry_ms", "long", "Milliseconds until the next try."),
  route: field("url.path", "keyword", "Route as the API has it, with parameters as names."),
  sha256: field("file.hash.sha256", "keyword", "Of the policy."),
  signal: field("consilium.signal", "keyword", "Of the operating system."),
  exitCode: field("process.exit_code", "long", "Of a process that was started."),
  site: field("consilium.site", "keyword", "Id of a site."),
  software: field("consilium.software", "keyword", "Version of the software, ours or the other side's."),
  source: field("source.ip", "ip", "Where a request came from."),
  stage: field("consilium.stage", "keyword", "Stage of a study's plan."),
  tablesDoor: field(
    "consilium.tables_door",
    "keyword",
    "Of an agent: socket of the door of another user, who reads the tables; null where the agent's own user does.",
  ),
  standby: field("consilium.standby", "boolean", "Whether this aggregator stands by."),
  state: field("consilium.notification.state", "keyword", "Whether it is tried again."),
  status: field("consilium.status", "keyword", "HTTP status, or a release's status."),
  step: field("consilium.step", "keyword", "Step of a study, or component that stops."),
  studiesAbandoned: field("consilium.studies_abandoned", "long", "Number of studies."),
  study: field("consilium.study.id", "keyword", "Id of a study; trace.id is derived from it."),
  subject: field("user.id", "keyword", "Subject that the identity provider gave."),
  supersededBy: field("consilium.release.superseded_by", "keyword", "Id of the newer release."),
  table: field("consilium.table", "keyword", "Name of a table in the configuration."),
  takenFrom: field("consilium.lease.taken_from", "keyword", "The former active aggregator."),
  takeovers: field("consilium.lease.takeovers", "long", "Number of takeovers so far."),
  place: field("consilium.place", "keyword", "Place in a certificate, such as privacy.accounting.rho."),
  what: field("consilium.request", "keyword", "What the aggregator asked."),
} as const satisfies Readonly<Record<string, EventField>>;

/** What every ECS line may have beside the fields of its event. */
export const commonFields = {
  "@timestamp": { type: "date", what: "When, in UTC." },
  "log.level": { type: "keyword", what: "debug, info, warn or error." },
  message: { type: "keyword", what: "A fixed text of the catalogue." },
  "ecs.version": { type: "keyword", what: "Version of the Elastic Common Schema." },
  "event.action": { type: "keyword", what: "The event's stable name." },
  "event.category": { type: "keywords", what: "Of the Elastic Common Schema." },
  "event.type": { type: "keywords", what: "Of the Elastic Common Schema." },
  "event.outcome": { type: "keyword", what: "success, failure or unknown." },
  "event.kind": { type: "keyword", what: "Always event." },
  "event.module": { type: "keyword", what: "Always consilium." },
  "event.dataset": { type: "keyword", what: "`consilium.` and the service." },
  "service.type": { type: "keyword", what: "Always consilium." },
  "service.name": { type: "keyword", what: "aggregator, publisher, site-agent or site-console." },
  "service.version": { type: "keyword", what: "Version of the software." },
  "service.node.name": {
    type: "keyword",
    what: "The site's id; of an aggregator with a standby its name; otherwise the host's name.",
  },
  "log.logger": { type: "keyword", what: "Component, such as `studies` or `access`." },
  "trace.id": {
    type: "keyword",
    what: "Of lines of a study: the first 16 bytes of the SHA-256 of its id, in hex. The same in all services.",
  },
  "error.code": { type: "keyword", what: "A code of [ERRORS](ERRORS.md)." },
  "error.type": { type: "keyword", what: "Family of the code: config, peer, refusal or internal." },
  "error.message": {
    type: "keyword",
    what: "The error's message in words of ours; of other libraries' errors none.",
  },
  "error.stack_trace": { type: "keyword", what: "Source positions, without messages." },
} as const;

/** @see https://www.elastic.co/guide/en/ecs/9.4/index.html */
export const ecsVersion = "9.4.0";

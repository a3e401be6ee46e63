import { type CatalogueEvent, type EventMessage, events } from "../core/src/logging/events.js";
import { commonFields, ecsVersion, eventFields } from "../core/src/logging/fields.js";

const catalogue = Object.entries(events) as [EventMessage, CatalogueEvent][];

const head = `# Events

Every line that a service logs is an event of this catalogue, with fields of this list: ids, counts, codes, sizes. No line
has a record's value, a key or a token. How lines are written and sent is in
[OPERATING.md](OPERATING.md#logs-and-metrics). With \`logs: { format: ecs }\`, over syslog and over OTLP a line has the
names below, those of the Elastic Common Schema ${ecsVersion}; what the schema has no name for is below \`consilium.\`.

\`event.action\` is stable: write rules on it, not on the message. Lines of the audit logs are events too.

`;

const sections = [
  head,
  "## What to alert on\n",
  table(
    ["`event.action`", "from", "why"],
    catalogue.flatMap(([, { action, by, alert }]) =>
      alert === undefined ? [] : [[`\`${action}\``, by.join(", "), alert]],
    ),
  ),
  `
For example, in Kibana's query language:

\`\`\`text
service.type: consilium and event.action: (sign-in-denied or sign-in-failed)
service.type: consilium and event.action: step-refused and event.code: (ROSTER_INVALID or TRANSCRIPT_DIFFERS)
service.type: consilium and event.category: intrusion_detection
service.type: consilium and event.action: (policy-changed or policy-read)
service.type: consilium and event.action: (ledger-check-failed or ledger-behind or ledger-head-invalid)
service.type: consilium and event.action: (release-withdrawn or release-damaged or site-expelled)
\`\`\`

And in a syslog receiver, where MSGID is the action:

\`\`\`text
if $msgid == 'ledger-behind' or $msgid == 'study-changed' then /var/log/consilium-alerts.log
\`\`\`

## Fields of every line
`,
  table(
    ["field", "type", "what"],
    Object.entries(commonFields).map(([name, { type, what }]) => [
      `\`${name}\``,
      type === "keywords" ? "list of keywords" : type,
      what,
    ]),
  ),
  "\n## Fields of events\n",
  "The name in the form `json` is that of the first column.\n",
  table(
    ["`json`", "ECS", "type", "what"],
    Object.entries(eventFields).map(([name, { ecs, type, what }]) => [
      `\`${name}\``,
      `\`${ecs}\``,
      type,
      what,
    ]),
  ),
  ...(["aggregator", "publisher", "site-agent", "site-console"] as const).flatMap((service) => [
    `\n## ${service[0]!.toUpperCase()}${service.slice(1).replace("-", " ")}\n`,
    table(
      ["`event.action`", "message", "level", "category", "outcome", "fields", "when"],
      catalogue
        .filter(([, { by }]) => by.includes(service))
        .map(([message, { action, says, level, category, type, outcome, fields, when }]) => [
          `\`${action}\``,
          says ?? message,
          level,
          `${category}, ${type}`,
          outcome,
          fields.join(", "),
          when,
        ]),
    ),
  ]),
];

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return `${[line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n")}\n`;
}

/** The page of what is logged, from `core/src/logging/`. */
export function renderEvents(): string {
  return sections.join("\n").replace(/\n{3,}/g, "\n\n");
}

import type {
  BehindView,
  EgressView,
  EntryView,
  EpsilonCost,
  LedgerReportView,
  LedgerView,
  PopulationView,
} from "@consilium/core/hospital/ledgerViews";
import { bar, minuteText, printable, type TableColumn, table } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";

export type Ledger = LedgerView;
export type Report = LedgerReportView;
export type Egress = EgressView;
type Behind = BehindView;
type Cost = EpsilonCost;
type Population = PopulationView;
type Entry = EntryView;

// ---- what is spent ----------------------------------------------------------------------------------------------

const barWidth = 30;
/** Entries that `show` prints without --all. */
const entriesShown = 20;

export function ledgerText(ledger: Ledger, options: { all: boolean }, style: Style): string {
  const { site, federation, head, behind, entries } = ledger;
  const shown = options.all ? entries : entries.slice(-entriesShown);
  const left = entries.length - shown.length;
  return [
    `${style.strong(printable(site))} of ${printable(federation)}, ${counted(entries.length, "entry", "entries")}, ` +
      `head ${head.sequence}:${printable(head.hash)}`,
    ...(behind === null ? [] : [behindText(behind, style)]),
    ...ledger.populations.map((population) => populationText(population, style)),
    entriesTable(shown, style) + (left > 0 ? `\n${left} earlier ones: --all` : ""),
  ].join("\n\n");
}

export function behindText(behind: Behind, style: Style): string {
  const lost = behind.lost.map((one) => {
    const cost =
      one.epsilon === null ? "" : `epsilon ${upTo(one.epsilon)} per ${one.unit} at delta ${one.delta}`;
    const parts = [cost, one.unbounded > 0 ? unprovedText(one.unbounded) : ""].filter((part) => part !== "");
    return `  ${printable(one.population)}: ${parts.join(" and ")}`;
  });
  if (!behind.isKnown) {
    return (
      `${style.bad("This copy of the ledger is older")} than its head ${behind.sequence}, and this hospital has no record of the spending since.\n` +
      "Spending is blocked until the newest state folder is restored. If there is none, enter the lost amount:\n" +
      "`consilium ledger reconcile --charge <epsilon>` charges it to every population. The whole limit is always enough."
    );
  }
  const missing = lost.length === 0 ? "  no spending" : lost.join("\n");
  return (
    `${style.bad("This copy of the ledger is older")} than its head ${behind.sequence}. Spending is blocked until the newest backup ` +
    `is restored,\nor \`consilium ledger reconcile\` has charged the missing spending:\n${missing}`
  );
}

function populationText(population: Population, style: Style): string {
  const { name, tables, limit, delta, unit, spent, reserved, remaining, unbounded, notes } = population;
  const title = `${style.strong(printable(name))}${tables.length === 0 ? "" : ` (${printable(tables.join(", "))})`}`;
  const lines = [`${title}, epsilon per ${unit} at delta ${delta}`];
  if (limit === null) lines.push(`  budget     ${style.caution("unlimited")}`);
  else lines.push(`  budget     ${limit}  ${bar((spent + reserved) / limit, barWidth, style)}`);
  lines.push(`  spent      ${upTo(spent)}`, `  reserved   ${upTo(reserved)}`);
  if (remaining !== null)
    lines.push(`  remaining  ${remaining > 0 ? downTo(remaining) : style.bad(downTo(remaining))}`);
  if (unbounded > 0)
    lines.push(
      `  ${style.bad("no proven bound")} in total: these figures exclude ${unprovedText(unbounded)}`,
    );
  lines.push(...notes.map((note) => `  ${style.caution("note")}  ${printable(note)}`));
  return lines.join("\n");
}

function unprovedText(count: number): string {
  return `${counted(count, "release", "releases")} without a proof`;
}

function entriesTable(entries: readonly Entry[], style: Style): string {
  const columns: TableColumn<Entry>[] = [
    { title: "ENTRY", cell: (entry) => String(entry.sequence), alignRight: true },
    { title: "AT (UTC)", cell: (entry) => minuteText(entry.at) },
    { title: "KIND", cell: (entry) => printable(entry.kind) },
    { title: "POPULATION", cell: (entry) => printable(entry.populations.join(", ") || "-") },
    { title: "STUDY", cell: (entry) => printable(entry.study ?? "-") },
    { title: "STAGES (ATTEMPT)", cell: (entry) => stagesText(entry.stages) },
    { title: "EPSILON", cell: (entry) => costText(entry.cost), alignRight: true },
  ];
  return table(entries, columns, style);
}

/** Lists the first stages: a study may have thousands. */
function stagesText(stages: readonly string[]): string {
  if (stages.length === 0) return "-";
  const few = stages.slice(0, 2).map((stage) => printable(stage.replace(/ (\d+)$/, " ($1)")));
  return few.join(", ") + (stages.length > 2 ? ` and ${stages.length - 2} more` : "");
}

export function costText(cost: Cost | null): string {
  if (cost === null) return "-";
  if (cost.epsilon !== null) return `${upTo(cost.epsilon)} per ${cost.unit}`;
  return cost.claimedEpsilon === null ? "unproven" : `unproven (claims ${cost.claimedEpsilon})`;
}

// ---- whether it holds -------------------------------------------------------------------------------------------

export function reportText(report: Report, style: Style): string {
  const { site, federation, entries, head, keys, anchors, archives, verifiedFrom } = report;
  const missing = anchors.filter(({ state }) => state === "missing");
  const verdict =
    missing.length === 0
      ? `${style.good("The ledger is valid")}: ${counted(entries, "entry", "entries")} in an unbroken chain.`
      : `${style.bad("This is not the newest ledger")}: its ${counted(entries, "entry", "entries")} are valid, ` +
        `and ${counted(missing.length, "anchor is", "anchors are")} missing from it.`;
  const lines = [
    verdict,
    "",
    `  site     ${printable(site)} of ${printable(federation)}`,
    `  head     ${head.sequence}:${printable(head.hash)}`,
    `  key      ${printable(keys.at(-1) ?? "-")}`,
    ...keys.slice(0, -1).map((key) => `  before   ${printable(key)}`),
    ...anchors.map(
      (anchor) =>
        `  anchor   ${anchorText(anchor.state, style)} ${anchor.sequence}, of ${printable(anchor.from)}`,
    ),
    ...archives.map(
      ({ state, name, from, to }) =>
        `  archive  ${archiveText(state, style)} entries ${from} to ${to}, ${printable(name)}`,
    ),
  ];
  if (verifiedFrom > 1)
    lines.push(
      "",
      `${style.caution("Not verified before")} entry ${verifiedFrom}: give the missing archive with --archive <file>. Its totals are in the checkpoint.`,
    );
  if (missing.length > 0)
    lines.push(
      "",
      "Restore the newest backup, or charge the missing spending: `consilium ledger reconcile`.",
    );
  return lines.join("\n");
}

function anchorText(state: Report["anchors"][number]["state"], style: Style): string {
  switch (state) {
    case "held":
      return style.good("held:");
    case "reconciled":
      return style.caution("lost, and charged since:");
    default:
      return style.bad("missing:");
  }
}

function archiveText(state: Report["archives"][number]["state"], style: Style): string {
  switch (state) {
    case "verified":
      return style.good("verified:");
    case "unchanged":
      return style.caution("unchanged, a later one is missing:");
    default:
      return style.caution("missing:");
  }
}

// ---- data sent --------------------------------------------------------------------------------------------------

export function egressTable(log: readonly Egress[], style: Style): string {
  if (log.length === 0) return "Nothing has been sent yet.";
  const columns: TableColumn<Egress>[] = [
    { title: "AT (UTC)", cell: (entry) => minuteText(entry.at) },
    { title: "STUDY", cell: (entry) => printable(entry.study ?? "-") },
    { title: "STEP", cell: (entry) => printable(entry.step || "-") },
    { title: "WHAT", cell: (entry) => printable(entry.what) },
    { title: "FOR", cell: (entry) => printable(entry.whom) },
    { title: "MESSAGES", cell: (entry) => String(entry.messages), alignRight: true },
    { title: "BYTES", cell: (entry) => String(entry.bytes), alignRight: true },
    { title: "SHA-256", cell: (entry) => printable(entry.sha256.slice(0, 16)) },
    { title: "EPSILON", cell: (entry) => costText(entry.charge), alignRight: true },
    {
      title: "ENTRY",
      cell: (entry) => (entry.charge === null ? "-" : String(entry.charge.entry)),
      alignRight: true,
    },
  ];
  return table(log, columns, style);
}

// ---- tables for a spreadsheet -----------------------------------------------------------------------------------

/** Comma-separated values [RFC4180] of the entries. It proves nothing: only the JSON lines carry signatures. */
export function entriesCsv(entries: readonly Entry[]): string {
  const heading = "entry,at,kind,populations,study,stages,epsilon,delta,unit,claimed_epsilon,hash";
  const lines = entries.map((entry) =>
    [
      entry.sequence,
      entry.at,
      entry.kind,
      entry.populations.join("; "),
      entry.study ?? "",
      entry.stages.join("; "),
      entry.cost === null ? "" : (entry.cost.epsilon ?? "unproved"),
      entry.cost?.delta ?? "",
      entry.cost?.unit ?? "",
      entry.cost?.claimedEpsilon ?? "",
      entry.hash,
    ]
      .map(csvCell)
      .join(","),
  );
  return `${[heading, ...lines].join("\r\n")}\r\n`;
}

/** Cells that a spreadsheet would read as a formula get a leading apostrophe. */
function csvCell(value: string | number): string {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Four digits, rounded up. */
function upTo(epsilon: number): string {
  return rounded(epsilon, Math.ceil);
}

/** Four digits, rounded down. */
function downTo(epsilon: number): string {
  return rounded(epsilon, Math.floor);
}

/** The agent gives nine digits: the error of a product of doubles is less than a tenth of the last digit. */
function rounded(epsilon: number, toward: (value: number) => number): string {
  return (toward(Math.round(epsilon * 1e9) / 1e5) / 1e4).toFixed(4);
}

import type {
  DataProtectionView,
  ProtectionTable,
  ProtectionTopic,
} from "@consilium/core/hospital/dataProtectionViews";
import { formatBytes } from "@consilium/core/units";
import { counted } from "@consilium/core/words";
import { bullets, heading, joined, named, plain, table, tasks } from "./markdownText.js";
import { studiesText } from "./studiesText.js";

/** The document as Markdown, to read, to edit and to file. The text in it is text, whoever wrote it. */
export function dataProtectionMarkdown(view: DataProtectionView): string {
  return `${joined([
    head(view),
    heading(2, "1. Who (Art. 30(1)(a))"),
    who(view),
    heading(2, "2. Which data (Art. 30(1)(c))"),
    tables(view),
    heading(2, "3. What for (Art. 30(1)(b), Art. 35(7)(a))"),
    studiesText(view),
    heading(2, "4. Where data goes (Art. 30(1)(d) and (e), Art. 35(7)(a))"),
    flows(view),
    heading(2, "5. What is guaranteed to the people in the tables (Art. 35(7)(d))"),
    topics(view.guarantees),
    heading(3, "What the guarantee does not cover"),
    bullets(view.notCovered),
    heading(2, "6. How long what is kept (Art. 30(1)(f))"),
    retention(view),
    heading(2, "7. Technical and organisational measures (Art. 30(1)(g), Art. 32)"),
    topics(view.measures),
    heading(2, "8. What this configuration leaves open"),
    view.gaps.length === 0 ? plain("Nothing that this software knows of.") : tasks(view.gaps),
    heading(2, "9. To be added by the officer"),
    plain(
      "What follows is not known to the software. It is a list of what is usually asked for, no legal advice, and not complete for every country.",
    ),
    ...view.officer.map(({ title, paragraphs }) => joined([heading(3, title), tasks(paragraphs)])),
  ])}\n`;
}

function head({ hospital, madeAt, madeFrom, software }: DataProtectionView): string {
  const source =
    madeFrom === "running agent"
      ? "the running agent's configuration, policy, ledger and log of what left"
      : "the state folder, while its agent did not run";
  return joined([
    heading(1, `Data protection record of ${hospital.site}`),
    plain(
      `Made on ${madeAt.slice(0, 10)} at ${madeAt.slice(11, 16)} UTC by Consilium ${software}, from ${source}. It states what is configured and what was done, as facts; the law's words in the headings say where each part belongs. Section 9 is yours to write.`,
    ),
    plain(
      "It holds names of staff and reasons of decisions, which leave the hospital in no message of the software: pass it on with care. It holds no value of a table and no number of its rows.",
    ),
    table(
      ["Section", "GDPR", "HIPAA (45 CFR)"],
      [
        ["1, 4 and 9", "Art. 30(1)(a), (d), (e)", "164.504(e), business associates"],
        ["2 and 3", "Art. 30(1)(b), (c); Art. 35(7)(a), (b)", "164.502(b), minimum necessary"],
        ["4", "Art. 30(1)(d)", "164.528, accounting of disclosures"],
        ["5", "Art. 35(7)(c), (d)", "164.514, de-identification"],
        ["6", "Art. 30(1)(f)", "164.316(b)(2), retention of documentation"],
        ["7 and 8", "Art. 30(1)(g); Art. 32; Art. 35(7)(d)", "164.308 to 164.312, safeguards; risk analysis"],
      ],
    ),
  ]);
}

function who({ hospital, software, aggregatorSoftware }: DataProtectionView): string {
  return named([
    ["Hospital", hospital.site],
    ["Federation", hospital.federation],
    ["Aggregator", hospital.aggregator],
    ["Root certificate of the federation, SHA-256", hospital.rootFingerprint],
    ["Signing key of this hospital, SHA-256", hospital.signingKeyFingerprint],
    [
      "Certificate of this hospital",
      `until ${hospital.certificateExpiresAt.slice(0, 10)}; it renews itself while the agent runs`,
    ],
    ["Software here", `Consilium ${software}`],
    [
      "Software of the aggregator",
      aggregatorSoftware === null
        ? "not known: the agent is not connected"
        : `Consilium ${aggregatorSoftware}`,
    ],
    ["Controller, officer, joint controllers, processors", "to be added: section 9"],
  ]);
}

/** Columns of one table that are listed one by one; the JSON form has all of them. */
const columnsMost = 200;

function tables({ tables }: DataProtectionView): string {
  if (tables.length === 0) return plain("The configuration names no table: no study can use any record.");
  return joined(tables.map(tableText));
}

function tableText(one: ProtectionTable): string {
  const { columns, patientColumns } = one;
  return joined([
    heading(3, `Table ${one.name}`),
    named([
      ["Source", one.source],
      ["Population, whose budget is one", one.population],
      ["Columns that studies may name", one.columnRule ?? "all"],
      [
        "Whose row it is",
        patientColumns.length === 0
          ? "no study has named a column that says so"
          : `column ${patientColumns.join(", ")}, named by studies`,
      ],
    ]),
    columns.length === 0
      ? plain("Its columns could not be read when this was made; consilium doctor says why.")
      : columnTable(one),
    columns.length <= columnsMost
      ? ""
      : plain(`and ${counted(columns.length - columnsMost, "more column")}: --json lists all.`),
  ]);
}

function columnTable({ columns, columnsRead }: ProtectionTable): string {
  const shown = columns.slice(0, columnsMost);
  const read = (name: string) => (columnsRead.includes(name) ? "yes" : "no");
  if (columns.every(({ type }) => type === "any"))
    return joined([
      table(
        ["Column", "Read by a study"],
        shown.map(({ name }) => [name, read(name)]),
      ),
      plain("The format states no types; studies declare them."),
    ]);
  return table(
    ["Column", "Type", "Read by a study"],
    shown.map(({ name, type }) => [name, type === "any" ? "not stated" : type, read(name)]),
  );
}

function flows(view: DataProtectionView): string {
  const sent = (one: DataProtectionView["flows"][number]) =>
    one.sent === null ? [] : [["So far", sentText(one.sent)] as const];
  return joined([
    heading(3, "What leaves, and to whom"),
    ...view.flows.map((one) =>
      joined([
        heading(4, one.name),
        named([
          ["What", one.what],
          ["To", one.to],
          ["When", one.when],
          ["Data about persons", one.personal],
          ["Protection on the way", one.protection],
          ...sent(one),
        ]),
      ]),
    ),
    heading(3, "What this configuration rules out"),
    bullets(view.notFlowing),
    heading(3, "What never leaves"),
    bullets(view.neverLeaves),
    heading(3, "What comes in"),
    bullets(view.comesIn),
    heading(3, "Recipients"),
    table(
      ["Who", "Receives"],
      view.recipients.map(({ who, receives }) => [who, receives]),
    ),
    plain("Legal names, roles and countries are to be added: section 9."),
  ]);
}

function sentText({ messages, bytes }: { readonly messages: number; readonly bytes: number }): string {
  return messages === 0 ? "nothing" : `${counted(messages, "message")}, ${formatBytes(bytes)}`;
}

function topics(all: readonly ProtectionTopic[]): string {
  return joined(all.map(({ title, paragraphs }) => joined([heading(3, title), bullets(paragraphs)])));
}

function retention({ retention }: DataProtectionView): string {
  const endless = retention.filter(({ growsWithoutLimit }) => growsWithoutLimit).map(({ what }) => what);
  return joined([
    table(
      ["What", "Where", "Holds", "How long", "Removed"],
      retention.map(({ what, where, holds, howLong, removal }) => [what, where, holds, howLong, removal]),
    ),
    plain(
      `These grow without limit, and nothing removes them by itself: ${endless.map((what) => what.charAt(0).toLowerCase() + what.slice(1)).join("; ")}.`,
    ),
  ]);
}

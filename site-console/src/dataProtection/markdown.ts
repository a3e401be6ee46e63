import type {
  DataProtectionView,
  ProtectionTable,
  ProtectionTopic,
} from "@consilium/core/hospital/dataProtectionViews";
import { formatBytes } from "@consilium/core/units";
import { counted } from "@consilium/core/words";
import { bullets, heading, joined, named, plain, table, tasks } from "./markdownText.js";
import { annexText, studiesText } from "./studiesText.js";

/** The document as Markdown, to read, to edit and to file. The text in it is text, no matter who wrote it. */
export function dataProtectionMarkdown(view: DataProtectionView): string {
  return `${joined([
    head(view),
    heading(2, "1. Parties (Art. 30(1)(a))"),
    who(view),
    heading(2, "2. Data (Art. 30(1)(c))"),
    tables(view),
    heading(2, "3. Purposes (Art. 30(1)(b), Art. 35(7)(a))"),
    studiesText(view),
    heading(2, "4. Data flows (Art. 30(1)(d) and (e), Art. 35(7)(a))"),
    flows(view),
    heading(2, "5. Guarantees for the people in the tables (Art. 35(7)(d))"),
    topics(view.guarantees),
    heading(3, "What the guarantee does not cover"),
    bullets(view.notCovered),
    heading(2, "6. Retention (Art. 30(1)(f))"),
    retention(view),
    heading(2, "7. Technical and organisational measures (Art. 30(1)(g), Art. 32)"),
    topics(view.measures),
    heading(2, "8. Open points of this configuration"),
    view.gaps.length === 0 ? plain("None known to this software.") : tasks(view.gaps),
    heading(2, "9. To be added by the officer"),
    plain(
      "The software does not know the following. This list contains commonly required items; it is not legal advice, and may be incomplete in your country.",
    ),
    ...view.officer.map(({ title, paragraphs }) => joined([heading(3, title), tasks(paragraphs)])),
    ...annexText(view),
  ])}\n`;
}

function head({ hospital, madeAt, madeFrom, software }: DataProtectionView): string {
  const source =
    madeFrom === "running agent"
      ? "the running agent's configuration, policy, ledger and egress log"
      : "the state folder, while its agent did not run";
  return joined([
    heading(1, `Data protection record of ${hospital.site}`),
    plain(
      `Made on ${madeAt.slice(0, 10)} at ${madeAt.slice(11, 16)} UTC by Consilium ${software}, from ${source}. It states configuration and past actions as facts; the headings refer to the law's articles. Section 9 is for you to complete.`,
    ),
    plain(
      "It contains names of staff and reasons of decisions, which the software never sends out of the hospital: share it with care. It contains no table values and no row counts.",
    ),
    table(
      ["Section", "GDPR", "HIPAA (45 CFR)"],
      [
        ["1, 4 and 9", "Art. 30(1)(a), (d), (e)", "164.504(e), business associates"],
        ["2, 3 and annex", "Art. 30(1)(b), (c); Art. 35(7)(a), (b)", "164.502(b), minimum necessary"],
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
      `until ${hospital.certificateExpiresAt.slice(0, 10)}; renewed automatically while the agent runs`,
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
  if (tables.length === 0) return plain("No tables are configured: studies cannot use any records.");
  return joined(tables.map(tableText));
}

function tableText(one: ProtectionTable): string {
  const { columns, patientColumns } = one;
  return joined([
    heading(3, `Table ${one.name}`),
    named([
      ["Source", one.source],
      ["Population (shared budget)", one.population],
      ["Columns that studies may use", one.columnRule ?? "all"],
      [
        "Patient column",
        patientColumns.length === 0
          ? "no study has used a patient column"
          : `column ${patientColumns.join(", ")}, used by studies`,
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
    heading(3, "Outgoing data and recipients"),
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
    heading(3, "Data that is never sent"),
    bullets(view.neverLeaves),
    heading(3, "Incoming data"),
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
      `These grow without limit and are not removed automatically: ${endless.map((what) => what.charAt(0).toLowerCase() + what.slice(1)).join("; ")}.`,
    ),
  ]);
}

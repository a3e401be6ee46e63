import { createHash } from "node:crypto";
import {
  type ApprovalRecord,
  type ApprovalRecordsView,
  approvalRecordSchema,
} from "@consilium/core/hospital/approvalRecords";
import type { Shown } from "@consilium/core/hospital/shown";
import { counted } from "@consilium/core/words";
import { minuteText, paragraph, printable } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";
import type { Reworded } from "./reworded.js";

/** A record of an approval beside the ledger's entry that was written with it. */
export interface CheckedRecord {
  /** Null where the text is none that this version reads. */
  readonly record: ApprovalRecord | null;
  readonly sha256: string;
  readonly entry: ApprovalRecordsView["records"][number]["entry"];
  /** Why it does not stand for what was approved; null where it does. */
  readonly fault: string | null;
}

/** Each record's own SHA-256 is computed here, from the text. */
export function checkedRecords({ records }: ApprovalRecordsView): CheckedRecord[] {
  return records.map(({ text, entry }) => {
    const sha256 = createHash("sha256").update(text).digest("hex");
    const record = recordOf(text);
    const fault =
      entry === null
        ? "the ledger has no entry of it"
        : entry.record !== sha256
          ? `it was changed: its SHA-256 is not that of ledger entry ${entry.sequence}`
          : record === null
            ? "this version cannot read it"
            : null;
    return { record, sha256, entry, fault };
  });
}

function recordOf(written: string): ApprovalRecord | null {
  try {
    return approvalRecordSchema.parse(JSON.parse(written));
  } catch {
    return null;
  }
}

const decisions: Readonly<Record<ApprovalRecord["decision"], string>> = {
  first: "first approval of two",
  joined: "approval; the hospital takes part",
  again: "approval of a further attempt's cost",
  automatic: "joined without a person, as the policy allows",
  refused: "denial; the hospital does not take part",
};

export function recordsText(
  { study, missing }: ApprovalRecordsView,
  records: readonly CheckedRecord[],
  anew: readonly (Reworded | null)[],
  style: Style,
): string {
  const head = `${style.strong(printable(study))}: ${counted(records.length, "decision")} on record`;
  return [
    head,
    ...records.map((one, at) => recordText(one, anew[at] ?? null, style)),
    ...missing.map(
      ({ sequence, record }) =>
        `${style.bad("A record is missing:")} ledger entry ${sequence} has its SHA-256 ${printable(record)}`,
    ),
  ].join("\n\n");
}

function recordText(
  { record, sha256, entry, fault }: CheckedRecord,
  anew: Reworded | null,
  style: Style,
): string {
  const check =
    fault === null
      ? `  ${style.good("verified")}: SHA-256 ${sha256}, ledger entry ${entry!.sequence}`
      : `  ${style.bad("not verified:")} ${fault}`;
  if (record === null) return `a record that cannot be read\n${check}`;
  const { by, inPlaceOf, at, decision, software, shown, terms, reason = null } = record;
  const who = printable(
    by === null ? "the policy" : inPlaceOf === null ? by : `${by} in place of ${inPlaceOf}`,
  );
  return [
    `${style.strong(who)}, ${minuteText(new Date(at).toISOString())} UTC: ${decisions[decision]}`,
    check,
    `  agent ${printable(software)}`,
    ...Object.entries(terms).map(
      ([term, hash]) => `  ${printable(term).padEnd(7)}  ${printable(hash ?? "-")}`,
    ),
    ...(reason === null ? [] : [paragraph("", `reason: ${printable(reason)}`, { indent: 2, labelWidth: 0 })]),
    ...(by === null ? ["  nothing was shown: nobody was asked"] : shownText(shown, style)),
    ...(anew === null ? [] : rewordedText(anew, style)),
  ].join("\n");
}

function shownText(shown: Shown | null, style: Style): string[] {
  if (shown === null) return ["  nothing was shown, as far as the agent was told: an API's call, or --yes"];
  const { language, software, texts } = shown;
  const lines = texts.flatMap((one) => one.split("\n"));
  return [
    style.strong(
      `  shown in ${language === "de" ? "German" : "English"}, as ${printable(software)} reports it:`,
    ),
    ...lines.map((line) =>
      line.trim() === "" ? "" : paragraph("", printable(line), { indent: 4, labelWidth: 0 }),
    ),
  ];
}

function rewordedText({ fault, paragraphs, uncompared, otherwise }: Reworded, style: Style): string[] {
  if (fault !== null) return [`  ${style.caution("cannot be said anew:")} ${printable(fault)}`];
  const rest =
    uncompared === 0
      ? ""
      : `; ${uncompared} more were not compared: the page shows them as a table, or this command says them in English alone`;
  return [
    `  said anew by this version: ${otherwise.length} of ${counted(paragraphs, "paragraph")} in other words${rest}`,
    ...otherwise.map(({ section, text }) =>
      paragraph("", `${printable(section)}: ${printable(text)}`, { indent: 4, labelWidth: 0 }),
    ),
  ];
}

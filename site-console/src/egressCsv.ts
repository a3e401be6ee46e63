import type { EgressView } from "@consilium/core/hospital/ledgerViews";

const columns = [
  "at",
  "study",
  "stage",
  "what",
  "whom",
  "bytes",
  "sha256",
  "ledger entry",
  "population",
  "epsilon",
  "delta",
  "unit",
  "claimed epsilon",
  "last at",
  "messages",
  "hash of",
] as const;

/** The egress log as RFC 4180 has it, for a spreadsheet. An ε for which nothing is proven is an empty cell. */
export function egressCsv(log: readonly EgressView[]): string {
  const lines = log.map(({ at, study, step, what, whom, bytes, sha256, charge, ...line }) => [
    at,
    study,
    step,
    what,
    whom,
    bytes,
    sha256,
    charge?.entry ?? null,
    charge?.population ?? null,
    charge?.epsilon ?? null,
    charge?.delta ?? null,
    charge?.unit ?? null,
    charge?.claimedEpsilon ?? null,
    line.lastAt,
    line.messages,
    line.isChained ? "a chain" : "the message",
  ]);
  return [columns, ...lines].map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

/** A text that a spreadsheet would take for a formula is one no longer. */
function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

import { isFormula } from "@consilium/core/study/cellText";

/** A list that is shown, as a file: CSV for a spreadsheet (RFC 4180), JSON lines for a program. */

export type Cell = string | number | null;
export type Line = Readonly<Record<string, Cell>>;

/** @param header - keys of the lines; left out: all keys of the first */
export function csvOf(
  lines: readonly Line[],
  header: readonly string[] = Object.keys(lines[0] ?? {}),
): string {
  return [header, ...lines.map((line) => header.map((key) => line[key] ?? null))]
    .map((row) => `${row.map(cellText).join(",")}\r\n`)
    .join("");
}

export function jsonLinesOf(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** A text that a spreadsheet would take for a formula is one no longer. */
function cellText(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = isFormula(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A file's name without its ending: the study, where all lines are of one, what the file holds, and the day (UTC).
 * @param what - such as `data-sent`
 */
export function exportName(
  what: string,
  lines: readonly { readonly study: string | null }[],
  now: Date = new Date(),
): string {
  const [first, ...others] = new Set(lines.map(({ study }) => study));
  const study = others.length === 0 ? (first ?? null) : null;
  const parts = [...(study === null ? [] : [study]), what, now.toISOString().slice(0, 10)];
  return parts.join("-").replace(/[^\w-]+/g, "-");
}

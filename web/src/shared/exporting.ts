/** A list that is shown, as a file: CSV for a spreadsheet (RFC 4180), JSON lines for a program. */

export type Cell = string | number | null;
export type Line = Readonly<Record<string, Cell>>;

/** @param lines - all with the same keys, which become the header */
export function csvOf(lines: readonly Line[]): string {
  const header = Object.keys(lines[0] ?? {});
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
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Hands the browser a file that was made in the page. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

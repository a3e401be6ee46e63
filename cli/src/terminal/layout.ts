import { formatDuration } from "@consilium/core/units";
import type { Style } from "./style.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of colours are control characters
const colourSequence = /\u001b\[[0-9;]*m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

/**
 * Makes foreign text safe for a terminal: sequences that move the cursor, change colours or reverse the writing
 * direction become one space.
 */
export function printable(text: string): string {
  return text.replace(controlCharacters, " ");
}

/** The width of a text on a terminal, without colour sequences. */
export function visibleLength(text: string): number {
  return [...text.replace(colourSequence, "")].length;
}

export function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - visibleLength(text)));
}

/** Truncates a line to a width, and keeps and closes colours. */
export function fit(line: string, width: number): string {
  if (visibleLength(line) <= width) return line;
  let room = Math.max(0, width - 1);
  let cut = "";
  let coloured = false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: see above
  for (const [piece] of line.matchAll(/\u001b\[[0-9;]*m|[\s\S]/gu)) {
    if (piece.startsWith("\u001b[") && piece.length > 1) {
      cut += piece;
      coloured = true;
    } else if (room-- > 0) cut += piece;
    else break;
  }
  return `${cut}~${coloured ? "\u001b[0m" : ""}`;
}

/** Breaks plain text into lines of at most `width` characters at spaces; a longer word keeps its own line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((part) => part !== "")) {
    if (line !== "" && visibleLength(line) + 1 + visibleLength(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  if (line !== "") lines.push(line);
  return lines;
}

/** A labelled paragraph: the label in its own column, the text wrapped next to it. */
export function paragraph(
  label: string,
  text: string,
  options: { indent: number; labelWidth: number },
): string {
  const { indent, labelWidth } = options;
  const lines = wrap(text, Math.max(30, 100 - indent - labelWidth));
  return lines
    .map((line, index) => `${" ".repeat(indent)}${padTo(index === 0 ? label : "", labelWidth)}${line}`)
    .join("\n");
}

/** A duration for people: `0.4s`, `12.3s`, `2m5s`, `1h30m`. Negative and non-finite values count as 0. */
export function elapsedText(seconds: number): string {
  const known = Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
  return known < 59.95 ? `${known.toFixed(1)}s` : formatDuration(Math.round(known) * 1000);
}

/** Another machine's time, to the minute: `2026-01-02 03:04` (UTC). */
export function minuteText(iso: string | null): string {
  return iso === null ? "-" : printable(iso.slice(0, 16).replace("T", " "));
}

export interface TableColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly alignRight?: boolean;
}

/** A table of aligned columns, two spaces apart, without rules: easy to read and to cut with awk. */
export function table<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[], style: Style): string {
  const cells = rows.map((row) => columns.map((column) => column.cell(row)));
  const widths = columns.map((column, index) =>
    Math.max(visibleLength(column.title), ...cells.map((line) => visibleLength(line[index]!))),
  );
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => {
        const space = " ".repeat(widths[index]! - visibleLength(text));
        return columns[index]!.alignRight ? space + text : text + space;
      })
      .join("  ")
      .trimEnd();
  const heading = line(columns.map((column) => column.title)).trimEnd();
  return [style.faint(heading), ...cells.map(line)].join("\n");
}

/** A bar such as `######----`. `fraction` outside 0 to 1, or not a number, counts as the nearer end. */
export function bar(fraction: number, width: number, style: Style): string {
  const full = Math.round(Math.min(1, Math.max(0, Number.isFinite(fraction) ? fraction : 0)) * width);
  return style.bar.full.repeat(full) + style.bar.empty.repeat(width - full);
}

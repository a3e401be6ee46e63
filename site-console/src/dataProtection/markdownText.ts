/** Pieces of Markdown (CommonMark with GitHub's tables) whose text cannot become markup. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const controls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;
/** An underscore inside a word, as in a column's name, stands for itself. */
const marks = /[\\`*[\]<>|~&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Text of anybody, on one line, as text and nothing else: within a heading, a table or a line that has begun. */
export function inline(text: string): string {
  return text.replace(controls, " ").trim().replace(marks, "\\$&");
}

/** The same as a paragraph of its own: it begins no heading, list or rule. */
export function plain(text: string): string {
  return inline(text)
    .replace(/^[#+=-]/, "\\$&")
    .replace(/^(\d{1,9})([.)])/, "$1\\$2");
}

export function heading(level: number, text: string): string {
  return `${"#".repeat(level)} ${inline(text)}`;
}

export function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${plain(item)}`).join("\n");
}

/** Boxes to tick. */
export function tasks(items: readonly string[]): string {
  return items.map((item) => `- [ ] ${plain(item)}`).join("\n");
}

/** Named values, one a line. */
export function named(items: readonly (readonly [name: string, value: string])[]): string {
  return items.map(([name, value]) => `- **${inline(name)}:** ${inline(value)}`).join("\n");
}

export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => inline(cell) || " ").join(" | ")} |`;
  return [line(titles), `|${titles.map(() => " --- |").join("")}`, ...rows.map(line)].join("\n");
}

/** Parts with an empty line between them; empty ones are left out. */
export function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

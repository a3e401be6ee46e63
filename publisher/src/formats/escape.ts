/**
 * Text as one line of Markdown that shows exactly it: no markup, no HTML, no links, no line breaks. Fit for a table's
 * cell too.
 */
export function markdownText(text: string): string {
  return (
    oneLine(text)
      .replace(/[\\`*_{}[\]<>#|~&$!@]/g, "\\$&")
      // At a line's start these would begin a list or underline a heading.
      .replace(/^([-+=])/, "\\$1")
      .replace(/^(\d+)([.)])/, "$1\\$2")
      // A bare address would become a link.
      .replace(/:\/\//g, ":\\/\\/")
      .replace(/www\./gi, (match) => match.replace(".", "\\."))
  );
}

/** A table of cells that are Markdown already. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Paragraphs of Markdown, of text with blank lines between them. */
export function paragraphs(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map(markdownText)
    .filter((paragraph) => paragraph !== "");
}

/** Text for the content of an HTML element or a quoted attribute. */
export function htmlText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this takes out
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
}

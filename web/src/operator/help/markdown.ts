/** The part of Markdown that the project's documents use, as blocks and spans. */

export type Span =
  | { readonly kind: "text" | "code" | "strong" | "em"; readonly text: string }
  | { readonly kind: "link"; readonly href: string; readonly spans: readonly Span[] }
  /** A place that links lead to. */
  | { readonly kind: "anchor"; readonly id: string };

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly id: string; readonly spans: readonly Span[] }
  | { readonly kind: "paragraph" | "quote"; readonly spans: readonly Span[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: readonly (readonly Block[])[] }
  | {
      readonly kind: "table";
      readonly head: readonly (readonly Span[])[];
      readonly rows: readonly (readonly (readonly Span[])[])[];
    };

const item = /^( *)(?:[-*]|(\d+)\.) +/;
const rule = /^\|?[\s:|-]*-{3,}[\s:|-]*$/;

export function blocksOf(text: string): Block[] {
  const lines = text.replace(/<!--[\s\S]*?-->/g, "").split("\n");
  const blocks: Block[] = [];
  let at = 0;
  const next = () => lines[at] ?? "";
  while (at < lines.length) {
    const line = next();
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    const fence = /^```/.exec(line);
    if (line.trim() === "") at++;
    else if (heading !== null) {
      blocks.push({
        kind: "heading",
        level: heading[1]!.length,
        id: anchorOf(plain(heading[2]!)),
        spans: spansOf(heading[2]!),
      });
      at++;
    } else if (fence !== null) {
      const code: string[] = [];
      for (at++; at < lines.length && !next().startsWith("```"); at++) code.push(next());
      at++;
      blocks.push({ kind: "code", text: code.join("\n") });
    } else if (line.startsWith("|") && rule.test(lines[at + 1] ?? "")) {
      const rows: Span[][][] = [];
      for (at += 2; next().startsWith("|"); at++) rows.push(cellsOf(next()));
      blocks.push({ kind: "table", head: cellsOf(line), rows });
    } else if (item.test(line)) {
      const [list, end] = listOf(lines, at);
      blocks.push(list);
      at = end;
    } else {
      const isQuote = line.startsWith(">");
      const own: string[] = [];
      for (; at < lines.length && !isBreak(next(), own.length > 0); at++)
        own.push(next().replace(/^> ?/, "").trim());
      blocks.push({ kind: isQuote ? "quote" : "paragraph", spans: spansOf(own.join(" ")) });
    }
  }
  return blocks;
}

/** Whether a line ends the paragraph before it. */
function isBreak(line: string, hasBegun: boolean): boolean {
  return hasBegun && (line.trim() === "" || /^(#{1,6} |```|\|)/.test(line) || item.test(line));
}

function listOf(lines: readonly string[], from: number): [Block, number] {
  const [, indent = "", digits] = item.exec(lines[from]!)!;
  const items: Block[][] = [];
  let at = from;
  while (at < lines.length) {
    const mark = item.exec(lines[at]!);
    if (mark === null || mark[1] !== indent || (mark[2] === undefined) !== (digits === undefined)) break;
    const width = mark[0].length;
    const own = [lines[at]!.slice(width)];
    for (at++; at < lines.length; at++) {
      const line = lines[at]!;
      const isInside = line.startsWith(" ".repeat(indent.length + 2));
      // A blank line belongs to the item if what follows does.
      const isBlankInside =
        line.trim() === "" && (lines[at + 1] ?? "").startsWith(" ".repeat(indent.length + 2));
      if (!isInside && !isBlankInside) break;
      own.push(line.slice(0, width).trim() === "" ? line.slice(width) : line.trimStart());
    }
    items.push(blocksOf(own.join("\n")));
    while ((lines[at] ?? "x").trim() === "" && item.test(lines[at + 1] ?? "")) at++;
  }
  return [{ kind: "list", isOrdered: digits !== undefined, items }, at];
}

/** A table's cells; a bar in code, or after a backslash, divides none. */
function cellsOf(line: string): Span[][] {
  const cells = [""];
  let isCode = false;
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  for (let i = 0; i < inner.length; i++) {
    const c = inner[i]!;
    if (c === "\\" && inner[i + 1] === "|") cells[cells.length - 1] += inner[++i]!;
    else if (c === "|" && !isCode) cells.push("");
    else {
      if (c === "`") isCode = !isCode;
      cells[cells.length - 1] += c;
    }
  }
  return cells.map((cell) => spansOf(cell.trim()));
}

const inline =
  /<a id="([^"]+)"><\/a>|`([^`]+)`|!\[[^\]]*\]\([^)]*\)|\[((?:[^\][]|`[^`]*`)+)\]\(([^)\s]+)\)|\*\*([^*]+)\*\*|\*([^*\s](?:[^*]*[^*\s])?)\*/g;

export function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  const add = (until: number) => {
    if (until > end) spans.push({ kind: "text", text: text.slice(end, until) });
  };
  for (const found of text.matchAll(inline)) {
    const [whole, id, code, label, href, strong, em] = found;
    add(found.index);
    end = found.index + whole.length;
    if (id !== undefined) spans.push({ kind: "anchor", id });
    else if (code !== undefined) spans.push({ kind: "code", text: code });
    else if (href !== undefined) spans.push({ kind: "link", href, spans: spansOf(label!) });
    else if (strong !== undefined) spans.push({ kind: "strong", text: strong });
    else if (em !== undefined) spans.push({ kind: "em", text: em });
  }
  add(text.length);
  return spans;
}

const plain = (text: string): string => spansOf(text).map(textOf).join("");
const textOf = (span: Span): string =>
  span.kind === "anchor" ? "" : span.kind === "link" ? span.spans.map(textOf).join("") : span.text;

/** As repositories' pages make it: what links in documents are written for. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
    .replaceAll(" ", "-");
}

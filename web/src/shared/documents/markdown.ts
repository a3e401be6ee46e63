/** The Markdown of the documents about methods: what they use of it and no more. Text in other forms stays as it is written. */

export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis"; readonly of: readonly Inline[] }
  | { readonly kind: "link"; readonly to: string; readonly of: readonly Inline[] }
  | { readonly kind: "anchor"; readonly id: string };

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly id: string; readonly of: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly of: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: readonly (readonly Inline[])[] }
  | {
      readonly kind: "table";
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    };

const bullet = /^ {0,1}[-*] +/;
const numbered = /^ {0,1}\d+[.)] +/;
const isItem = (line: string) => bullet.test(line) || numbered.test(line);
const isBlank = (line: string | undefined) => line === undefined || line.trim() === "";
const isTable = (line: string) => line.startsWith("|");
const opensBlock = (line: string) => /^#{1,6} |^```/.test(line) || isTable(line) || isItem(line);

/** Takes lines from `start` as long as they fit. */
function run(lines: readonly string[], start: number, fits: (line: string) => boolean): string[] {
  let end = start;
  while (end < lines.length && fits(lines[end]!)) end++;
  return lines.slice(start, end);
}

export function parseMarkdown(text: string): Block[] {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const [block, taken] = blockAt(lines, at);
    if (block !== null) blocks.push(block);
    at += taken;
  }
  return blocks;
}

/** @returns the block that begins at a line, if any, and how many lines it takes */
function blockAt(lines: readonly string[], at: number): [Block | null, number] {
  const line = lines[at]!;
  if (isBlank(line)) return [null, 1];
  const heading = /^(#{1,6}) (.+)$/.exec(line);
  if (heading !== null) {
    const [, marks, title] = heading;
    return [{ kind: "heading", level: marks!.length, id: anchorOf(title!), of: parseInline(title!) }, 1];
  }
  if (line.startsWith("```")) {
    const body = run(lines, at + 1, (one) => !one.startsWith("```"));
    return [{ kind: "code", text: body.join("\n") }, body.length + 2];
  }
  if (line.startsWith("    ")) {
    const body = run(lines, at, (one) => one.startsWith("    ") || isBlank(one));
    return [
      {
        kind: "code",
        text: body
          .map((one) => one.slice(4))
          .join("\n")
          .trimEnd(),
      },
      body.length,
    ];
  }
  if (isTable(line)) {
    const [head, , ...rows] = run(lines, at, isTable);
    return [{ kind: "table", head: cellsOf(head!), rows: rows.map(cellsOf) }, rows.length + 2];
  }
  if (isItem(line)) return listAt(lines, at);
  const body = [line, ...run(lines, at + 1, (one) => !isBlank(one) && !opensBlock(one))];
  return [{ kind: "paragraph", of: parseInline(body.map((one) => one.trim()).join(" ")) }, body.length];
}

function listAt(lines: readonly string[], at: number): [Block, number] {
  const items: string[] = [];
  let end = at;
  for (;;) {
    const line = lines[end];
    if (line !== undefined && isItem(line)) items.push(line.replace(/^\s*(?:[-*]|\d+[.)]) +/, ""));
    else if (line !== undefined && !isBlank(line) && line.startsWith(" "))
      items.push(`${items.pop()!} ${line.trim()}`);
    // A blank line within a list does not end it.
    else if (!isBlank(line) || lines[end + 1] === undefined || !isItem(lines[end + 1]!)) break;
    end++;
  }
  return [{ kind: "list", isOrdered: numbered.test(lines[at]!), items: items.map(parseInline) }, end - at];
}

function cellsOf(line: string): Inline[][] {
  const cells = line
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split(/(?<!\\)\|/);
  return cells.map((cell) => parseInline(cell.trim().replaceAll("\\|", "|")));
}

/** Code, an anchor, a link, strong and emphasised text, in this order. */
const marks =
  /(`+)(.+?)\1(?!`)|<a id="([\w-]+)"><\/a>|\[((?:[^[\]]|\[[^[\]]*\])*)\]\(([^()\s]+)\)|\*\*(?=\S)(.+?\S?)\*\*|(?<![\w*])\*(?=[^\s*])([^*]*[^\s*])\*(?![\w*])/u;

export function parseInline(text: string): Inline[] {
  const found = marks.exec(text);
  if (found === null) return text === "" ? [] : [{ kind: "text", text }];
  const before = text.slice(0, found.index);
  const after = text.slice(found.index + found[0].length);
  return [
    ...(before === "" ? [] : [{ kind: "text" as const, text: before }]),
    marked(found),
    ...parseInline(after),
  ];
}

function marked([, ticks, code, anchor, label, to, strong, emphasis]: RegExpExecArray): Inline {
  if (ticks !== undefined) return { kind: "code", text: code! };
  if (anchor !== undefined) return { kind: "anchor", id: anchor };
  if (to !== undefined) return { kind: "link", to, of: parseInline(label!) };
  if (strong !== undefined) return { kind: "strong", of: parseInline(strong) };
  return { kind: "emphasis", of: parseInline(emphasis!) };
}

/** As `scripts/anchorOf.ts` has it, which links in the documents are written for. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
    .replaceAll(" ", "-");
}

/**
 * Where a link in a document leads among these documents: `methods/pca#dp-pca` from `METHODS`.
 * @returns null for what is not among them
 */
export function resolvedLink(from: string, to: string, known: ReadonlySet<string>): string | null {
  if (to.startsWith("#")) return `${from}${to}`;
  const [path, anchor] = to.split("#") as [string, string | undefined];
  if (!path.endsWith(".md")) return null;
  const parts = from.split("/").slice(0, -1);
  for (const part of path.replace(/\.md$/, "").split("/"))
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  const page = parts.join("/");
  return known.has(page) ? `${page}${anchor === undefined ? "" : `#${anchor}`}` : null;
}

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { anchorOf } from "../../../../scripts/anchorOf";
import { type Block, blocksOf, type Span } from "./markdown";

const docs = fileURLToPath(new URL("../../../../docs/", import.meta.url));

it("reads headings, lists in lists, tables and code", () => {
  const text = [
    "# A `title`",
    "A *line*",
    "and [another](methods/pca.md#x).",
    "",
    "- one",
    "  continues",
    "  - within",
    "- two",
    "",
    "| a | b |",
    "| --- | --- |",
    '| `x|y` | <a id="z"></a>**c** |',
    "```sh",
    "# no heading",
    "```",
  ].join("\n");
  expect(blocksOf(text)).toMatchObject([
    { kind: "heading", level: 1, id: "a-title" },
    {
      kind: "paragraph",
      spans: [
        { kind: "text" },
        { kind: "em", text: "line" },
        { kind: "text", text: " and " },
        { kind: "link", href: "methods/pca.md#x" },
        { kind: "text" },
      ],
    },
    {
      kind: "list",
      items: [
        [{ kind: "paragraph" }, { kind: "list", items: [[{ kind: "paragraph" }]] }],
        [{ kind: "paragraph" }],
      ],
    },
    {
      kind: "table",
      rows: [
        [
          [{ kind: "code", text: "x|y" }],
          [
            { kind: "anchor", id: "z" },
            { kind: "strong", text: "c" },
          ],
        ],
      ],
    },
    { kind: "code", text: "# no heading" },
  ]);
});

const named = [
  "STUDY",
  "METHODS",
  "OPERATIONS",
  "ERRORS",
  "THREAT_MODEL",
  "omop",
  "recoding",
  "tutorials/operator",
];
const methods = readdirSync(`${docs}methods`).map((name) => `methods/${name.replace(/\.md$/, "")}`);

it.each([...named, ...methods])("reads docs/%s.md whole, with the anchors that its links name", (name) => {
  const text = readFileSync(`${docs}${name}.md`, "utf8");
  const blocks = blocksOf(text);
  const ids = new Set(blocks.flatMap(idsOf));
  const headings = text.replace(/```[\s\S]*?\n```/g, "").matchAll(/^#{1,6} (.*)$/gm);
  for (const [, heading] of headings)
    expect(ids).toContain(
      anchorOf(heading!.replace(/<a id="[^"]+"><\/a>|[`*]|\[([^\]]+)\]\([^)]*\)/g, "$1")),
    );
  for (const [, id] of text.matchAll(/<a id="([^"]+)"><\/a>/g)) expect(ids).toContain(id);
  expect(textsOf(blocks).filter((one) => /```|^\| |\]\(\S+\.md/.test(one))).toEqual([]);
});

const spansIn = (block: Block): readonly Span[] => {
  switch (block.kind) {
    case "list":
      return block.items.flat().flatMap(spansIn);
    case "table":
      return [...block.head, ...block.rows.flat()].flat();
    case "code":
      return [];
    default:
      return block.spans;
  }
};
const idsOf = (block: Block): string[] => [
  ...(block.kind === "heading" ? [block.id] : []),
  ...(block.kind === "list" ? block.items.flat().flatMap(idsOf) : []),
  ...spansIn(block).flatMap((span) => (span.kind === "anchor" ? [span.id] : [])),
];
const textsOf = (blocks: readonly Block[]): string[] =>
  blocks.flatMap(spansIn).flatMap((span) => (span.kind === "text" ? [span.text] : []));

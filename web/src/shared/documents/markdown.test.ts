import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type Block, type Inline, parseInline, parseMarkdown, resolvedLink } from "./markdown";

it("reads what the documents are written with", () => {
  const blocks = parseMarkdown(
    [
      "# Title",
      '<a id="x"></a>',
      "",
      "One `a*b*` and **two [links](pca.md#y)**,",
      "*said* 2*3*4.",
      "",
      "    p = 1",
      "",
      "- first",
      "  continues",
      "- second",
      "",
      "| a | b |",
      "| --- | --- |",
      "| 1 | \\|c\\| |",
      "```sh",
      "# no heading",
      "```",
    ].join("\n"),
  );
  expect(blocks.map(({ kind }) => kind)).toEqual([
    "heading",
    "paragraph",
    "paragraph",
    "code",
    "list",
    "table",
    "code",
  ]);
  expect(blocks[2]).toEqual({
    kind: "paragraph",
    of: [
      { kind: "text", text: "One " },
      { kind: "code", text: "a*b*" },
      { kind: "text", text: " and " },
      {
        kind: "strong",
        of: [
          { kind: "text", text: "two " },
          { kind: "link", to: "pca.md#y", of: [{ kind: "text", text: "links" }] },
        ],
      },
      { kind: "text", text: ", " },
      { kind: "emphasis", of: [{ kind: "text", text: "said" }] },
      { kind: "text", text: " 2*3*4." },
    ],
  });
  expect(blocks[4]).toMatchObject({
    isOrdered: false,
    items: [parseInline("first continues"), parseInline("second")],
  });
  expect(blocks[5]).toMatchObject({ rows: [[[{ text: "1" }], [{ text: "|c|" }]]] });
});

const docs = new URL("../../../../docs/", import.meta.url);
const names = [
  "METHODS",
  "references",
  ...readdirSync(new URL("methods/", docs)).map((name) => `methods/${name.replace(/\.md$/, "")}`),
];
const pages = new Map(
  names.map((name) => [name, parseMarkdown(readFileSync(new URL(`${name}.md`, docs), "utf8"))]),
);

function inlinesOf(block: Block): Inline[] {
  const parts =
    block.kind === "table"
      ? [...block.head, ...block.rows.flat()]
      : block.kind === "list"
        ? block.items
        : "of" in block
          ? [block.of]
          : [];
  const flat = (of: readonly Inline[]): Inline[] =>
    of.flatMap((one) => [one, ...("of" in one ? flat(one.of) : [])]);
  return parts.flatMap((part) => flat(part));
}

it("finds every link among the documents, and leaves no mark of a link in the text", () => {
  const anchors = new Set(
    [...pages].flatMap(([name, blocks]) => [
      name,
      ...blocks.flatMap((block) => (block.kind === "heading" ? [`${name}#${block.id}`] : [])),
      ...blocks.flatMap((block) =>
        inlinesOf(block).flatMap((one) => (one.kind === "anchor" ? [`${name}#${one.id}`] : [])),
      ),
    ]),
  );
  const known = new Set(names);
  let links = 0;
  for (const [name, blocks] of pages)
    for (const inline of blocks.flatMap(inlinesOf)) {
      if (inline.kind === "text") expect(inline.text, name).not.toMatch(/\]\(|<a |\*\*/);
      if (inline.kind !== "link") continue;
      const to = resolvedLink(name, inline.to, known);
      if (to === null) continue;
      links++;
      expect(anchors.has(to), `${name}: ${inline.to}`).toBe(true);
    }
  expect(links).toBeGreaterThan(100);
  expect(anchors.has("METHODS#dp-histboost-proof")).toBe(true);
});

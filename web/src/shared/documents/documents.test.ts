import { readdirSync, readFileSync } from "node:fs";
import type { Tokens } from "marked";
import { expect, it } from "vitest";
import { renderErrors } from "../../../../scripts/errorsDoc";
import { renderStudy } from "../../../../scripts/studyDoc";
import { addressOf, documentsAt, proofAddress } from "./documents";
import { anchorOf, blocksOf, leadsOn, markedPlace, partsOf, plainText, within } from "./markdown";

const docs = new URL("../../../../docs/", import.meta.url);
const names = [
  ..."STUDY METHODS OPERATING HOSPITAL ERRORS THREAT_MODEL references omop recoding tutorials/operator".split(
    " ",
  ),
  ...readdirSync(new URL("methods/", docs)).map((name) => `methods/${name.replace(/\.md$/, "")}`),
];
const files = names.map((name) => [`../../../docs/${name}.md`, async () => ""] as const);
const documents = documentsAt("/help", Object.fromEntries(files));

/** Pages that are made from the sources. */
const made: Readonly<Record<string, () => string>> = { ERRORS: renderErrors, STUDY: renderStudy };
const textOf = (name: string) => made[name]?.() ?? readFileSync(new URL(`${name}.md`, docs), "utf8");
const pages = new Map(names.map((name) => [name, [...partsOf(blocksOf(textOf(name)))]]));

/** What a page shows of a document. */
const shown = new Set(
  `heading paragraph text code blockquote list list_item table html space
   codespan strong em link escape`.split(/\s+/),
);

it("shows every part of the documents, and has the place that each link among them names", () => {
  const places = new Set(
    [...pages].flatMap(([name, tokens]) => [
      `/help/${name}`,
      ...tokens.flatMap((token) => {
        const id = token.type === "heading" ? anchorOf(token as Tokens.Heading) : markedPlace(token);
        return id === null ? [] : [`/help/${name}#${id}`];
      }),
    ]),
  );
  let links = 0;
  for (const [name, tokens] of pages) {
    for (const token of tokens) {
      if (token.type !== "image") expect(shown, `${name}: ${token.raw}`).toContain(token.type);
      if (token.type !== "link") continue;
      const to = addressOf(documents, name, (token as Tokens.Link).href);
      if (to === null || to.startsWith("http")) continue;
      links++;
      expect(places, `${name}: ${token.raw}`).toContain(to.startsWith("#") ? `/help/${name}${to}` : to);
    }
  }
  expect(links).toBeGreaterThan(100);
  expect(places).toContain("/help/METHODS#dp-histboost-proof");
});

it("shows no HTML but anchors, and leaves comments out", () => {
  const [title, text] = blocksOf('# A `<b>` <a id="a-b"></a>\n\n<!-- made -->\n\nOne <img src=x> & two.');
  expect(plainText(within(title!))).toBe("A <b> ");
  expect(anchorOf(title as Tokens.Heading)).toBe("a-b");
  expect(within(text!).map((span) => (span.type === "html" ? markedPlace(span) : span.raw))).toEqual([
    "One ",
    null,
    " & two.",
  ]);
});

it("leads to the documents it has, and to no other file", () => {
  const from = "methods/pca";
  expect(addressOf(documents, from, "../METHODS.md#proof")).toBe("/help/METHODS#proof");
  expect(addressOf(documents, from, "survival.md")).toBe("/help/methods/survival");
  expect(addressOf(documents, from, "../../gate/src/fold.ts")).toBeNull();
  expect(addressOf(documents, from, "../no-such-page.md")).toBeNull();
  expect(addressOf(documents, from, "https://example.org/a.md")).toBe("https://example.org/a.md");
  expect(addressOf(documents, from, "javascript:alert(1)")).toBeNull();
  expect(proofAddress("docs/METHODS.md#dp-pca-proof")).toBe("/documents/METHODS#dp-pca-proof");
  expect(proofAddress("docs/METHODS.md", "/help")).toBe("/help/METHODS");
  expect(proofAddress("[ZHU] Theorem 2")).toBeNull();
});

it("leads from the name of a proof in a certificate straight to the proof", () => {
  const methods = blocksOf(readFileSync(new URL("METHODS.md", docs), "utf8"));
  const proofs = [...partsOf(methods)].flatMap((part) =>
    part.type === "html" ? (markedPlace(part) ?? []) : [],
  );
  const named = proofs.filter((id) => id.endsWith("-proof"));
  expect(named.length).toBeGreaterThan(10);
  for (const id of named)
    expect(leadsOn(methods, id), id).toMatch(new RegExp(`^methods/[\\w-]+\\.md#${id}$`));
  expect(leadsOn(methods, "patient")).toBeNull();
  expect(leadsOn(methods, "no-such-place")).toBeNull();
  const pca = blocksOf(readFileSync(new URL("methods/pca.md", docs), "utf8"));
  expect(leadsOn(pca, "dp-pca-proof")).toBeNull();
});

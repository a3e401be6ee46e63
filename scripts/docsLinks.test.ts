import { describe, expect, it } from "vitest";
import {
  allDocumentFaults,
  anchorsOf,
  commandFault,
  documentFaults,
  linkFaults,
  namedPlaceFaults,
  shellCalls,
} from "./docsLinks.js";
import { generatedPages, readProjectFile } from "./repository.js";

describe("documents", () => {
  it("link to what exists, and give commands that exist", async () => {
    expect(await allDocumentFaults()).toEqual([]);
  });
});

it("may lead to pages that are made from the sources, and to their headings", async () => {
  const at = async (text: string) => (await documentFaults({ path: "docs/A.md", text }, new Set())).length;
  expect(await at("[a](ERRORS.md#refusals) [b](CLI.md#exit-codes) [c](STUDY.md)\n")).toBe(0);
  expect(await at("[a](ERRORS.md#no-such-heading)\n")).toBe(1);
});

it("made from the sources are ignored by git", () => {
  const ignored = readProjectFile(".gitignore").split("\n");
  expect(ignored).toEqual(expect.arrayContaining(generatedPages.map((page) => `/${page}`)));
});

describe("links", () => {
  const files: Record<string, string> = {
    "docs/B.md": "# One\n\n## Two words, `code`\n\n## Two words, code\n",
  };
  const faults = async (text: string) =>
    (await linkFaults({ path: "docs/A.md", text }, async (path) => files[path] ?? null)).map(
      ({ place, what }) => `${place} ${what}`,
    );

  it("to files, headings and elsewhere are followed", async () => {
    expect(anchorsOf(files["docs/B.md"]!)).toEqual(new Set(["one", "two-words-code", "two-words-code-1"]));
    expect(
      await faults(
        "# Here\n[a](B.md#one) [b](#here) [c](https://x.org) `[d](no.md)`\n```\n[e](no.md)\n```\n",
      ),
    ).toEqual([]);
  });

  it("that lead nowhere are faults", async () => {
    expect(await faults("[a](C.md)\n[b](B.md#three)\n[c]: ../../x.md\n")).toEqual([
      "docs/A.md:1 C.md: there is no such file",
      "docs/A.md:2 B.md#three: there is no such heading",
      "docs/A.md:3 ../../x.md: leads out of the project",
    ]);
  });
});

it("places that a program's sentence names and no document has are faults", async () => {
  const document = "# One\n\n## A query as a table\n\n## Spark\n";
  const read = async (path: string) => (path === "docs/B.md" ? document : null);
  const faults = async (text: string) =>
    (await namedPlaceFaults({ path: "a.ts", text }, read)).map(({ place, what }) => `${place} ${what}`);
  for (const sentence of [
    "docs/B.md, Spark, those of x",
    'docs/B.md, "A query as a table")',
    "docs/B.md#spark.",
  ])
    expect(await faults(`see ${sentence}`)).toEqual([]);
  expect(await faults("x\nsee docs/B.md, Sparkle\ndocs/C.md\ndocs/B.md#two")).toEqual([
    "a.ts:2 docs/B.md, Sparkle: there is no such section",
    "a.ts:3 docs/C.md: there is no such file",
    "a.ts:4 docs/B.md#two: there is no such heading",
  ]);
});

it("diagrams that cannot be drawn are faults", async () => {
  const text = "```mermaid\nsequenceDiagram\n  A->>B: one; two\n  B->>A: three\n```\n";
  const faults = await documentFaults({ path: "docs/A.md", text }, new Set());
  expect(faults.map(({ place }) => place)).toEqual(["docs/A.md:3"]);
});

describe("commands", () => {
  const calls = (code: string) =>
    shellCalls(`text\n\`\`\`sh\n${code}\n\`\`\`\n`).map(({ words }) => words.join(" "));

  it("are found in shell blocks, whatever stands around them", () => {
    expect(calls('CONSILIUM_HOME=/x consilium invite "st mary" --json | jq -r .token > t # then')).toEqual([
      "invite st mary --json",
    ]);
    expect(calls("consilium init \\\n  --name a && npx consilium sites")).toEqual(["init --name a", "sites"]);
    expect(calls("docker compose exec aggregator consilium sites\nls consilium")).toEqual(["sites"]);
    expect(calls("docker compose run --rm operator study list\ndocker compose run --rm init")).toEqual([
      "study list",
    ]);
    expect(calls("consilium site enroll --token-file <file>.token")).toEqual([
      "site enroll --token-file <file>.token",
    ]);
  });

  it("that the command line does not understand are faults", async () => {
    expect(await commandFault(["study", "start", "x.yaml", "--watch"])).toBeNull();
    expect(await commandFault(["study", "begin", "x.yaml"])).toContain("unknown command");
    expect(await commandFault(["study", "start", "x.yaml", "--follow"])).toContain("unknown option");
    expect(await commandFault(["study", "start"])).toContain("missing required argument");
    const text =
      "`consilium ledger forge` `consilium study begin x` `consilium study start` `npm run nothing`\n";
    const faults = await documentFaults({ path: "docs/A.md", text }, new Set(["check"]));
    expect(faults.map(({ what }) => what)).toEqual([
      "consilium ledger forge: no such command",
      "consilium study begin x: no such command",
      "npm run nothing: no such script",
    ]);
  });
});

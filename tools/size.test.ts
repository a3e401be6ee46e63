import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadedBy } from "../scripts/boundaries/loaded.js";
import type { SourceFacts } from "../scripts/boundaries/program.js";
import { censusOf } from "./census.js";
import { type ReadingList, readingLists } from "./limits.js";
import {
  describeCensus,
  documentFaults,
  documentsOf,
  filesToRead,
  linesIn,
  ownCensus,
  sizeFault,
  wayTo,
} from "./size.js";

const file = (path: string, ...targets: readonly string[]): SourceFacts => ({
  path,
  imports: targets.map((target) => ({
    line: 1,
    specifier: target,
    isWhole: false,
    target: target.replace(/^(?:type|later) /, ""),
    isValue: !target.startsWith("type "),
    isLater: target.startsWith("later "),
  })),
  mentions: [],
});

const facts = [
  file("a/src/main.ts", "a/src/two.ts", "type a/src/types.ts", "node:fs"),
  file("a/src/two.ts", "b/src/one.ts", "a/src/main.ts"),
  file("a/src/types.ts"),
  file("a/src/two.test.ts", "a/src/two.ts"),
  file("b/src/one.ts"),
];

const madeUp: ReadingList = { name: "made-up", of: ["a/src"], limit: null, reason: "made up", later: [] };

describe("a reading list", () => {
  it("has what a file loads, before the file, and no types", () => {
    expect(loadedBy("a/src/main.ts", facts)).toEqual(["b/src/one.ts", "a/src/two.ts", "a/src/main.ts"]);
  });

  it("has the sources of a folder and what they load, and no tests", () => {
    expect(loadedBy("a/src", facts).sort()).toEqual([
      "a/src/main.ts",
      "a/src/two.ts",
      "a/src/types.ts",
      "b/src/one.ts",
    ]);
  });

  it("leaves out what is loaded for a named reason alone, but not where it is imported as well", () => {
    const later = [
      file("a/src/main.ts", "later b/src/one.ts"),
      file("b/src/one.ts", "b/src/two.ts"),
      file("b/src/two.ts"),
    ];
    const isWithout = (path: string) => path === "b/src/one.ts";
    expect(loadedBy("a/src/main.ts", later)).toHaveLength(3);
    expect(loadedBy("a/src/main.ts", later, isWithout)).toEqual(["a/src/main.ts"]);
    const both = [
      file("a/src/main.ts", "later b/src/one.ts", "a/src/x.ts"),
      file("a/src/x.ts", "b/src/one.ts"),
      ...later.slice(1),
    ];
    expect(loadedBy("a/src/main.ts", both, isWithout)).toHaveLength(4);
  });

  it("tells the way from a process to a file, by imports that load it", () => {
    expect(wayTo("a/src/main.ts", "b/src/one.ts", facts)).toEqual([
      "a/src/main.ts",
      "a/src/two.ts",
      "b/src/one.ts",
    ]);
    expect(wayTo("a/src/main.ts", "a/src/types.ts", facts)).toBeNull();
  });

  it("counts lines with and without comments and blank ones", () => {
    const text = 'const a = "/* no comment */";\n\n/** One\n * two */\nconst b = 1; // with code\n// alone\n';
    expect(linesIn(text)).toEqual({ lines: 6, code: 2 });
  });

  it("of several entries has each file once, and what is loaded later where it is not left out", () => {
    const several = [
      file("a/src/main.ts", "later b/src/one.ts", "c/src/shared.ts"),
      file("b/src/main.ts", "c/src/shared.ts", "later c/src/rare.ts"),
      file("b/src/one.ts"),
      file("c/src/shared.ts"),
      file("c/src/rare.ts"),
    ];
    const list = { ...madeUp, of: ["a/src/main.ts", "b/src/main.ts"] };
    expect(filesToRead({ ...list, later: [{ files: /rare/, why: "rare" }] }, several)).toEqual([
      "b/src/one.ts",
      "c/src/shared.ts",
      "a/src/main.ts",
      "b/src/main.ts",
    ]);
    expect(filesToRead(list, several)).toHaveLength(5);
  });

  it("has the limit that the reviewer reads of", () => {
    const review = readFileSync(new URL("../docs/REVIEW.md", import.meta.url), "utf8");
    for (const { name, limit, reason } of readingLists) {
      expect(review, name).toContain(`npm run size -- ${name} `);
      expect(reason, name).not.toBe("");
      if (limit !== null) expect(review, name).toContain(`at most ${limit.toLocaleString("en")}`);
    }
  });

  it("has a limit of lines with code", () => {
    const list = { ...madeUp, name: "a", limit: 1_010 };
    expect(sizeFault(list, 1_010)).toBeNull();
    expect(sizeFault(list, 1_011)).toContain("1,011 lines with code, at most 1,010");
    expect(sizeFault({ ...list, limit: null }, 2_000)).toBeNull();
  });
});

it("documents are within their budget", () => {
  const { words } = documentsOf(ownCensus());
  expect(words).toBeGreaterThan(10_000);
  expect(documentFaults(ownCensus())).toEqual([]);
});

describe("a census", () => {
  const text = (path: string, ...lines: readonly string[]) => ({ path, text: `${lines.join("\n")}\n` });
  const census = censusOf([
    text("a/src/one.ts", "// none", "const a = 1;", "", "const b = 2;"),
    text("a/src/one.test.ts", "const c = 3;"),
    text("a/testing/made.ts", "const d = 4;"),
    text("a/src/generated/api.ts", "const e = 5;", "const f = 6;"),
    text("b/run.py", "# none", "e = 5"),
    text("b/README.md", "# One", "| two | - |", "three"),
    text("research/figures/one.svg", "<svg>", "</svg>"),
    text("research/utility.md", "four words of figures"),
    text("c/data.json", "{}"),
  ]);

  it("counts sources, tests and documents of each package by their own measures", () => {
    expect(census.packages).toEqual([
      {
        name: "a",
        source: { files: 1, amount: 2 },
        tests: { files: 2, amount: 2 },
        documents: { files: 0, amount: 0 },
      },
      {
        name: "b",
        source: { files: 1, amount: 1 },
        tests: { files: 0, amount: 0 },
        documents: { files: 1, amount: 3 },
      },
    ]);
  });

  it("holds words and documents to a budget", () => {
    expect(documentsOf(census)).toEqual({ words: 3, documents: 1 });
    expect(documentFaults(census, { words: 3, documents: 1 })).toEqual([]);
    expect(documentFaults(census, { words: 2, documents: 0 })).toEqual([
      "documents: 3 words, at most 2 (tools/limits.ts): take out before you put in",
      "documents: 1 documents, at most 0 (tools/limits.ts): take out before you put in",
    ]);
  });

  it("counts apart what programs wrote and what benches measured", () => {
    expect(census.generatedCode).toEqual({ files: 1, amount: 2 });
    expect(census.research).toEqual({ files: 2, amount: 4 });
    expect(describeCensus(census)).toContain("generated code: 2 lines in 1 files");
  });
});

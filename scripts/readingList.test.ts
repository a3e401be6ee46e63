import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadedBy } from "./boundaries/loaded.js";
import type { SourceFacts } from "./boundaries/program.js";
import { linesIn, readingLists, sizeFault, wayTo } from "./readingList.js";

const file = (path: string, ...targets: readonly string[]): SourceFacts => ({
  path,
  imports: targets.map((target) => ({
    ...{ line: 1, specifier: target, isWhole: false },
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

  it("has the limit that the reviewer is told of", () => {
    const review = readFileSync(new URL("../docs/REVIEW.md", import.meta.url), "utf8");
    for (const { name, most } of readingLists) expect(review, name).toContain(most!.toLocaleString("en"));
  });

  it("has a limit", () => {
    const list = { name: "a", of: "a/src", most: 10, without: [] };
    expect(sizeFault(list, 10)).toBeNull();
    expect(sizeFault(list, 11)).toContain("11 lines, at most 10");
    expect(sizeFault({ ...list, most: null }, 11)).toBeNull();
  });
});

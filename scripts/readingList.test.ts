import { describe, expect, it } from "vitest";
import { loadedBy } from "./boundaries/loaded.js";
import type { SourceFacts } from "./boundaries/program.js";
import { sizeFault } from "./readingList.js";

const file = (path: string, ...targets: readonly string[]): SourceFacts => ({
  path,
  imports: targets.map((target) => ({
    ...{ line: 1, specifier: target, isWhole: false },
    target: target.replace("type ", ""),
    isValue: !target.startsWith("type "),
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

  it("has a limit", () => {
    const list = { name: "a", of: "a/src", most: 10 };
    expect(sizeFault(list, 10)).toBeNull();
    expect(sizeFault(list, 11)).toContain("11 lines, at most 10");
    expect(sizeFault({ ...list, most: null }, 11)).toBeNull();
  });
});

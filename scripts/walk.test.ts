import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { sourceFacts } from "./boundaries/check.js";
import { readProjectFile } from "./repository.js";

/** The two walks of docs/ARCHITECTURE.md against the imports. */

const facts = sourceFacts(fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, ""));
const loadedBy = new Map(
  facts.map(({ path, imports }) => [
    path,
    imports.flatMap(({ target, isValue }) => (isValue && target !== null ? [target] : [])),
  ]),
);
// Started by `startProcess.ts` beside it, not imported.
loadedBy.get("site-agent/src/tables/tableProcess.ts")!.push("site-agent/src/tables/main.ts");
const architecture = readProjectFile("docs/ARCHITECTURE.md");

const sectionOf = (title: string) => {
  const text = architecture.split(`\n## ${title}\n`)[1]!.split("\n## ")[0]!;
  return [...text.matchAll(/`([\w./-]+\/[\w.-]+\.ts)`/g)].map((match) => match[1]!);
};

/** Files of a walk that no earlier one loads. */
function strays(walk: readonly string[], loads: ReadonlyMap<string, readonly string[]>): string[] {
  return walk
    .slice(1)
    .filter((path, i) => !walk.slice(0, i + 1).some((before) => loads.get(before)?.includes(path)));
}

describe("the walk of one vector", () => {
  const walk = sectionOf("One vector, from a row to the wire");

  it("goes through at most thirty files, each loaded by one before it", () => {
    expect(new Set(walk).size).toBe(walk.length);
    expect(walk.length).toBeGreaterThan(20);
    expect(walk.length).toBeLessThanOrEqual(30);
    expect(strays(walk, loadedBy)).toEqual([]);
  });

  it("would show a file that is not on the way", () => {
    expect(strays([...walk, "site-agent/src/socket/server.ts"], loadedBy)).toEqual([]);
    expect(strays(walk.slice(0, 2).concat("publisher/src/deposit/receive.ts"), loadedBy)).toEqual([
      "publisher/src/deposit/receive.ts",
    ]);
    expect(strays(walk, new Map())).toHaveLength(walk.length - 1);
  });
});

it("the walk of one study names files that exist", () => {
  const missing = sectionOf("One study through the code").filter((path) => {
    // `studies/joining.ts` is short for the one file of which the text has just named the package.
    return !facts.some((one) => one.path === path || one.path.endsWith(`/src/${path}`));
  });
  expect(missing).toEqual([]);
});

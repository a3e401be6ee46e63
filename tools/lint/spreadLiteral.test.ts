import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/repository.js";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "consilium-lint-"));
  const { plugins } = JSON.parse(readFileSync(join(projectRoot, "biome.json"), "utf8")) as {
    plugins: string[];
  };
  const absolute = plugins.map((path) => join(projectRoot, path));
  writeFileSync(join(folder, "biome.json"), JSON.stringify({ plugins: absolute }));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Lines of a source that the project's plugins of the linter find wrong. */
function linesFound(source: string, name = "made-up.ts"): number[] {
  writeFileSync(join(folder, name), source);
  const biome = join(projectRoot, "node_modules/@biomejs/biome/bin/biome");
  const { stdout, stderr } = spawnSync(process.execPath, [biome, "lint", "--reporter=github", name], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(stderr).not.toContain("configuration");
  const found = `${stdout}${stderr}`.matchAll(/^::error .*?line=(\d+).*::A literal is spread into its own/gm);
  return [...found].map(([, line]) => Number(line));
}

describe("the linter refuses a literal that is spread into its own neighbour", () => {
  it("in an object, an array, a call, under a type, in an element", () => {
    const wrong = [
      "const own = { d: 3 };",
      "export const a = { ...{ a: 1, b: 2 }, d: 3 };",
      "export const b = [...[1, 2], 3];",
      "export const c = Math.max(...[1, 2]);",
      "export const d = { ...({ a: 1 } as const), ...own };",
      "export const e = { ...own, ...{ a: 1 } };",
    ];
    expect(linesFound(wrong.join("\n"))).toEqual([2, 3, 4, 5, 6]);
    expect(linesFound('export const a = <p {...{ id: "b" }} />;\n', "made-up.tsx")).toEqual([1]);
  });

  it("and nothing else that is spread", () => {
    const right = [
      "const own = [1];",
      "const isLong = own.length > 1;",
      "export const a = { ...(isLong ? { a: 1 } : {}), d: 3 };",
      "export const b = [...(isLong ? [1] : []), 3];",
      "export const c = [...own, ...[1, 2].map((x) => x + 1)];",
      "export const d = Math.max(...own);",
    ];
    expect(linesFound(right.join("\n"))).toEqual([]);
  });
});

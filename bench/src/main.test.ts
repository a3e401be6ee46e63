import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

it("every bench has its line in README.md, and every line there a bench", () => {
  const benches = [...read("main.ts").matchAll(/^ {2}"?([\w-]+)"?: \(\) => import\(/gm)].map(
    ([, name]) => name,
  );
  const lines = [...read("../README.md").matchAll(/^npm run bench -- ([\w-]+) +#/gm)].map(([, name]) => name);
  expect(benches.length).toBeGreaterThan(1);
  expect(lines.toSorted()).toEqual(benches.toSorted());
});

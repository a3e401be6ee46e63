import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { sum } from "../testing/example.js";

const read = (path: string) => readFileSync(`${import.meta.dirname}/../${path}`, "utf8");

it("of README.md is testing/example.ts, and sums three vectors", () => {
  const blocks = [...read("README.md").matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((block) => block[1]);
  expect(blocks.join("\n")).toBe(read("testing/example.ts"));
  expect([...sum]).toEqual([3, 30, 300]);
});

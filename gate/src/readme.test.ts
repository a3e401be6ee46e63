import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL(".", import.meta.url));

describe("the README's reading order", () => {
  it("names every file of the package once", () => {
    const rows = readFileSync(`${folder}../README.md`, "utf8").matchAll(/^\| \[(src\/\S+\.ts)\]/gm);
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
      .map((path) => `src/${path.replaceAll("\\", "/")}`);
    expect([...rows].map(([, path]) => path).sort()).toEqual(sources.sort());
  });
});

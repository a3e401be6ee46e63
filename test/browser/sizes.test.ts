import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

const dist = fileURLToPath(new URL("../../web/dist", import.meta.url));
const maxBytes = 200_000;

/** Scripts that a page loads before anything is asked for: those in its HTML, and what they import. */
function scriptsOf(entry: string): Set<string> {
  const found = new Set<string>();
  const follow = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    const text = readFileSync(`${dist}/assets/${name}`, "utf8");
    for (const [, imported] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) follow(imported!);
  };
  const html = readFileSync(`${dist}/${entry}.html`, "utf8");
  for (const [, name] of html.matchAll(/\/assets\/([\w.-]+\.js)"/g)) follow(name!);
  return found;
}

describe("the scripts of a page's entry", () => {
  it.each(["operator", "hospital", "catalogue"])("%s: under 200 kB compressed", (entry) => {
    const scripts = scriptsOf(entry);
    expect(scripts.size).toBeGreaterThan(0);
    const bytes = [...scripts].reduce(
      (sum, name) => sum + gzipSync(readFileSync(`${dist}/assets/${name}`), { level: 9 }).length,
      0,
    );
    expect(bytes).toBeLessThan(maxBytes);
  });

  it("do not hold the plotting library", () => {
    const plotting = readdirSync(`${dist}/assets`).filter((name) => name.startsWith("plotted-"));
    expect(plotting.length).toBeGreaterThan(0);
    for (const entry of ["operator", "hospital", "catalogue"]) {
      for (const name of plotting) expect(scriptsOf(entry)).not.toContain(name);
    }
  });
});

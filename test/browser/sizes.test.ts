import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

const dist = fileURLToPath(new URL("../../web/dist", import.meta.url));
const maxBytes = 110_000;

const read = (name: string) => readFileSync(`${dist}/assets/${name}`, "utf8");

/** Scripts that a page loads before anything is asked for: those in its HTML, and what they import. */
function scriptsOf(entry: string): Set<string> {
  const found = new Set<string>();
  const follow = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, imported] of read(name).matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g))
      follow(imported!);
  };
  const html = readFileSync(`${dist}/${entry}.html`, "utf8");
  for (const [, name] of html.matchAll(/\/assets\/([\w.-]+\.js)"/g)) follow(name!);
  return found;
}

describe("the scripts of a page's entry", () => {
  it.each(["operator", "hospital", "catalogue"])("%s: under 110 kB compressed", (entry) => {
    const scripts = scriptsOf(entry);
    expect(scripts.size).toBeGreaterThan(0);
    const bytes = [...scripts].reduce(
      (sum, name) => sum + gzipSync(readFileSync(`${dist}/assets/${name}`), { level: 9 }).length,
      0,
    );
    expect(bytes).toBeLessThan(maxBytes);
  });

  it.each([
    ["the plotting library", (name: string) => name.startsWith("plotted-")],
    ["the schemas' library", (name: string) => /["`]ZodError["`]/.test(read(name))],
  ])("do not hold %s", (_, isLate) => {
    const late = readdirSync(`${dist}/assets`).filter((name) => name.endsWith(".js") && isLate(name));
    expect(late.length).toBeGreaterThan(0);
    for (const entry of ["operator", "hospital", "catalogue"]) {
      for (const name of late) expect(scriptsOf(entry)).not.toContain(name);
    }
  });
});

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { capturedIo } from "../testing/terminal/io.js";
import { commandModules } from "./program.js";
import { runCli } from "./run.js";

/**
 * What the command loads before it does anything. Its time is that of loading modules, which depends on the machine; their
 * number does not.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Sources and packages that importing these files loads, without what import() loads later. */
function loadedBy(...files: readonly string[]): { sources: Set<string>; packages: Set<string> } {
  const [sources, packages] = [new Set<string>(), new Set<string>()];
  const waiting = [...files];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (sources.has(file)) continue;
    sources.add(file);
    const text = readFileSync(join(root, file), "utf8");
    for (const [, name] of text.matchAll(/^(?:import|export) (?!type )(?:[^;"']*? from )?"([^"]+)";/gm)) {
      const target = sourceOf(name!, file);
      if (target !== null) waiting.push(target);
      else if (!name!.startsWith("node:")) packages.add(name!);
    }
  }
  return { sources, packages };
}

function sourceOf(name: string, from: string): string | null {
  if (name.startsWith(".")) return join(dirname(from), name.replace(/\.js$/, ".ts"));
  const [, workspace, path] = /^@consilium\/([^/]+)\/(.+)$/.exec(name) ?? [];
  if (workspace === undefined) return null;
  const places = [`${workspace}/src/${path}.ts`, `${workspace}/${path}.ts`];
  const found = places.find((place) => existsSync(join(root, place)));
  if (found === undefined) throw new Error(`${from}: no source of ${name}`);
  return found;
}

describe("what is loaded", () => {
  it("for --version and --help is commander and a few files", () => {
    const { sources, packages } = loadedBy("cli/src/main.ts");
    expect([...packages]).toEqual(["commander", "picocolors"]);
    expect(sources.size).toBeLessThanOrEqual(25);
  });

  it.each([
    ["study", "cli/src/study/study.ts"],
    ["sites", "cli/src/federation/sites.ts"],
    ["tables", "cli/src/federation/tables.ts"],
    ["release", "cli/src/release/release.ts"],
  ])("for light verbs of %s is no method, no schema and no network stack", (_, file) => {
    const { sources, packages } = loadedBy("cli/src/main.ts", file);
    expect(
      [...sources].filter((path) =>
        /^methods|^site-agent|^core\/src\/(?:study\/study|release\/cert)/.test(path),
      ),
    ).toEqual([]);
    expect([...packages].sort()).toEqual(["commander", "openapi-fetch", "picocolors"]);
    expect(sources.size).toBeLessThanOrEqual(70);
  });

  it("is seen: reading a study loads the schemas", () => {
    const { sources, packages } = loadedBy("cli/src/study/studyFile.ts", "core/src/study/planView.ts");
    expect([...packages]).toEqual(expect.arrayContaining(["yaml", "zod"]));
    expect([...sources]).toContain("core/src/study/study.ts");
  });
});

describe("a command that is not loaded", () => {
  it("has the summary of the one that is", async () => {
    const { Command } = await import("commander");
    for (const { commands, load } of commandModules) {
      const parent = new Command();
      (await load())({ root: parent, verb: () => undefined, list: () => undefined }, parent);
      expect(Object.fromEntries(parent.commands.map((one) => [one.name(), one.summary()]))).toEqual(commands);
    }
  });

  it("is found whatever global options come before it", async () => {
    for (const argv of [
      ["--json", "study", "--help"],
      ["--home", "study", "study", "--help"],
      ["--home=x", "--no-color", "help", "study"],
    ]) {
      const io = capturedIo();
      expect(await runCli(argv, io)).toBe(0);
      expect(io.out(), argv.join(" ")).toContain("consilium study new dp-pca");
    }
  });
});

describe("help", () => {
  const shown = async (...argv: string[]) => {
    const io = capturedIo();
    const code = await runCli(argv, io);
    return { code, text: io.out() + io.err() };
  };

  it("of a verb is that verb's own", async () => {
    const { code, text } = await shown("help", "study", "start");
    expect([code, text]).toEqual([0, (await shown("study", "start", "--help")).text]);
    expect((await shown("help", "study")).text).toBe((await shown("study", "--help")).text);
    expect((await shown("help")).text).toBe((await shown("--help")).text);
    expect((await shown("help", "sites")).text).toContain("Usage: consilium sites");
  });

  it("of no verb says so", async () => {
    const { code, text } = await shown("help", "study", "begin");
    expect([code, text]).toEqual([2, expect.stringContaining("unknown command 'begin'")]);
    expect((await shown("help", "nothing")).code).toBe(2);
  });
});

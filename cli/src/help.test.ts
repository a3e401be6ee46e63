import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { capturedIo } from "../testing/terminal/io.js";
import { buildProgram, commandPath, everyCommand } from "./program.js";
import { runCli } from "./run.js";

/**
 * The help of every verb, word for word. A change of the command line shows in these files; they are written by hand
 * or with `consilium <verb> --help`, never to turn the test green.
 */
const folder = fileURLToPath(new URL("../help/", import.meta.url));
const program = buildProgram(async () => {}, {});
const paths = everyCommand(program.root).map(commandPath);
const fileOf = (path: string) => `${path === "" ? "consilium" : path.replaceAll(" ", "-")}.txt`;

async function help(path: string): Promise<string> {
  const io = capturedIo();
  expect(await runCli([...path.split(" ").filter(Boolean), "--help"], io)).toBe(0);
  return io.out();
}

describe("--help", () => {
  it.each(paths)("of %s is the committed text", async (path) => {
    expect(await help(path)).toBe(await readFile(`${folder}${fileOf(path)}`, "utf8"));
  });

  it("has a text for every verb and no other", async () => {
    expect((await readdir(folder)).sort()).toEqual(paths.map(fileOf).sort());
  });

  it.each(paths)("of %s fits the page and shows an example", async (path) => {
    const text = await help(path);
    for (const line of text.split("\n")) expect(line.length, line).toBeLessThanOrEqual(112);
    if (path !== "") expect(text).toContain("  $ consilium ");
  });

  it("gives examples that the command line understands", async () => {
    for (const path of paths) {
      const examples = (await help(path)).replaceAll("\\\n", " ").matchAll(/\$ consilium ([^|>&\n]*)/g);
      for (const [, written] of examples) {
        const understood: string[] = [];
        const probe = buildProgram(
          async (command) => {
            understood.push(commandPath(command));
          },
          { outputError: () => {}, writeErr: () => {} },
        );
        const words = [...written!.matchAll(/"([^"]*)"|(\S+)/g)].map((word) => word[1] ?? word[2]!);
        // In a list of examples what follows two spaces is a remark.
        const remark = written!.search(/\S {2,}\S/);
        const argv = remark < 0 ? words : written!.slice(0, remark + 1).split(/\s+/);
        await probe.root.parseAsync(argv, { from: "user" });
        expect(understood, written).toHaveLength(1);
      }
    }
  });
});

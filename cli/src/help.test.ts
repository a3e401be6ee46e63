import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { capturedIo } from "../testing/terminal/io.js";
import { buildProgram, commandPath, everyCommand } from "./program.js";
import { runCli } from "./run.js";

/**
 * The help of every verb. Changes of the command line show in these files; update them by hand or with `consilium
 * <verb> --help` after reading the difference.
 */
const folder = fileURLToPath(new URL("../help/", import.meta.url));
const program = await buildProgram(async () => {}, {});
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

  it("has exactly one text for every verb", async () => {
    expect((await readdir(folder)).sort()).toEqual(paths.map(fileOf).sort());
  });

  it.each(paths)("of %s fits the page width and shows an example", async (path) => {
    const text = await help(path);
    for (const line of text.split("\n")) expect(line.length, line).toBeLessThanOrEqual(112);
    if (path !== "") expect(text).toContain("  $ consilium ");
  });

  it("gives examples that the command line understands", async () => {
    for (const path of paths) {
      const examples = (await help(path)).replaceAll("\\\n", " ").matchAll(/\$ consilium ([^|>&\n]*)/g);
      for (const [, written] of examples) {
        const understood: string[] = [];
        const probe = await buildProgram(
          async (command) => {
            understood.push(commandPath(command));
          },
          { outputError: () => {}, writeErr: () => {} },
        );
        const words = [...written!.matchAll(/"([^"]*)"|(\S+)/g)].map((word) => word[1] ?? word[2]!);
        // In a list of examples, text after two spaces is a remark.
        const remark = written!.search(/\S {2,}\S/);
        const argv = remark < 0 ? words : written!.slice(0, remark + 1).split(/\s+/);
        await probe.root.parseAsync(argv, { from: "user" });
        expect(understood, written).toHaveLength(1);
      }
    }
  });
});

import { describe, expect, it } from "vitest";
import { capturedIo } from "../testing/terminal/io.js";
import { buildProgram, commandPath, everyCommand } from "./program.js";
import { runCli } from "./run.js";

const program = await buildProgram(async () => {}, {});
const paths = everyCommand(program.root).map(commandPath);

async function help(path: string): Promise<string> {
  const io = capturedIo();
  expect(await runCli([...path.split(" ").filter(Boolean), "--help"], io)).toBe(0);
  return io.out();
}

describe("--help", () => {
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

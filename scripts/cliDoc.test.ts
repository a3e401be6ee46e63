import { expect, it } from "vitest";
import { buildProgram, commandPath, everyCommand } from "../cli/src/program.js";
import { renderCli } from "./cliDoc.js";

it("has every verb with its summary and its help, and every exit code", async () => {
  const text = await renderCli();
  const { root } = await buildProgram(async () => {}, {});
  for (const command of everyCommand(root)) {
    if (command === root) continue;
    const path = commandPath(command);
    const section = text.split(new RegExp(`^##+ consilium ${path}$`, "m"))[1]?.split("\n##")[0];
    expect(section, path).toContain(`Usage: consilium ${path}`);
    if (command.commands.length === 0)
      expect(text).toMatch(new RegExp(`^\\| \\[\`${path}\`\\]\\(#[a-z-]+\\) \\| \\S`, "m"));
  }
  for (const code of ["0", "1", "2", "3", "4", "130"]) expect(text).toContain(`| ${code} |`);
});

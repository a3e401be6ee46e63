import { expect, it } from "vitest";
import { buildProgram, commandPath, everyCommand } from "../cli/src/program.js";
import { cliDocument, renderCli } from "./cliDoc.js";
import { readProjectFile } from "./repository.js";

it("is what the program says: npx tsx --tsconfig tsconfig.check.json scripts/cliDoc.ts > docs/CLI.md", async () => {
  expect(readProjectFile(cliDocument)).toBe(await renderCli());
});

it("has every verb and every exit code", async () => {
  const text = readProjectFile(cliDocument);
  const { root } = await buildProgram(async () => {}, {});
  for (const command of everyCommand(root)) {
    if (command !== root) expect(text).toMatch(new RegExp(`^##+ consilium ${commandPath(command)}$`, "m"));
  }
  for (const code of ["0", "1", "2", "3", "4", "130"]) expect(text).toContain(`| ${code} |`);
});

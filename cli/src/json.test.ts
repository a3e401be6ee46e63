import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { capturedIo } from "../testing/terminal/io.js";
import { buildProgram, commandPath, everyCommand } from "./program.js";
import { runCli } from "./run.js";

/**
 * Every command with --json, without a federation: each prints one JSON value on standard output. Commands that need no
 * federation succeed; the answers of the others are in their own tests.
 */
const leaves = everyCommand((await buildProgram(async () => {}, {})).root).filter(
  ({ commands }) => commands.length === 0,
);

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-json-"));
  await runCli(
    ["study", "new", "dp-pca", "--to", join(home, "pca.yaml"), "--title", "Small", "--creator", "Anna"],
    capturedIo({ workingFolder: home }),
  );
  await writeFile(join(home, "token"), "x\n");
});
afterEach(() => rm(home, { recursive: true }));

/** A value for every required argument. */
function argumentsOf(command: Command): string[] {
  const examples: Readonly<Record<string, string>> = {
    shell: "bash",
    method: "dp-ka",
    site: "st-mary",
    file: "pca.yaml",
    role: "viewer",
  };
  return command.registeredArguments
    .filter((argument) => argument.required)
    .map((argument) => {
      if (commandPath(command) === "site profile") return "pca.yaml";
      return examples[argument.name()] ?? argument.argChoices?.[0] ?? "something";
    });
}

/** Commands that need no federation, with a key of their result. */
const works: Readonly<Record<string, string>> = {
  init: "federation",
  "study new": "method",
  "study validate": "valid",
  "study plan": "stages",
  "study calibrate": "rho",
  "study schema": "$id",
  // The first of a list.
  methods: "0",
  completion: "script",
  "context list": "contexts",
};

describe("--json", () => {
  it.each(leaves.map((command) => [commandPath(command), command] as const))(
    "of %s is one JSON value",
    async (path, command) => {
      const io = capturedIo({ environment: { CONSILIUM_HOME: home }, workingFolder: home, input: "" });
      // An unusual port: a federation on this machine may answer on the default one.
      const nowhere = command.options.some(({ long }) => long === "--publisher")
        ? ["--publisher", "http://127.0.0.1:1"]
        : [];
      const code = await runCli([...path.split(" "), ...argumentsOf(command), ...nowhere, "--json"], io);
      const lines = io.out().trimEnd().split("\n");
      expect(lines, io.err()).toHaveLength(1);
      const answer = JSON.parse(lines[0]!) as Record<string, unknown>;
      // Only the answer, without error text.
      expect(io.err()).not.toMatch(/^\[[A-Z_]+\]/m);
      const key = works[path];
      if (key !== undefined) {
        expect([code, Object.keys(answer)]).toEqual([0, expect.arrayContaining([key])]);
        return;
      }
      expect(code, io.out()).not.toBe(0);
      expect(answer.error).toEqual(
        expect.objectContaining({
          code: expect.stringMatching(/^[A-Z_]+$/),
          message: expect.any(String),
          remedy: expect.any(String),
        }),
      );
      expect((answer.error as { code: string }).code).not.toBe("INTERNAL");
    },
  );
});

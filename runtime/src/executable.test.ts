import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** Runs a program of this module, given as its text, as a child that has a channel. @returns its exit code and all that it printed */
async function run(text: string): Promise<[code: number, printed: string]> {
  const folder = await mkdtemp(join(tmpdir(), "consilium-executable-"));
  const program = join(folder, "program.mjs");
  const executable = fileURLToPath(new URL("executable.ts", import.meta.url));
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const core = (path: string) => JSON.stringify(join(root, "core/src", path));
  await writeFile(
    program,
    text.replace("#executable", executable).replaceAll(/"#core\/(.+?)"/g, (_, path: string) => core(path)),
  );
  const child = fork(program, [], {
    cwd: root,
    execArgv: ["--import", "tsx"],
    env: { ...process.env, TSX_TSCONFIG_PATH: join(root, "tsconfig.check.json") },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let printed = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (bytes: Buffer) => {
      printed += bytes.toString("utf8");
    });
  const [code] = (await once(child, "close")) as [number];
  await rm(folder, { recursive: true });
  return [code, printed];
}

it("ends in order where its parent ended while it loaded its modules", async () => {
  const ended = await run(`process.disconnect();
await new Promise((resolve) => setImmediate(resolve));
const { runExecutable } = await import("#executable");
await runExecutable({ usage: "", defaultState: () => "", start: async () => console.log("started") });`);
  expect(ended).toEqual([1, ""]);
});

it("says in words why it does not start, with the remedy", async () => {
  const ended = await run(`const { runExecutable } = await import("#executable");
const { faults } = await import("#core/fault.ts");
const remedy = { code: "table.move-away", params: {} };
await runExecutable({ usage: "", defaultState: () => "/nowhere", start: async () => {
  throw faults()("CONFIG_INVALID", "table.beside-keys", { folder: "/srv" }, { remedy });
} });`);
  expect(ended).toEqual([
    1,
    "[CONFIG_INVALID] Tables are read in /srv, and the agent's keys are in or below it: whatever reads the tables could read the keys. " +
      "Move the tables to a folder outside of the agent's state folder, or name each file in config.yaml.\n",
  ]);
});

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("ends in order where its parent ended while it loaded its modules", async () => {
  const folder = await mkdtemp(join(tmpdir(), "consilium-executable-"));
  const program = join(folder, "program.mjs");
  const executable = fileURLToPath(new URL("executable.ts", import.meta.url));
  await writeFile(
    program,
    `process.disconnect();
await new Promise((resolve) => setImmediate(resolve));
const { runExecutable } = await import(${JSON.stringify(executable)});
await runExecutable({ usage: "", defaultState: () => "", start: async () => console.log("started") });`,
  );
  const root = fileURLToPath(new URL("../..", import.meta.url));
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
  expect([code, printed]).toEqual([1, ""]);
});

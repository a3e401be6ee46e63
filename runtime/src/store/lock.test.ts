import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { afterEach, beforeEach, expect, it } from "vitest";
import { lockState } from "./lock.js";

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "consilium-lock-")), "state");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

it("says of a folder in which nothing can be written that it is so", async () => {
  writeFileSync(folder, "a file, so that nothing can lie below it");
  await expect(inEnglish(lockState(join(folder, "below")))).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining("is not writable") as string,
  });
  await expect(lockState("/proc/self")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

const tsx = createRequire(import.meta.url).resolve("tsx");

/** Another process that takes the lock by the same code, says so, and keeps it. */
async function otherHolder() {
  const script = `import { lockState } from ${JSON.stringify(new URL("./lock.ts", import.meta.url).href)};
    await lockState(process.argv[1]); console.log("held"); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--import", tsx, "--input-type=module", "-e", script, folder], {
    stdio: ["ignore", "pipe", "inherit"],
    // Our packages resolve to their sources, as in the tests, so that no build is needed.
    env: {
      ...process.env,
      TSX_TSCONFIG_PATH: fileURLToPath(new URL("../../../tsconfig.check.json", import.meta.url)),
    },
  });
  const [said] = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  expect(String(said)).toContain("held");
  return child;
}

it("gives a folder to one holder at a time, in one process too", async () => {
  const lock = await lockState(folder);
  await expect(lockState(folder)).rejects.toMatchObject({ code: "STATE_LOCKED" });
  lock.release();
  lock.release();
  (await lockState(folder)).release();
});

it("names the other process, and is free the moment that one is killed", async () => {
  const child = await otherHolder();
  await expect(inEnglish(lockState(folder))).rejects.toMatchObject({
    code: "STATE_LOCKED",
    message: expect.stringContaining(`by process ${child.pid}`),
  });
  child.kill("SIGKILL");
  await once(child, "exit");
  (await lockState(folder)).release();
});

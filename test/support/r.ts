import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import type { TestContext } from "vitest";

const run = promisify(execFile);

/**
 * Runs a program in R without any package, in a folder of its own, or skips the test, loudly; with CONSILIUM_FORBID_SKIPS=1 it fails instead.
 * @returns what the program printed
 * @throws with its standard error if it fails
 */
export async function runR(
  context: Pick<TestContext, "skip">,
  script: string,
  options: { readonly folder: string; readonly variables?: Readonly<Record<string, string>> },
): Promise<string> {
  if (spawnSync("Rscript", ["--version"]).status !== 0) {
    const message = "needs R: Rscript does not start";
    if (process.env.CONSILIUM_FORBID_SKIPS === "1")
      throw new Error(`${message}; CONSILIUM_FORBID_SKIPS=1 forbids to skip it`);
    process.stderr.write(`\nSKIPPED: ${message}\n`);
    return context.skip(message);
  }
  const { stdout } = await run("Rscript", ["--vanilla", "-e", script], {
    cwd: options.folder,
    env: { ...process.env, LC_ALL: "C.UTF-8", ...options.variables },
    maxBuffer: 64 * 1024 * 1024,
    timeout: 120_000,
  });
  return stdout;
}

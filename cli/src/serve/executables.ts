import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { ConsiliumError } from "@consilium/core/errors";
import type { Session } from "../session.js";

export type ExecutableName = "aggregator" | "publisher" | "site-agent" | "site-console";

/** The built executable of another package, resolved from `cli/dist/serve/` or `cli/src/serve/`. */
export function executableOf(name: ExecutableName, entry = "main"): string {
  return fileURLToPath(new URL(`../../../${name}/dist/${entry}.js`, import.meta.url));
}

/**
 * Starts a package's executable with this command's input and output.
 * @param options.supervised - with a channel on which it reports readiness, and whose end stops it when this process
 * ends
 * @throws ConsiliumError CONFIG_INVALID if it is not built or cannot be started
 */
export async function startExecutable(
  session: Session,
  name: ExecutableName,
  options: { readonly args: readonly string[]; readonly supervised: boolean },
): Promise<ChildProcess> {
  const executable = executableOf(name);
  await access(executable).catch((cause: unknown) => {
    throw new ConsiliumError("CONFIG_INVALID", `the ${name} is not built: ${executable} is missing`, {
      remedy: "build it: `npm run build` in Consilium's folder",
      cause,
    });
  });
  const child = spawn(process.execPath, [executable, ...options.args], {
    stdio: options.supervised ? ["inherit", "inherit", "inherit", "ipc"] : "inherit",
    cwd: session.io.workingFolder,
    env: session.io.environment,
  });
  try {
    await once(child, "spawn");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "unknown";
    throw new ConsiliumError("CONFIG_INVALID", `the ${name} cannot be started: ${why}`, { cause });
  }
  return child;
}

/** Its exit code as a shell reports it, so that a supervisor sees the same code. */
export function exitOf(child: ChildProcess): Promise<number> {
  const codeOf = (code: number | null, signal: NodeJS.Signals | null) =>
    code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  if (child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve(codeOf(child.exitCode, child.signalCode));
  return new Promise((resolve) => child.once("exit", (code, signal) => resolve(codeOf(code, signal))));
}

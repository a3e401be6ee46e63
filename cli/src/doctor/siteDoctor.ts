import { execFile } from "node:child_process";
import { ConsiliumError, isErrorCode } from "@consilium/core/errors";
import { parseJson } from "../http/reach.js";
import { executableOf } from "../serve/executables.js";
import type { Session } from "../session.js";

/** The site agent's doctor in a process of its own: only that package reads tables. */

/** @returns its answer, or what `doctorFault` makes an error of */
export function runSiteDoctor(
  session: Session,
  args: readonly string[],
  timeoutMs: number,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [executableOf("site-agent", "doctor/main"), ...args],
      {
        cwd: session.io.workingFolder,
        env: session.io.environment,
        signal: session.interrupted,
        timeout: timeoutMs,
        maxBuffer: 64 * 1024 * 1024,
      },
      (cause, stdout) => {
        if (session.interrupted.aborted) reject(new ConsiliumError("INTERRUPTED", "interrupted", { cause }));
        else resolve(parseJson(stdout));
      },
    );
  });
}

/** The error in an answer that is not what was asked for. */
export function doctorFault(answer: unknown): ConsiliumError {
  const { code, message, remedy } = (answer ?? {}) as { code?: string; message?: string; remedy?: string };
  if (code !== undefined && isErrorCode(code))
    return new ConsiliumError(code, message ?? code, remedy === undefined ? {} : { remedy });
  return new ConsiliumError("INTERNAL", "no answer from the site agent's doctor", {
    remedy: "make sure both have the same version: `npm run build` in Consilium's folder",
  });
}

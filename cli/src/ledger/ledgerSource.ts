import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { promisify } from "node:util";
import { ConsiliumError, isErrorCode } from "@consilium/core/errors";
import type { HospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import { executableOf } from "../serve/executables.js";
import type { Session } from "../session.js";
import { agentOf } from "../site/agentSocket.js";

/**
 * Sources of a ledger: the running agent or, without one, a process of the site agent's code that only reads the state
 * folder. No package imports that code.
 */

/** Verifying takes about a millisecond per entry. */
export const ledgerTimeoutMs = 10 * 60_000;

const answerMaxBytes = 1 << 30;

/** The agent's answer, or null with a note to the user if no agent is running. */
export async function askRunning<T>(
  session: Session,
  state: string,
  ask: (agent: HospitalAgent) => Promise<T>,
): Promise<T | null> {
  try {
    return await ask(agentOf(session, state, ledgerTimeoutMs));
  } catch (thrown) {
    if (!(thrown instanceof ConsiliumError) || thrown.code !== "UNREACHABLE") throw thrown;
    session.note(`No agent is running with ${state}: reading its store directly.`);
    return null;
  }
}

/** The executables that read a state folder at rest, each in its own process. */
const readers = {
  ledger: executableOf("site-agent", "ledger/atRest"),
  protectionFacts: executableOf("site-agent", "dataProtection/atRest"),
  dataProtection: executableOf("site-console", "dataProtection/main"),
  siteUpgrade: executableOf("site-agent", "upgrade/check"),
  aggregatorUpgrade: executableOf("aggregator", "upgrade/check"),
} as const;

/**
 * Reads a state folder without an agent.
 * @param argv - the reader's arguments, such as for site-agent/src/ledger/atRest.ts
 * @param input - for its standard input
 * @throws ConsiliumError as the reader's own code says
 */
export async function askAtRest(
  session: Session,
  argv: readonly string[],
  reader: keyof typeof readers = "ledger",
  input?: unknown,
): Promise<unknown> {
  const executable = readers[reader];
  await access(executable).catch((cause: unknown) => {
    throw new ConsiliumError(
      "CONFIG_INVALID",
      `the state folder reader is not built: ${executable} is missing`,
      {
        remedy: "build it: `npm run build` in Consilium's folder",
        cause,
      },
    );
  });
  const reading = promisify(execFile)(process.execPath, [executable, ...argv], {
    cwd: session.io.workingFolder,
    env: session.io.environment,
    maxBuffer: answerMaxBytes,
    signal: session.interrupted,
  });
  if (input !== undefined) reading.child.stdin?.end(JSON.stringify(input));
  const { stdout } = await reading.catch((cause: unknown) => {
    const interrupted = session.interrupted.aborted;
    throw new ConsiliumError(
      interrupted ? "INTERRUPTED" : "INTERNAL",
      interrupted ? "interrupted while reading the state folder" : "no answer from the state folder reader",
      { cause },
    );
  });
  const { answer, error } = JSON.parse(stdout) as { answer?: unknown; error?: ErrorView };
  if (error === undefined) return answer;
  const { code, message, remedy } = error;
  if (!isErrorCode(code)) throw new ConsiliumError("INTERNAL", `${code}: ${message}`, { remedy });
  throw new ConsiliumError(code, message, { remedy });
}

interface ErrorView {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

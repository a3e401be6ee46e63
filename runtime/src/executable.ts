import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { toConsiliumError } from "@consilium/core/errors";
import { installTransfer } from "./arrayBufferTransfer.js";
import { heapGrowth } from "./heapGrowth.js";
import { errorFields } from "./log.js";
import { writeFailure } from "./store/diskFull.js";
import { enforceTlsPolicy } from "./tls/policy.js";

/**
 * The main of a process that runs until it is stopped: reads `--state`, starts, and exits with a readable error: code 1
 * if it cannot start, 2 for an invalid command line.
 * @param options.usage - what `--help` prints
 * @param options.defaultState - the folder without `--state`
 * @param options.furtherOptions - names of options that take a text, beside `--state`
 * @param options.start - returns once the process is ready; what it opened keeps the process alive
 */
export async function runExecutable<Option extends string = never>(options: {
  readonly usage: string;
  readonly defaultState: () => string;
  readonly furtherOptions?: readonly Option[];
  readonly start: (state: string, given: Partial<Record<Option, string>>) => Promise<void>;
}): Promise<void> {
  enforceTlsPolicy();
  setFlagsFromString(heapGrowth);
  installTransfer();
  const given = readOptions(options.usage, options.furtherOptions ?? []);
  if (given.help) {
    process.stdout.write(options.usage);
    return;
  }
  endWithParent();
  let state: string | null = null;
  try {
    state = resolve(given.state ?? options.defaultState());
    await options.start(state, given as Partial<Record<Option, string>>);
  } catch (thrown) {
    // Words are loaded by a process that ends, and by no agent that runs.
    const { spokenError } = await import("./http/spoken.js");
    const error = spokenError(toConsiliumError(state === null ? thrown : writeFailure(thrown, state)));
    process.stderr.write(`${error.describe()}\n`);
    if (error.family === "internal") process.stderr.write(`${JSON.stringify(errorFields(error))}\n`);
    // What was opened before the failure would keep the process alive.
    process.exit(1);
  }
}

/** A process that `consilium serve` started with a channel shuts down when the parent ends for any reason. */
function endWithParent(): void {
  if (process.channel === undefined) return;
  // It ended while this process loaded its modules: nobody says so again.
  if (!process.connected) process.exit(1);
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  // The channel alone keeps no process alive.
  process.channel.unref();
}

/** Reports readiness to the supervising process, if any. */
export function sayReady(): void {
  if (process.connected) process.send?.("ready");
}

function readOptions(
  usage: string,
  further: readonly string[],
): { state?: string; help?: boolean } & Readonly<Record<string, unknown>> {
  const texts = Object.fromEntries(further.map((name) => [name, { type: "string" as const }]));
  try {
    const { values } = parseArgs({
      options: { ...texts, state: { type: "string" }, help: { type: "boolean" } },
    });
    return values as { state?: string; help?: boolean };
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : "wrong options"}\n\n${usage}`);
    process.exit(2);
  }
}

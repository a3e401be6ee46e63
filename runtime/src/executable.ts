import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { toConsiliumError } from "@consilium/core/errors";
import { installTransfer } from "./arrayBufferTransfer.js";
import { type HomeFolders, homeFolders } from "./home.js";
import { errorFields } from "./log.js";
import { writeFailure } from "./store/diskFull.js";
import { enforceTlsPolicy } from "./tls/policy.js";

/**
 * V8 collects a heap that was idle for a while as soon as it has grown by a tenth. A stage's vectors are more than that,
 * and every stage then paid for marking the whole heap: more than for its masks. This lets the heap grow to three times
 * what the last full collection left.
 */
const heapGrowth = "--heap-growing-percent=200";

/**
 * The main of a process that runs until it is stopped: reads `--state`, starts, and ends with a readable error and
 * exit code 1 when it cannot start, 2 when the command line is not understood.
 * @param options.usage - what `--help` prints
 * @param options.defaultState - the folder without `--state`
 * @param options.start - returns once the process is ready; what it opened keeps the process alive
 */
export async function runExecutable(options: {
  readonly usage: string;
  readonly defaultState: (folders: HomeFolders) => string;
  readonly start: (state: string) => Promise<void>;
}): Promise<void> {
  enforceTlsPolicy();
  setFlagsFromString(heapGrowth);
  installTransfer();
  const given = readOptions(options.usage);
  if (given.help) {
    process.stdout.write(options.usage);
    return;
  }
  let state: string | null = null;
  try {
    state = resolve(given.state ?? options.defaultState(homeFolders()));
    await options.start(state);
  } catch (thrown) {
    const error = toConsiliumError(state === null ? thrown : writeFailure(thrown, state));
    process.stderr.write(`${error.describe()}\n`);
    if (error.family === "internal") process.stderr.write(`${JSON.stringify(errorFields(error))}\n`);
    // What was opened before the failure would keep the process alive.
    process.exit(1);
  }
}

function readOptions(usage: string): { state?: string; help?: boolean } {
  try {
    return parseArgs({ options: { state: { type: "string" }, help: { type: "boolean" } } }).values;
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : "wrong options"}\n\n${usage}`);
    process.exit(2);
  }
}

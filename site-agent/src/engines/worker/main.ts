import { once } from "node:events";
import { outliveRejections } from "../../rejections.js";
import { foldShare } from "./foldShare.js";

/**
 * The fold worker: a job and rows on standard input, one answer on standard output, then it ends. `scripts/foldWorker.mjs` makes
 * one file of it. It reads no argument, no environment and no file, and says nothing on standard error.
 */

// Where the agent has ended there is nobody to answer.
process.stdout.on("error", () => process.exit(1));

outliveRejections(() => undefined);

const isComplete = await foldShare(process.stdin, async (bytes) => {
  if (!process.stdout.write(bytes)) await once(process.stdout, "drain");
});
process.exitCode = isComplete ? 0 : 1;
process.stdin.destroy();

import { once } from "node:events";
import { outliveRejections } from "../../rejections.js";
import { foldShare, type WorkerProgramParts } from "./foldShare.js";

/** Answers one job on standard input, on standard output, and ends. It reads no argument, no environment and no file, and says nothing on standard error. */
export async function run(program?: WorkerProgramParts): Promise<void> {
  // Where the agent has ended there is nobody to answer.
  process.stdout.on("error", () => process.exit(1));
  outliveRejections(() => undefined);
  const write = async (bytes: Uint8Array) => {
    if (!process.stdout.write(bytes)) await once(process.stdout, "drain");
  };
  process.exitCode = (await foldShare(process.stdin, write, program)) ? 0 : 1;
  process.stdin.destroy();
}

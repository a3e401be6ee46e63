import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { ByteReader } from "./byteReader.js";

/** How a worker is started. */
export interface WorkerProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Told of each process, for tests that end one. */
  readonly onStart?: (pid: number) => void;
}

/** Heap for objects; rows and sums lie outside of it, in buffers of limited size. */
const heapMiB = 256;

/**
 * Node may read the program's own file and nothing else: no other file, no process, no thread, no native code. Node 20 knows the
 * restriction under this name, later versions know it still.
 */
export function nodeProgram(path: string): WorkerProgram {
  const restricted = ["--experimental-permission", `--allow-fs-read=${path}`];
  return {
    command: process.execPath,
    args: [...restricted, `--max-old-space-size=${heapMiB}`, "--disable-proto=delete", path],
  };
}

/** The program as it is built. */
export const foldWorkerPath = fileURLToPath(new URL("../fold-worker.mjs", import.meta.url));

/** Bytes that wait for a slow worker, before the agent waits too. */
const waitingMost = 4 * 1024 ** 2;

/** A fold worker that was started, and the two pipes to it. It ends by itself when the agent does: its input ends then. */
export class WorkerProcess {
  /** What it says. Ends early where the worker does. */
  readonly answer: ByteReader;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<void>;

  constructor({ command, args, onStart }: WorkerProgram) {
    // No environment, so that no setting or secret of the agent's reaches it; no standard error, for that might quote a record.
    this.#child = spawn(command, args, { env: {}, cwd: "/", stdio: ["pipe", "pipe", "ignore"] });
    const { stdin, stdout, pid } = this.#child;
    // What becomes of a worker shows where its answer is read.
    for (const part of [this.#child, stdin, stdout]) part.on("error", () => undefined);
    this.#ended = new Promise((resolve) => {
      for (const event of ["exit", "error"]) this.#child.once(event, () => resolve());
    });
    this.answer = new ByteReader(stdout as AsyncIterable<Uint8Array>);
    if (pid !== undefined) onStart?.(pid);
  }

  /** Writes, or does nothing where the worker has ended; waits while it is slow. */
  async send(bytes: readonly Uint8Array[]): Promise<void> {
    const { stdin } = this.#child;
    if (!stdin.writable) return;
    stdin.cork();
    for (const piece of bytes) stdin.write(piece);
    stdin.uncork();
    if (stdin.writableLength < waitingMost) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        for (const event of ["drain", "close"]) stdin.off(event, done);
        resolve();
      };
      for (const event of ["drain", "close"]) stdin.on(event, done);
    });
  }

  /** Ends it now, if it has not ended. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    await this.#ended;
  }
}

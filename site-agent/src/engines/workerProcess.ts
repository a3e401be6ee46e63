import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { type Permitted, permissionFlags, programFiles } from "../nodePermission.js";
import { ByteReader } from "./byteReader.js";
import { PipeWriter } from "./pipeWriter.js";

/** How a fold worker, or a reader, is started. */
export interface WorkerProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Arguments of a reader of files, given those that it may read. */
  readonly argsFor?: (files: readonly string[]) => readonly string[];
  /** Told of each process, for tests that end one. */
  readonly onStart?: (pid: number) => void;
}

/**
 * Heap for objects; rows and sums lie outside of it, in buffers of limited size. Half of it is there from the first: V8 counts those
 * buffers in, and would otherwise look for garbage after every few megabytes of rows, for a fifth of a worker's processor time.
 */
const heapMiB = 256;

/** Node may do nothing but what is permitted: start no process and no thread, write nothing. */
const restricted = (permitted: Permitted) => [
  ...permissionFlags(permitted),
  `--max-old-space-size=${heapMiB}`,
  `--initial-old-space-size=${heapMiB / 2}`,
  "--disable-proto=delete",
];

/** The fold worker, which may read its own file alone and load no native code. */
export function nodeProgram(path: string): WorkerProgram {
  return { command: process.execPath, args: [...restricted({ reads: [path] }), path] };
}

/** The reader, which needs DuckDB, and opens the files of its share; DuckDB's native code is bound by the machine's user alone. */
export function readerProgram(path: string): WorkerProgram {
  const argsFor = (files: readonly string[]) => [
    ...restricted({ reads: [path, ...programFiles(), ...files], addons: true }),
    path,
  ];
  return { command: process.execPath, args: argsFor([]), argsFor };
}

/** The reader of a database, which has a connection, and no file of which it could send anything. */
export function databaseReaderProgram(path: string): WorkerProgram {
  return { command: process.execPath, args: [...restricted({ reads: [path], network: true }), path] };
}

/** The programs as they are built. */
export const foldWorkerPath = fileURLToPath(new URL("../fold-worker.mjs", import.meta.url));
/** Of published methods. */
export const publishedWorkerPath = fileURLToPath(new URL("../published-worker.mjs", import.meta.url));
export const readerPath = fileURLToPath(new URL("../reader.mjs", import.meta.url));
export const databaseReaderPath = fileURLToPath(new URL("../database-reader.mjs", import.meta.url));

/** A fold worker or a reader that was started, with a pipe to it and one from it. It ends by itself when the agent does: its input ends then. */
export class WorkerProcess {
  /** What it says. Ends early where the process does. */
  readonly answer: ByteReader;
  readonly #process: ChildProcess;
  readonly #input: PipeWriter;
  readonly #ended: Promise<void>;

  /** @param more - further descriptors, from 3 on */
  constructor(
    { command, args, onStart }: WorkerProgram,
    more: readonly (Writable | "pipe" | "ignore")[] = [],
  ) {
    // No environment, so that no setting or secret of the agent's reaches it; no standard error, for that might quote a record.
    const stdio: StdioOptions = ["pipe", "pipe", "ignore", ...more];
    this.#process = spawn(command, args, { env: {}, cwd: "/", stdio });
    const { pid } = this.#process;
    // What becomes of a process shows where its answer is read.
    this.#process.on("error", () => undefined);
    for (const stream of this.#process.stdio) stream?.on("error", () => undefined);
    this.#ended = new Promise((resolve) => {
      for (const event of ["exit", "error"]) this.#process.once(event, () => resolve());
    });
    this.#input = new PipeWriter(this.input);
    this.answer = new ByteReader(this.#process.stdout as AsyncIterable<Uint8Array>);
    if (pid !== undefined) onStart?.(pid);
  }

  /** The agent's end of its standard input. */
  get input(): Writable {
    return this.#process.stdin!;
  }

  /** The agent's end of a further descriptor that is a pipe. */
  pipe(descriptor: number): Writable {
    return this.#process.stdio[descriptor] as Writable;
  }

  /** Writes, or does nothing where the process has ended; waits while it is slow. */
  send(bytes: readonly Uint8Array[], onWritten?: () => void): Promise<void> {
    return this.#input.send(bytes, onWritten);
  }

  /** Ends it now, if it has not ended. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    for (const stream of this.#process.stdio) (stream as Readable | Writable | null)?.destroy();
    await this.#ended;
  }
}

import { resolve } from "node:path";
import { type HomeFolders, homeFolders } from "@consilium/runtime/home";
import type { CliIo } from "./terminal/io.js";
import { type Style, styleFor } from "./terminal/style.js";

/** The global options. */
export interface GlobalOptions {
  readonly home?: string;
  readonly json?: boolean;
  readonly color: boolean;
}

/** One run of the command: its output, style and interruption. */
export interface Session {
  readonly io: CliIo;
  /** Print one JSON value to standard output instead of text. */
  readonly json: boolean;
  readonly home: HomeFolders;
  readonly style: Style;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly interrupted: AbortSignal;
  /** Makes a user's path absolute. */
  path(written: string): string;
  /** Prints one or more lines on standard output. */
  print(text: string): void;
  /** Prints one JSON value on its own line on standard output. */
  printJson(value: unknown): void;
  /** Prints a note on standard error, separate from the result. */
  note(text: string): void;
}

/** A verb's function; it returns its exit code (exitCodes.ts, or a child process's), or nothing for success. */
export type Verb<A extends unknown[]> = (session: Session, ...args: A) => Promise<number | undefined>;

export function openSession(io: CliIo, options: GlobalOptions, interrupted: AbortSignal): Session {
  const environment =
    options.home === undefined
      ? io.environment
      : { ...io.environment, CONSILIUM_HOME: resolve(io.workingFolder, options.home) };
  return {
    io,
    json: options.json === true,
    home: homeFolders(environment),
    style: styleFor(io.stdout, io, options.color),
    interrupted,
    path: (written) => resolve(io.workingFolder, written),
    print: (text) => io.stdout.write(`${text}\n`),
    printJson: (value) => io.stdout.write(`${JSON.stringify(value)}\n`),
    note: (text) => io.stderr.write(`${text}\n`),
  };
}

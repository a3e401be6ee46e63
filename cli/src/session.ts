import { resolve } from "node:path";
import { type HomeFolders, homeFolders } from "@consilium/runtime/home";
import type { CliIo } from "./terminal/io.js";
import { type Style, styleFor } from "./terminal/style.js";

/** The options that every verb takes. */
export interface GlobalOptions {
  readonly home?: string;
  readonly json?: boolean;
  readonly color: boolean;
}

/** One call of the command: where it writes, how, and whether somebody wants it to stop. */
export interface Session {
  readonly io: CliIo;
  /** Print one JSON value to standard output instead of text. */
  readonly json: boolean;
  readonly home: HomeFolders;
  readonly style: Style;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly interrupted: AbortSignal;
  /** A path as the user wrote it, made absolute. */
  path(written: string): string;
  /** One line, or several, on standard output. */
  print(text: string): void;
  /** One JSON value on a line of its own on standard output. */
  printJson(value: unknown): void;
  /** Something the user should know that is not the result, on standard error. */
  note(text: string): void;
}

/** What a verb does; a number is its exit code (exitCodes.ts, or of a process it ran), nothing is success. */
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

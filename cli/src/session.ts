import { resolve } from "node:path";
import { type HomeFolders, homeFolders } from "@consilium/runtime/home";
import { type Context, chosenContext } from "./context/contexts.js";
import type { CliIo } from "./terminal/io.js";
import { printable } from "./terminal/layout.js";
import { type OutputFormat, valueText } from "./terminal/output.js";
import { type Style, styleFor } from "./terminal/style.js";

/** The global options. */
export interface GlobalOptions {
  readonly home?: string;
  readonly context?: string;
  readonly json?: boolean;
  readonly output?: OutputFormat;
  readonly quiet?: boolean;
  readonly color: boolean;
}

/** One run of the command: its output, style and interruption. */
export interface Session {
  readonly io: CliIo;
  readonly output: OutputFormat;
  /** Print one value for a program to standard output instead of text: JSON, or the same as YAML. */
  readonly json: boolean;
  readonly home: HomeFolders;
  /** Of `--home`, absolute; null where it is not given. */
  readonly givenHome: string | null;
  /** What options leave open, of the context in use: nothing where a federation's folder is given otherwise. */
  readonly context: Context;
  readonly style: Style;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly interrupted: AbortSignal;
  /** Makes a user's path absolute. */
  path(written: string): string;
  /** Prints one or more lines on standard output. */
  print(text: string): void;
  /** Prints one value for a program on standard output: JSON on its own line, or a YAML document. */
  printJson(value: unknown): void;
  /**
   * Prints a list: `text` for people, `value` for programs (default: the items), or the items' names, a line each.
   */
  printList<T>(items: readonly T[], as: ListForms<T>): void;
  /** Prints a note on standard error, separate from the result; none with `--quiet`. */
  note(text: string): void;
}

export interface ListForms<T> {
  readonly name: (item: T) => string;
  /** Also of an empty list. */
  readonly text: () => string;
  readonly value?: unknown;
}

/** A verb's function; it returns its exit code (exitCodes.ts, or a child process's), or nothing for success. */
export type Verb<A extends unknown[]> = (session: Session, ...args: A) => Promise<number | undefined>;

/** @throws ConsiliumError USAGE for an unknown context, CONFIG_INVALID */
export async function openSession(
  io: CliIo,
  options: GlobalOptions,
  interrupted: AbortSignal,
): Promise<Session> {
  const givenHome = options.home === undefined ? null : resolve(io.workingFolder, options.home);
  const ownHome = givenHome ?? (io.environment.CONSILIUM_HOME || null);
  // Addresses of one federation with the folder of another would send that folder's tokens there.
  const context = ownHome === null ? await chosenContext(io, options.context) : {};
  const home = ownHome ?? context.home;
  const environment = home === undefined ? io.environment : { ...io.environment, CONSILIUM_HOME: home };
  // `--json` wins over the default alone: commander has refused the two together.
  const output = options.output ?? (options.json === true ? "json" : "table");
  const textOf = await valueText(output);
  const json = output === "json" || output === "yaml";
  const write = (text: string) => io.stdout.write(text);
  return {
    io,
    output,
    json,
    home: homeFolders(environment),
    givenHome,
    context,
    style: styleFor(io.stdout, io, options.color),
    interrupted,
    path: (written) => resolve(io.workingFolder, written),
    print: (text) => write(`${text}\n`),
    printJson: (value) => write(textOf(value)),
    printList: (items, { name, text, value = items }) => {
      if (json) write(textOf(value));
      else if (output === "name") write(items.map((item) => `${printable(name(item))}\n`).join(""));
      else write(`${text()}\n`);
    },
    note: (text) => {
      if (options.quiet !== true) io.stderr.write(`${text}\n`);
    },
  };
}

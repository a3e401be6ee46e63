import { ConsiliumError } from "@consilium/core/errors";
import { editDistance } from "@consilium/runtime/config";
import { type Command, CommanderError } from "commander";
import { completeWord, printValues } from "./completion/values.js";
import { exitCodeOf, exitCodes } from "./exitCodes.js";
import { failureJson, failureText, toFailure } from "./failure.js";
import { buildProgram, commandPath, everyCommand } from "./program.js";
import { type GlobalOptions, openSession } from "./session.js";
import type { CliIo } from "./terminal/io.js";
import { styleFor } from "./terminal/style.js";

/**
 * Runs one command line in this process.
 * @param argv - what follows `consilium`
 * @returns the exit code; nothing is thrown, and everything printed went through `io`
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  if (argv[0] === completeWord) {
    await printValues(io, argv.slice(1));
    return exitCodes.ok;
  }
  const interrupt = new AbortController();
  const stopListening = io.onSignal(() => interrupt.abort());
  let exitCode: number = exitCodes.ok;
  const program = buildProgram(
    async (command, body, args) => {
      const options = command.optsWithGlobals<GlobalOptions & Record<string, unknown>>();
      const session = openSession(io, options, interrupt.signal);
      exitCode = (await body(session, ...args)) ?? exitCodes.ok;
    },
    {
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // Reported below, in the one form that all errors have.
      outputError: () => {},
      getOutHelpWidth: () => Math.min(110, io.stdout.size().columns),
      getErrHelpWidth: () => Math.min(110, io.stderr.size().columns),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    },
  );
  try {
    await program.root.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return exitCodes.ok;
    // Called without a subcommand, commander has printed the help already.
    if (thrown instanceof CommanderError && thrown.code === "commander.help" && !wantsJson(argv)) {
      return exitCodes.usage;
    }
    const failure = thrown instanceof CommanderError ? usageFault(thrown, program.root) : toFailure(thrown);
    report(failure, argv, io);
    if (failure.code === "INTERNAL" && io.environment.CONSILIUM_DEBUG && failure.cause instanceof Error) {
      io.stderr.write(`${failure.cause.stack ?? ""}\n`);
    }
    return exitCodeOf(failure);
  } finally {
    stopListening();
  }
}

/** Commander's `error: unknown option '--x'\n(Did you mean --y?)` as one of our errors. */
function usageFault(thrown: CommanderError, root: Command): ConsiliumError {
  if (thrown.code === "commander.help") return new ConsiliumError("USAGE", "a command is missing");
  const [what = "", hint] = thrown.message.replace(/^error: /, "").split("\n");
  const near = hint === undefined ? undefined : /^\(Did you mean (.+)\?\)$/.exec(hint.trim())?.[1];
  const meant = near ?? verbsCalled(/^unknown command '(.+)'$/.exec(what)?.[1] ?? "", root);
  return new ConsiliumError("USAGE", what, meant === undefined ? {} : { remedy: `did you mean ${meant}?` });
}

/** `site approve` for `approve`: verbs of that name, or nearly, wherever they stand. */
function verbsCalled(word: string, root: Command): string | undefined {
  if (word === "") return undefined;
  const all = everyCommand(root).filter((command) => command.parent !== null && command.parent !== root);
  const distances = all.map((command) => ({
    path: commandPath(command),
    distance: editDistance(word, command.name()),
  }));
  const least = Math.min(...distances.map(({ distance }) => distance));
  if (least > Math.floor(word.length / 4)) return undefined;
  const paths = distances.filter(({ distance }) => distance === least).map(({ path }) => path);
  return paths.length > 3 ? undefined : paths.join(" or ");
}

function report(failure: ConsiliumError, argv: readonly string[], io: CliIo): void {
  if (wantsJson(argv)) io.stdout.write(`${JSON.stringify(failureJson(failure))}\n`);
  else
    io.stderr.write(
      `${failureText(failure, styleFor(io.stderr, io, !ownOptions(argv).includes("--no-color")))}\n`,
    );
}

/** The options may not have been understood, so the command line itself is looked at. */
function ownOptions(argv: readonly string[]): readonly string[] {
  return argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
}

function wantsJson(argv: readonly string[]): boolean {
  return ownOptions(argv).includes("--json");
}

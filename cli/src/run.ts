import { ConsiliumError } from "@consilium/core/errors";
import { editDistance } from "@consilium/core/nearest";
import { sayLines } from "@consilium/core/sayLines";
import { type Command, CommanderError } from "commander";
import { completeWord } from "./completion/word.js";
import { exitCodeOf, exitCodes } from "./exitCodes.js";
import { failureJson, failureText, toFailure } from "./failure.js";
import { buildProgram, commandPath, everyCommand, globalFlags, globalValueOptions } from "./program.js";
import { type GlobalOptions, openSession } from "./session.js";
import type { CliIo } from "./terminal/io.js";
import { valueText, writtenFormat } from "./terminal/output.js";
import { styleFor } from "./terminal/style.js";

/**
 * Runs one command line in this process.
 * @param argv - what follows `consilium`
 * @returns the exit code; nothing is thrown, and everything printed went through `io`
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  if (argv[0] === completeWord) {
    const { printValues } = await import("./completion/values.js");
    await printValues(io, argv.slice(1));
    return exitCodes.ok;
  }
  const interrupt = new AbortController();
  const stopListening = io.onSignal(() => interrupt.abort());
  let exitCode: number = exitCodes.ok;
  const asked = helpAsked(argv);
  const words = commandWords(asked);
  const program = await buildProgram(
    async (command, body, args) => {
      const options = command.optsWithGlobals<GlobalOptions & Record<string, unknown>>();
      const session = await openSession(io, options, interrupt.signal);
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
    words[0] ?? "",
  );
  try {
    if (asked !== argv) checkCommand(program.root, words);
    await program.root.parseAsync(asked, { from: "user" });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return exitCodes.ok;
    // Called without a subcommand, commander has printed the help already.
    if (thrown instanceof CommanderError && thrown.code === "commander.help" && !isForProgram(argv)) {
      return exitCodes.usage;
    }
    const failure =
      thrown instanceof CommanderError ? await usageFault(thrown) : await inEnglish(toFailure(thrown));
    await report(failure, argv, io);
    if (failure.code === "INTERNAL" && io.environment.CONSILIUM_DEBUG && failure.cause instanceof Error) {
      io.stderr.write(`${failure.cause.stack ?? ""}\n`);
    }
    return exitCodeOf(failure);
  } finally {
    stopListening();
  }
}

/** `help study start`, which commander answers with the help of `study`, as `study start --help`. */
function helpAsked(argv: readonly string[]): readonly string[] {
  const at = wordAt(argv, 0);
  return at === null || argv[at] !== "help" || wordAt(argv, at + 1) === null
    ? argv
    : [...argv.slice(0, at), ...argv.slice(at + 1), "--help"];
}

/** The words before an option that is not global: the command, and perhaps its first arguments. */
function commandWords(argv: readonly string[]): string[] {
  const words: string[] = [];
  for (let at = wordAt(argv, 0); at !== null; at = wordAt(argv, at + 1)) words.push(argv[at]!);
  return words;
}

/** The place of the next word that is no global option nor its value; null where another option comes first. */
function wordAt(argv: readonly string[], from: number): number | null {
  for (let at = from; at < argv.length; at++) {
    const word = argv[at]!;
    if (globalValueOptions.includes(word)) at++;
    else if (!word.startsWith("-")) return at;
    else if (!globalFlags.includes(word) && !globalValueOptions.some((one) => word.startsWith(`${one}=`)))
      return null;
  }
  return null;
}

/** @throws CommanderError for a word that is no command, where help is asked for */
function checkCommand(root: Command, words: readonly string[]): void {
  let here = root;
  for (const word of words) {
    if (here.commands.length === 0) return;
    const next = here.commands.find((command) => command.name() === word);
    if (next === undefined)
      here.error(`error: unknown command '${word}'`, { code: "commander.unknownCommand" });
    here = next!;
  }
}

function holdsLine(text: string): boolean {
  let isFound = false;
  sayLines(text, () => {
    isFound = true;
    return null;
  });
  return isFound;
}

/** An error's sentences as people read them; words are loaded where one has a code. */
async function inEnglish(failure: ConsiliumError): Promise<ConsiliumError> {
  if (!holdsLine(failure.message) && !holdsLine(failure.remedy)) return failure;
  const { spokenError } = await import("@consilium/runtime/http/spoken");
  return spokenError(failure);
}

/** Commander's `error: unknown option '--x'\n(Did you mean --y?)` as one of our errors. */
async function usageFault(thrown: CommanderError): Promise<ConsiliumError> {
  if (thrown.code === "commander.help") return new ConsiliumError("USAGE", "a command is missing");
  const [what = "", hint] = thrown.message.replace(/^error: /, "").split("\n");
  const near = hint === undefined ? undefined : /^\(Did you mean (.+)\?\)$/.exec(hint.trim())?.[1];
  const meant = near ?? (await verbsCalled(/^unknown command '(.+)'$/.exec(what)?.[1] ?? ""));
  return new ConsiliumError("USAGE", what, meant === undefined ? {} : { remedy: `did you mean ${meant}?` });
}

/** `site approve` for `approve`: verbs of that name, or nearly, wherever they stand. */
async function verbsCalled(word: string): Promise<string | undefined> {
  if (word === "") return undefined;
  const { root } = await buildProgram(async () => {}, {});
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

async function report(failure: ConsiliumError, argv: readonly string[], io: CliIo): Promise<void> {
  if (isForProgram(argv)) {
    const textOf = await valueText(writtenFormat(argv));
    io.stdout.write(textOf(failureJson(failure)));
    return;
  }
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  io.stderr.write(`${failureText(failure, styleFor(io.stderr, io, !own.includes("--no-color")))}\n`);
}

function isForProgram(argv: readonly string[]): boolean {
  const format = writtenFormat(argv);
  return format === "json" || format === "yaml";
}

import { Argument, type Command } from "commander";
import type { Program } from "../program.js";
import { buildProgram, commandPath, everyCommand } from "../program.js";
import { type CompletionEntry, completionScript, type Shell, shells } from "./scripts.js";
import { argumentKind, optionKind } from "./values.js";

export function addCompletion(program: Program, parent: Command): void {
  const command = parent
    .command("completion")
    .summary("print a shell's completion script")
    .description(
      "Prints a shell script that completes commands, options and values: files, and ids of studies, sites " +
        "and releases from the running processes.",
    )
    .addArgument(new Argument("<shell>", "the shell").choices([...shells]))
    .addHelpText(
      "after",
      `
Examples:
  bash   $ consilium completion bash > ~/.local/share/bash-completion/completions/consilium
  zsh    $ consilium completion zsh > "\${fpath[1]}/_consilium"
  fish   $ consilium completion fish > ~/.config/fish/completions/consilium.fish`,
    );
  program.verb<[Shell]>(command, async (session, shell) => {
    const script = completionScript(shell, completionEntries((await buildProgram(async () => {}, {})).root));
    if (session.json) session.printJson({ shell, script });
    else session.io.stdout.write(script);
    return 0;
  });
}

/** The completions of each command: subcommands, its own options and global options. */
function completionEntries(root: Command): CompletionEntry[] {
  const shared = root.options.filter((option) => option.long !== "--version");
  return everyCommand(root).map((command) => {
    const own = command === root ? root.options : [...command.options, ...shared];
    return {
      path: commandPath(command),
      subcommands: command.commands.map((sub) => ({
        name: sub.name(),
        summary: sub.summary() || sub.description(),
      })),
      options: [
        ...own.map((option) => ({
          name: option.long ?? option.short ?? "",
          summary: option.description,
          takesValue: option.required || option.optional,
          choices: option.argChoices ?? [],
          values: optionKind(option),
        })),
        { name: "--help", summary: "show this help", takesValue: false, choices: [], values: null },
      ],
      choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
      values: argumentKind(command),
    };
  });
}

import type { Command } from "commander";
import { exitCodeMeanings } from "../cli/src/exitCodes.js";
import { buildProgram, commandPath, everyCommand } from "../cli/src/program.js";
import { runCli } from "../cli/src/run.js";
import { capturedIo } from "../cli/testing/terminal/io.js";

/** The page of the command line, from the program's own help. */
export async function renderCli(): Promise<string> {
  const { root } = await buildProgram(async () => {}, {});
  const verbs = everyCommand(root).filter((command) => command !== root);
  const sections: string[] = [];
  for (const command of verbs) {
    const path = commandPath(command);
    const depth = command.commands.length > 0 || command.parent === root ? "##" : "###";
    sections.push(`${depth} consilium ${path}\n\n\`\`\`text\n${(await helpOf(path)).trimEnd()}\n\`\`\`\n`);
  }
  return `# Command line

Made from the program's own help, which is behind \`--help\` of each command.

${verbTable(verbs)}

## For every command

- \`--json\`: one JSON value on standard output and nothing else there; a failure is
  \`{"error": {"code", "message", "remedy"}}\`. Commands that follow something (\`study watch\`, \`study start --watch\`) print one
  value per line. A served process writes its log, JSON lines, to standard error with or without it. Notes for people go to
  standard error.
- \`--output <format>\`, or \`-o\`: \`table\` (the default, for people), \`json\` (the same as \`--json\`), \`yaml\` (the same values as YAML documents), or
  \`name\`: of a command that lists something the names or ids alone, one per line.
- \`--home <folder>\`, or the variable \`CONSILIUM_HOME\`: where everything is below, unless an option says otherwise.
- \`--context <name>\`, or the variable \`CONSILIUM_CONTEXT\`: the folder and addresses that are kept under this name
  (\`consilium context\`). Without options, \`CONSILIUM_AGGREGATOR\` and \`CONSILIUM_PUBLISHER\` come before those of a context; with
  \`--home\` or \`CONSILIUM_HOME\` a context is not used, so that no folder's token goes to another federation.
- A command loads only what it needs. In processor time of \`node -e 0\`, \`--help\` and \`--version\` take 1.6 times, \`study list\`,
  \`sites\` and \`methods\` 4 times, \`release list\` 5 times as much; a test holds what is loaded to that.
- Colours: on a terminal only. \`--no-color\` or \`NO_COLOR=1\` takes them away, and comes first; \`FORCE_COLOR=1\` keeps them where
  the output is no terminal, \`FORCE_COLOR=0\` takes them away too.
- Codes of failures are in [ERRORS.md](ERRORS.md).
- \`consilium completion bash\` (or \`zsh\`, \`fish\`) prints a script that completes commands, options, files, and the ids of
  studies, sites and releases.

## Exit codes

| code | meaning |
| --- | --- |
${exitCodeMeanings.map(([code, meaning]) => `| ${code} | ${meaning} |`).join("\n")}

A served process ends with its own exit code: 0 after SIGTERM, 1 when it cannot start or stop.

${sections.join("\n")}`;
}

function verbTable(verbs: readonly Command[]): string {
  const rows = verbs
    .filter((command) => command.commands.length === 0)
    .map((command) => {
      const path = commandPath(command);
      const anchor = `consilium-${path.replaceAll(" ", "-")}`;
      return `| [\`${path}\`](#${anchor}) | ${command.summary().replaceAll("|", "\\|")} |`;
    });
  return `| command | what it does |\n| --- | --- |\n${rows.join("\n")}`;
}

async function helpOf(path: string): Promise<string> {
  const io = capturedIo();
  await runCli([...path.split(" "), "--help"], io);
  return io.out();
}

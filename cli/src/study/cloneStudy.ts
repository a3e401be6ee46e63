import { readable } from "@consilium/core/study/differences";
import type { Command } from "commander";
import { exitCodes } from "../exitCodes.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "../federation/operatorTarget.js";
import type { Program } from "../program.js";
import { checkedName, writeStudy } from "./writeStudy.js";

interface CloneOptions extends OperatorOptions {
  readonly name?: string;
  readonly to?: string;
}

export function addClone(program: Program, study: Command, idHelp: string): void {
  const command = addOperatorOptions(
    study
      .command("clone")
      .summary("write the file of a study that was started, to start from")
      .description(
        "Writes the file of a study as the aggregator has it, defaults filled in. Starting it is another study, with a cost of its own.",
      )
      .argument("<id>", idHelp)
      .option("--name <name>", "the new study's name (default: that of the other)")
      .option("--to <file>", "the file to write, or - for standard output (default: <name>.yaml)"),
  ).addHelpText("after", "\nExample:\n  $ consilium study clone pca-1f --name pca-again --to pca-again.yaml");
  program.verb<[string, CloneOptions]>(command, async (session, given, options) => {
    if (options.name !== undefined) checkedName("--name", options.name);
    const operator = await openOperator(session, options);
    const view = await operator.study((await operator.resolveStudy(given)).id);
    const name = options.name ?? view.name;
    const source = readable(view.study as Readonly<Record<string, unknown>>);
    const { stringify } = await import("yaml");
    const text = `# Like ${view.id}.\n${stringify({ ...source, name }, { lineWidth: 120 })}`;
    await writeStudy(session, {
      to: options.to ?? `${name}.yaml`,
      text,
      details: { of: view.id },
      next: "Change what is to differ, then",
    });
    return exitCodes.ok;
  });
}

import type { RetentionView } from "@consilium/core/operator/views";
import { formatDuration } from "@consilium/core/units";
import type { Command } from "commander";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { printable, table } from "../terminal/layout.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "./operatorTarget.js";

interface RunOptions extends OperatorOptions {
  readonly dryRun?: boolean;
}

export function addRetention(program: Program, parent: Command): void {
  const retention = parent
    .command("retention")
    .summary("show and remove what is due of old studies")
    .description(
      "Retention at the aggregator, as `retention:` in its config.yaml and studies themselves say.",
    )
    .addHelpText("after", "\nExample:\n  $ consilium retention show");
  const show = addOperatorOptions(
    retention
      .command("show")
      .summary("show the periods, and what is due")
      .description("Shows how long data of old studies are kept, and what is due to be removed."),
  ).addHelpText("after", "\nExample:\n  $ consilium retention show --json");
  program.verb<[OperatorOptions]>(show, showRetention);
  const run = addOperatorOptions(
    retention
      .command("run")
      .summary("remove what is due now")
      .description("Removes what is due. The aggregator does so by itself every hour.")
      .option("--dry-run", "only show what would be removed"),
  ).addHelpText("after", "\nExamples:\n  $ consilium retention run --dry-run\n  $ consilium retention run");
  program.verb<[RunOptions]>(run, runRetention);
}

async function showRetention(session: Session, options: OperatorOptions): Promise<undefined> {
  const view = await (await openOperator(session, options)).retention();
  if (session.json) session.printJson(view);
  else session.print(`${periods(view)}\n\n${dueText(view, session, "Due")}`);
  return;
}

async function runRetention(session: Session, options: RunOptions): Promise<undefined> {
  const operator = await openOperator(session, options);
  const isDry = options.dryRun === true;
  const view = isDry ? await operator.retention() : await operator.runRetention();
  if (session.json) session.printJson({ dryRun: isDry, ...view });
  else session.print(dueText(view, session, isDry ? "Would be removed" : "Removed"));
  return;
}

function periods({ failedStudiesMs, studyRecordsMs }: RetentionView): string {
  const kept = (ms: number | null, otherwise: string) => (ms === null ? otherwise : formatDuration(ms));
  return [
    `Failed studies can be resumed for  ${kept(failedStudiesMs, "as long as each study says, or permanently")}`,
    `Details of ended studies are kept  ${kept(studyRecordsMs, "permanently")}`,
  ].join("\n");
}

function dueText({ due }: RetentionView, session: Session, title: string): string {
  if (due.length === 0) return "Nothing is due.";
  const rows = table(
    due,
    [
      { title: "STUDY", cell: ({ study }) => printable(study) },
      { title: "WHAT", cell: ({ what }) => printable(what) },
    ],
    session.style,
  );
  return `${title}:\n\n${rows}`;
}

import { ConsiliumError } from "@consilium/core/errors";
import type { StudyView } from "@consilium/core/operator/views";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type ExitCode, exitCodes } from "../exitCodes.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "../federation/operatorTarget.js";
import { durationOption } from "../options.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { minuteText, printable } from "../terminal/layout.js";

/** Verbs for a study whose sites have yet to join. */

export function addProceed(program: Program, study: Command, idHelp: string): void {
  const command = addOperatorOptions(
    study
      .command("proceed")
      .summary("begin with the sites that have joined")
      .description(
        "Begins a study with the sites that have joined, without waiting for its deadline to join. It needs the study's " +
          "`participation.minimumSites`, which every site has approved: with fewer the study keeps waiting. Sites that " +
          "have not decided cannot join afterwards.",
      )
      .argument("<id>", idHelp),
  ).addHelpText("after", "\nExample:\n  $ consilium study proceed pca-1f && consilium study watch pca-1f");
  program.verb<[string, OperatorOptions]>(command, async (session, given, options) => {
    const operator = await openOperator(session, options);
    const { id } = await operator.resolveStudy(given);
    const view = await operator.proceed(id);
    return shown(session, view, `begins with the sites that have joined`);
  });
}

interface ExtendOptions extends OperatorOptions {
  readonly until?: number;
  readonly by?: number;
}

export function addExtend(program: Program, study: Command, idHelp: string): void {
  const command = addOperatorOptions(
    study
      .command("extend")
      .summary("give the sites more time to join")
      .description(
        "Moves a study's deadline to join, to at most 30 days after its sites were invited, and tells the sites that have not decided. The " +
          "deadlines of later steps stay as the sites have approved them: a study that misses one is resumed with `study resume`.",
      )
      .argument("<id>", idHelp)
      .addOption(
        new Option("--by <duration>", "by how much, from the deadline that it has").argParser(durationOption),
      )
      .addOption(
        new Option("--until <time>", "to when: 2026-03-01, or 2026-03-01T17:00:00Z")
          .argParser(timeOption)
          .conflicts("by"),
      ),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium study extend pca-1f --by 7d
  $ consilium study extend pca-1f --until 2026-03-01T17:00:00Z`,
  );
  program.verb<[string, ExtendOptions]>(command, async (session, given, options) => {
    const { by, until } = options;
    if (by === undefined && until === undefined)
      throw new ConsiliumError("USAGE", "give --by <duration> or --until <time>");
    const operator = await openOperator(session, options);
    const { id } = await operator.resolveStudy(given);
    const at = until ?? deadlineOf(await operator.study(id)) + by!;
    const view = await operator.extend(id, new Date(at).toISOString());
    return shown(session, view, `waits for its sites until ${minuteText(view.deadlineAt)} UTC`);
  });
}

function deadlineOf({ id, deadlineAt }: StudyView): number {
  if (deadlineAt !== null) return Date.parse(deadlineAt);
  throw new ConsiliumError("STUDY_STATE", `study ${id} waits for nobody now: it has no deadline`);
}

function timeOption(text: string): number {
  const at = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isFinite(at)) return at;
  throw new InvalidArgumentError(
    "A time is a date, 2026-03-01 (UTC), or 2026-03-01T17:00:00Z with its zone.",
  );
}

function shown(session: Session, view: StudyView, what: string): ExitCode {
  if (session.json) session.printJson(view);
  else session.print(`${session.style.strong(printable(view.id))} ${what}.`);
  return exitCodes.ok;
}

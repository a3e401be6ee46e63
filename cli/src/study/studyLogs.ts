import type { AuditEventView } from "@consilium/core/access/views";
import { type Command, Option } from "commander";
import { exitCodes } from "../exitCodes.js";
import type { OperatorClient } from "../federation/operatorClient.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "../federation/operatorTarget.js";
import { answerOf } from "../http/apiClient.js";
import { durationOption } from "../options.js";
import type { Program } from "../program.js";
import { padTo, printable, visibleLength } from "../terminal/layout.js";

interface LogOptions extends OperatorOptions {
  readonly site?: string;
  readonly kind?: string;
  readonly since?: number;
}

const pageLength = 500;

export function addLogs(program: Program, study: Command, idHelp: string): void {
  const command = addOperatorOptions(
    study
      .command("logs")
      .summary("print a study's events with their times")
      .description(
        "Prints what happened in a study, oldest first, from the aggregator's audit log: who joined or refused, which step " +
          "opened, who dropped out, what operators did. Times are UTC. With --json one event per line.",
      )
      .argument("<id>", idHelp)
      .option("--site <site>", "only events of this site")
      .option("--kind <kind>", "only events of this kind, such as joined, refused, opened, dropped, failed")
      .addOption(
        new Option("--since <duration>", "only events that are not older, such as 2h").argParser(
          durationOption,
        ),
      ),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium study logs pca-1f
  $ consilium study logs pca-1f --kind refused
  $ consilium study logs pca-1f --since 1h --json | jq -r '[.at, .kind, .site] | @tsv'`,
  );
  program.verb<[string, LogOptions]>(command, async (session, given, options) => {
    const operator = await openOperator(session, options);
    const { id } = await operator.resolveStudy(given);
    const events = await eventsOf(operator, id, options);
    if (session.json) for (const event of events) session.printJson(event);
    else {
      const width = Math.max(...events.map((event) => visibleLength(kindText(event))), 12);
      for (const event of events) session.print(eventText(event, width));
    }
    return exitCodes.ok;
  });
}

/** Oldest first. */
async function eventsOf(
  operator: OperatorClient,
  study: string,
  options: LogOptions,
): Promise<AuditEventView[]> {
  const { site, kind, since } = options;
  const oldest = since === undefined ? 0 : Date.now() - since;
  const found: AuditEventView[] = [];
  let before: number | null = null;
  for (;;) {
    const query = {
      study,
      limit: pageLength,
      ...(site !== undefined && { site }),
      ...(kind !== undefined && { kind }),
      ...(before !== null && { before }),
    };
    const page: { readonly events: readonly AuditEventView[]; readonly next: number | null } = await answerOf(
      operator.remote,
      operator.api.GET("/api/audit", { params: { query } }),
    );
    const recent = page.events.filter(({ at }) => Date.parse(at) >= oldest);
    found.push(...recent);
    if (page.next === null || recent.length < page.events.length) return found.reverse();
    before = page.next;
  }
}

const kindText = ({ kind }: AuditEventView) => printable(kind);

/** @param width - of the longest kind */
function eventText(event: AuditEventView, width: number): string {
  const { at, site, actor, detail } = event;
  const time = at.slice(0, 19).replace("T", " ");
  const who = [site, actor].filter((one) => one !== null).map((one) => printable(one!));
  return [time, padTo(kindText(event), width), ...who, ...(detail === "" ? [] : [printable(detail)])].join(
    "  ",
  );
}

import { type UpgradeView, upgradeViewSchema } from "@consilium/core/operator/upgradeView";
import { counted } from "@consilium/core/words";
import { spoken } from "@consilium/runtime/http/spoken";
import { Argument, type Command } from "commander";
import { type ExitCode, exitCodes } from "../exitCodes.js";
import { askAtRest } from "../ledger/ledgerSource.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { addStateOptions, roleState, type SiteStateOptions } from "../site/siteState.js";
import { printable, table } from "../terminal/layout.js";

const roles = ["aggregator", "site"] as const;
type Role = (typeof roles)[number];

export function addUpgrade(program: Program, parent: Command): void {
  const upgrade = parent
    .command("upgrade")
    .summary("before an upgrade: which studies would continue")
    .addHelpText("after", "\nExample:\n  $ consilium upgrade check aggregator");
  const check = addStateOptions(
    upgrade
      .command("check")
      .summary("check studies under way against this version")
      .description(
        "Tells which studies under way would continue under the version that this command is of, before its server runs. Run it from the new " +
          "version's folder on the state of the version before, which may be running: a copy of its store is read, and nothing is changed.\n\n" +
          "At the aggregator each study is planned anew and its conversation said again up to where it is; at a site it is read and " +
          "planned. A study that is planned or continued otherwise is paused after the upgrade: nothing is asked or charged, and the version before " +
          "continues it.",
      )
      .addArgument(new Argument("<what>", "whose state").choices(roles)),
  ).addHelpText(
    "after",
    `
Exit code 0: all continue; 1: some would be paused.

Examples:
  $ consilium upgrade check aggregator
  $ consilium upgrade check site --state /srv/consilium/st-mary`,
  );
  program.verb<[Role, SiteStateOptions]>(check, checkUpgrade);
}

async function checkUpgrade(session: Session, role: Role, options: SiteStateOptions): Promise<ExitCode> {
  const state = await roleState(session, role, options);
  const reader = role === "site" ? "siteUpgrade" : "aggregatorUpgrade";
  const view = spoken(
    upgradeViewSchema.parse(await askAtRest(session, ["--state", state], reader)),
  ) as UpgradeView;
  if (session.json) session.printJson(view);
  else session.print(upgradeText(view, session));
  return view.studies.some(({ paused }) => paused !== null) ? exitCodes.failed : exitCodes.ok;
}

function upgradeText({ software, studies }: UpgradeView, { style }: Session): string {
  if (studies.length === 0)
    return `No study is under way: version ${printable(software)} has nothing to continue.`;
  const paused = studies.filter((study) => study.paused !== null);
  const verdict =
    paused.length === 0
      ? style.good(
          `Version ${printable(software)} continues ${counted(studies.length, "study", "studies")} under way.`,
        )
      : style.bad(
          `Version ${printable(software)} would pause ${paused.length} of ${counted(studies.length, "study", "studies")}.`,
        );
  const rows = table(
    studies,
    [
      { title: "STUDY", cell: ({ id }) => printable(id) },
      { title: "STATUS", cell: ({ status }) => printable(status) },
      {
        title: "THEN",
        cell: ({ paused }) =>
          paused === null ? style.good("continues") : style.bad(`paused [${paused.code}]`),
      },
    ],
    style,
  );
  const reasons = paused.map(
    ({ id, paused }) => `${style.strong(printable(id))}  ${printable(paused!.message)}`,
  );
  return [verdict, rows, ...reasons].join("\n\n");
}

import { ConsiliumError } from "@consilium/core/errors";
import type { InvitationListEntry } from "@consilium/core/operator/consoleViews";
import type { Command } from "commander";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { minuteText, printable, table } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";
import { siteArgument } from "./invite.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "./operatorTarget.js";

interface ListOptions extends OperatorOptions {
  readonly all?: boolean;
}

export function addInvitation(program: Program, parent: Command): void {
  const invitation = parent
    .command("invitation")
    .summary("list and withdraw invitations")
    .description("Invitations created by `consilium invite`. The tokens themselves are not stored.")
    .addHelpText("after", "\nExample:\n  $ consilium invitation list");
  const list = addOperatorOptions(
    invitation
      .command("list")
      .summary("list the open invitations")
      .description("Lists the invitations with valid tokens, and the enrolled key that each may replace.")
      .option("--all", "include used, expired and withdrawn ones"),
  ).addHelpText(
    "after",
    "\nExamples:\n  $ consilium invitation list\n  $ consilium invitation list --all --json",
  );
  program.list<[ListOptions]>(list, listInvitations);
  const withdraw = addOperatorOptions(
    invitation
      .command("withdraw")
      .summary("withdraw an open invitation")
      .description("Withdraws a site's open invitation: its token becomes invalid.")
      .argument("<site>", "the site of the invitation"),
  ).addHelpText("after", "\nExample:\n  $ consilium invitation withdraw st-mary");
  program.verb<[string, OperatorOptions]>(withdraw, withdrawInvitation);
}

async function listInvitations(session: Session, options: ListOptions): Promise<undefined> {
  const operator = await openOperator(session, options);
  const all = await operator.invitations();
  const shown = options.all === true ? all : all.filter(({ state }) => state === "open");
  const none =
    options.all === true ? "No invitations yet." : "No open invitations. List the others with --all.";
  session.printList(shown, {
    name: ({ site }) => site,
    text: () => (shown.length === 0 ? none : invitationsTable(shown, session.style)),
  });
  return;
}

function invitationsTable(invitations: readonly InvitationListEntry[], style: Style): string {
  return table(
    invitations,
    [
      { title: "SITE", cell: ({ site }) => printable(site) },
      { title: "STATE", cell: ({ state }) => printable(state) },
      { title: "EXPIRES", cell: ({ expiresAt }) => minuteText(expiresAt) },
      { title: "USED", cell: ({ usedAt }) => minuteText(usedAt) },
      { title: "MAY REPLACE KEY", cell: ({ replacesKey }) => printable(replacesKey?.slice(0, 16) ?? "-") },
      { title: "ID", cell: ({ id }) => printable(id) },
    ],
    style,
  );
}

async function withdrawInvitation(
  session: Session,
  site: string,
  options: OperatorOptions,
): Promise<undefined> {
  const name = siteArgument(site);
  const operator = await openOperator(session, options);
  const open = (await operator.invitations()).filter((one) => one.site === name && one.state === "open");
  if (open.length === 0) {
    throw new ConsiliumError("USAGE", `${name} has no open invitation`, {
      remedy: "list the open ones with `consilium invitation list`",
    });
  }
  for (const { id } of open) await operator.withdraw(id);
  if (session.json) session.printJson({ site: name, withdrawn: open.map(({ id }) => id) });
  else session.print(`Withdrew the invitation of ${session.style.strong(name)}.`);
  return;
}

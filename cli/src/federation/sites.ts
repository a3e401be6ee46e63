import type { SitePresence, SiteView } from "@consilium/core/operator/views";
import type { Command } from "commander";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { elapsedText, minuteText, printable, table } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "./operatorTarget.js";

export function addSites(program: Program, parent: Command): void {
  const command = addOperatorOptions(
    parent
      .command("sites")
      .summary("list the sites and their state")
      .description(
        "Lists every invited or enrolled site.\n\n" +
          "  online    connected, heartbeats on time\n" +
          "  slow      connected, last heartbeat overdue\n" +
          "  gone      offline; was connected before\n" +
          "  invited   not enrolled yet\n" +
          "  expelled  its key is on the list of expelled sites",
      ),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium sites
  $ consilium sites --json | jq -r '.[] | select(.presence == "gone") | .id'`,
  );
  program.verb<[OperatorOptions]>(command, sites);
}

async function sites(session: Session, options: OperatorOptions): Promise<undefined> {
  const operator = await openOperator(session, options);
  const all = await operator.sites();
  if (session.json) session.printJson(all);
  else if (all.length === 0) session.print("No sites yet. Invite one: consilium invite <site>");
  else session.print(sitesTable(all, Date.now(), session.style));
  return;
}

export function presenceText(presence: SitePresence, style: Style): string {
  switch (presence) {
    case "online":
      return style.good(presence);
    case "slow":
    case "gone":
      return style.caution(presence);
    case "expelled":
      return style.bad(presence);
    case "invited":
      return style.faint(presence);
    default:
      return printable(String(presence));
  }
}

function sitesTable(sites: readonly SiteView[], now: number, style: Style): string {
  const ago = (iso: string | null) =>
    iso === null ? "-" : `${elapsedText((now - Date.parse(iso)) / 1000)} ago`;
  return table(
    sites,
    [
      { title: "SITE", cell: (site) => printable(site.id) },
      { title: "PRESENCE", cell: (site) => presenceText(site.presence, style) },
      { title: "LAST SEEN", cell: (site) => (site.presence === "online" ? "now" : ago(site.lastSeenAt)) },
      {
        title: "CERTIFICATE UNTIL",
        cell: (site) => minuteText(site.certificateExpiresAt),
      },
      { title: "SOFTWARE", cell: (site) => printable(site.software ?? "-") },
      { title: "TABLES", cell: (site) => printable(site.tables.join(", ") || "-") },
      { title: "KEY", cell: (site) => printable(site.signingKeyFingerprint?.slice(0, 16) ?? "-") },
    ],
    style,
  );
}

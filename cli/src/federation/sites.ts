import { ConsiliumError } from "@consilium/core/errors";
import { clockSkewWarnMs } from "@consilium/core/identity/warnings";
import type { AdmitsView, SiteTableView } from "@consilium/core/operator/tableViews";
import type { SitePresence, SiteView } from "@consilium/core/operator/views";
import { type Command, Option } from "commander";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { elapsedText, minuteText, padTo, printable, table, visibleLength } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";
import type { OperatorClient } from "./operatorClient.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "./operatorTarget.js";

interface SitesOptions extends OperatorOptions {
  readonly presence?: readonly PresenceWord[];
  readonly table?: string;
}

/** As people read and write them, where the API says `gone`. */
const presenceWords = ["online", "slow", "refused", "offline", "invited", "expelled"] as const;
type PresenceWord = (typeof presenceWords)[number];

export const presenceWord = (presence: SitePresence): PresenceWord =>
  presence === "gone" ? "offline" : presence;

export function addSites(program: Program, parent: Command): void {
  const command = addOperatorOptions(
    parent
      .command("sites")
      .summary("list the sites and their state, or show one")
      .description(
        "Lists every invited or enrolled site, or shows one with its tables and the columns that it shares.\n\n" +
          "  online    connected, heartbeats on time\n" +
          "  slow      connected, last heartbeat overdue\n" +
          "  refused   its newest greeting was refused, for the code beside it\n" +
          "  offline   was connected before\n" +
          "  invited   not enrolled yet\n" +
          "  expelled  its key is on the list of expelled sites",
      )
      .argument("[site]", "show this site with its tables")
      .addOption(
        new Option("--presence <state...>", "only sites in one of these states").choices(presenceWords),
      )
      .option("--table <name>", "only sites that share this table"),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium sites
  $ consilium sites st-mary
  $ consilium sites --presence offline slow
  $ consilium sites --table stays --output name`,
  );
  program.list<[string | undefined, SitesOptions]>(command, sites);
}

async function sites(session: Session, given: string | undefined, options: SitesOptions): Promise<undefined> {
  const operator = await openOperator(session, options);
  if (given !== undefined) return showSite(session, operator, given);
  const { presence, table: held } = options;
  const all = await operator.sites();
  const shown = all.filter(
    (site) =>
      (presence === undefined || presence.includes(presenceWord(site.presence))) &&
      (held === undefined || site.tables.includes(held)),
  );
  const none = all.length === 0 ? "No sites yet. Invite one: consilium invite <site>" : "No site matches.";
  session.printList(shown, {
    name: ({ id }) => id,
    text: () => (shown.length === 0 ? none : sitesTable(shown, Date.now(), session.style)),
  });
  return;
}

async function showSite(session: Session, operator: OperatorClient, id: string): Promise<undefined> {
  const found = (await operator.sites()).find((site) => site.id === id);
  if (found === undefined) {
    throw new ConsiliumError("USAGE", `no site ${printable(id)} in this federation`, {
      remedy: "list them: consilium sites",
    });
  }
  const tables = await operator.siteTables(id);
  if (session.json) {
    session.printJson({ ...found, tables });
    return;
  }
  if (session.output === "name") {
    session.print(printable(found.id));
    return;
  }
  session.print(sitesTable([found], Date.now(), session.style));
  const { strong } = session.style;
  // An earlier aggregator says none of it.
  if (found.admits != null) session.print(`\n${admitsText(found.admits)}`);
  for (const { name, columns, budget } of tables) {
    const left = budget == null ? "" : `  epsilon ${budget.epsilon} left at delta ${budget.delta}`;
    session.print(
      `\n${strong(printable(name))}${left}${columns.length === 0 ? "  shares no columns" : `\n${columnsText(columns)}`}`,
    );
  }
}

/** What a hospital's policy lets studies ask, a rule a line. */
function admitsText(admits: AdmitsView): string {
  const { analyses, variants, maxEpsilon, maxDelta, minimumSites, tolerateColluding, perHospital, requires } =
    admits;
  const caps = [
    ...(maxEpsilon === null ? [] : [`epsilon ${maxEpsilon}`]),
    ...(maxDelta === null ? [] : [`delta ${maxDelta}`]),
  ];
  const rules = [
    ["analyses", analyses.join(", ")],
    ["variants", variants.join(", ")],
    ["one study", caps.length === 0 ? "as much as is left" : `at most ${caps.join(" and ")}`],
    ["hospitals", `at least ${minimumSites}, ${tolerateColluding} colluding`],
    ["figures", perHospital ? "of single hospitals too" : "of hospitals together"],
    ["request", requires.join(", ")],
  ] as const;
  return rules
    .filter(([, what]) => what !== "")
    .map(([rule, what]) => `  ${padTo(rule, 11)}${printable(what)}`)
    .join("\n");
}

/** Names with their types, and what the hospital's people wrote of them, a column a line. */
function columnsText(columns: SiteTableView["columns"]): string {
  const width = Math.max(...columns.map(({ name }) => visibleLength(printable(name))));
  return columns
    .map(({ name, type, unit, bounds, levels }) => {
      const described = [
        ...(unit === undefined ? [] : [unit]),
        ...(bounds === undefined ? [] : [`${bounds.min} to ${bounds.max}`]),
        ...(levels === undefined ? [] : [levels.join(", ")]),
      ];
      return `  ${padTo(printable(name), width + 2)}${printable([type, ...described].join("  "))}`;
    })
    .join("\n");
}

export function presenceText(presence: SitePresence, style: Style): string {
  switch (presence) {
    case "online":
      return style.good(presence);
    case "slow":
    case "gone":
      return style.caution(presenceWord(presence));
    case "refused":
    case "expelled":
      return style.bad(presence);
    case "invited":
      return style.faint(presence);
    default:
      return printable(String(presence));
  }
}

function sitePresenceText({ presence, turnedAway }: SiteView, style: Style): string {
  if (presence !== "refused" || turnedAway === null) return presenceText(presence, style);
  return style.bad(`refused: ${printable(turnedAway.code)}`);
}

/** Of each site whose clock is off by a minute or more, and of each that has two agents; a line each. */
function concerns(sites: readonly SiteView[], style: Style): string[] {
  return sites.flatMap(({ id, clockSkewMs, agentsAlternatedAt, behind }) => {
    const skewMs = clockSkewMs ?? 0;
    const by = `${elapsedText(Math.abs(skewMs) / 1000)} ${skewMs > 0 ? "fast" : "slow"}`;
    return [
      ...(Math.abs(skewMs) < clockSkewWarnMs
        ? []
        : [`its clock is ${by}: synchronise it with a time server`]),
      ...(agentsAlternatedAt === null
        ? []
        : [
            "two agents with its identity end each other's connection: the hospital stops one, or reports a copied state folder",
          ]),
      ...(behind ?? []).map(({ what, speaks, newest }) =>
        what === "plan" || what === "statement"
          ? `its software is older: it speaks format ${speaks} of a ${what}, not ${newest}`
          : `its software is older: it speaks edition ${speaks} of ${printable(what)}, not ${newest}`,
      ),
    ].map((said) => `${style.caution(printable(id))}: ${said}`);
  });
}

function sitesTable(sites: readonly SiteView[], now: number, style: Style): string {
  return [sitesRows(sites, now, style), ...concerns(sites, style)].join("\n");
}

function sitesRows(sites: readonly SiteView[], now: number, style: Style): string {
  const ago = (iso: string | null) =>
    iso === null ? "-" : `${elapsedText((now - Date.parse(iso)) / 1000)} ago`;
  return table(
    sites,
    [
      { title: "SITE", cell: (site) => printable(site.id) },
      { title: "PRESENCE", cell: (site) => sitePresenceText(site, style) },
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

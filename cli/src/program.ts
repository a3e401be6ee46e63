import { ConsiliumError } from "@consilium/core/errors";
import { softwareVersion } from "@consilium/core/version";
import { Command, Help, Option, type OutputConfiguration } from "commander";
import { exitCodeMeanings } from "./exitCodes.js";
import type { Verb } from "./session.js";
import { outputFormats } from "./terminal/output.js";

/** Registers verbs: turns a function of the session into the action of a commander command. */
export interface Program {
  readonly root: Command;
  /** `A`: the command's arguments in their order, then its options. */
  verb<A extends unknown[]>(command: Command, body: Verb<A>): void;
  /** A verb that prints with `session.printList`: it knows `--output name`. */
  list<A extends unknown[]>(command: Command, body: Verb<A>): void;
}

/** Runs the verb chosen on the command line; `runCli` provides the session. */
type VerbRunner = (command: Command, body: Verb<unknown[]>, args: unknown[]) => Promise<void>;

/** The options before any command that `runCli` reads itself, to know which command is meant. */
export const globalValueOptions: readonly string[] = ["--home", "--context", "-o", "--output"];
export const globalFlags: readonly string[] = ["--json", "-q", "--quiet", "--no-color"];

/** A module of commands: their names with what the list of commands says of them. */
interface CommandModule {
  readonly heading: string;
  readonly commands: Readonly<Record<string, string>>;
  readonly load: () => Promise<(program: Program, parent: Command) => void>;
}

/**
 * Modules are loaded for the commands that they define alone: most of the time that a light command takes is that of
 * loading the others. A test compares the texts with those of the modules.
 */
export const commandModules: readonly CommandModule[] = [
  {
    heading: "Federation:",
    commands: { init: "create a federation" },
    load: async () => (await import("./federation/init.js")).addInit,
  },
  {
    heading: "Federation:",
    commands: { invite: "invite a hospital: prints a one-time token" },
    load: async () => (await import("./federation/invite.js")).addInvite,
  },
  {
    heading: "Federation:",
    commands: { invitation: "list and withdraw invitations" },
    load: async () => (await import("./federation/invitations.js")).addInvitation,
  },
  {
    heading: "Federation:",
    commands: { retention: "show and remove what is due of old studies" },
    load: async () => (await import("./federation/retention.js")).addRetention,
  },
  {
    heading: "Federation:",
    commands: { sites: "list the sites and their state, or show one" },
    load: async () => (await import("./federation/sites.js")).addSites,
  },
  {
    heading: "Federation:",
    commands: { tables: "list the sites' tables, or the columns of one" },
    load: async () => (await import("./federation/tables.js")).addTables,
  },
  {
    heading: "Federation:",
    commands: { expel: "expel a site permanently" },
    load: async () => (await import("./federation/expel.js")).addExpel,
  },
  {
    heading: "Federation:",
    commands: { expelled: "keep the list of expelled sites up to date" },
    load: async () => (await import("./federation/expel.js")).addExpelled,
  },
  {
    heading: "Federation:",
    commands: { members: "sign and publish the list of members" },
    load: async () => (await import("./federation/members.js")).addMembers,
  },
  {
    heading: "Federation:",
    commands: { renew: "renew the servers' certificates" },
    load: async () => (await import("./federation/renew.js")).addRenew,
  },
  {
    heading: "Federation:",
    commands: { standby: "create a second aggregator that can take over" },
    load: async () => (await import("./federation/standby.js")).addStandby,
  },
  {
    heading: "Processes:",
    commands: { serve: "run the aggregator, the publisher or a site" },
    load: async () => (await import("./serve/serve.js")).addServe,
  },
  {
    heading: "Processes:",
    commands: {
      backup: "write a state folder into one file",
      restore: "restore a state folder from a backup",
    },
    load: async () => (await import("./backup/backup.js")).addBackup,
  },
  {
    heading: "Processes:",
    commands: { upgrade: "before an upgrade: which studies would continue" },
    load: async () => (await import("./upgrade/upgrade.js")).addUpgrade,
  },
  {
    heading: "Studies and releases:",
    commands: { study: "write, plan, start and follow studies" },
    load: async () => (await import("./study/study.js")).addStudy,
  },
  {
    heading: "Studies and releases:",
    commands: { methods: "list the methods, offline" },
    load: async () => (await import("./study/methods.js")).addMethods,
  },
  {
    heading: "Studies and releases:",
    commands: { release: "find, get, verify, replay and withdraw releases" },
    load: async () => (await import("./release/release.js")).addRelease,
  },
  {
    heading: "Hospital:",
    commands: { site: "at the hospital: enrol, check the data, decide on studies" },
    load: async () => (await import("./site/site.js")).addSite,
  },
  {
    heading: "Hospital:",
    commands: { policy: "at the hospital: show, check and set the policy" },
    load: async () => (await import("./policy/policy.js")).addPolicy,
  },
  {
    heading: "Hospital:",
    commands: { ledger: "at the hospital: privacy spending and outgoing data" },
    load: async () => (await import("./ledger/ledger.js")).addLedger,
  },
  {
    heading: "People and programs:",
    commands: { account: "manage accounts of the web pages" },
    load: async () => (await import("./access/account.js")).addAccount,
  },
  {
    heading: "People and programs:",
    commands: { token: "manage tokens of programs and of release readers" },
    load: async () => (await import("./access/token.js")).addToken,
  },
  {
    heading: "Other:",
    commands: {
      doctor: "find out why a site is not connected, with the text to send to the network team",
    },
    load: async () => (await import("./doctor/doctor.js")).addDoctor,
  },
  {
    heading: "Other:",
    commands: { context: "keep the addresses of federations under names" },
    load: async () => (await import("./context/context.js")).addContext,
  },
  {
    heading: "Other:",
    commands: { completion: "print a shell's completion script" },
    load: async () => (await import("./completion/completion.js")).addCompletion,
  },
];

/**
 * The command with its verbs.
 * @param only - the one top-level command to define in full; the others have their names and summaries. Left out: all
 */
export async function buildProgram(
  run: VerbRunner,
  output: OutputConfiguration,
  only?: string,
): Promise<Program> {
  // Subcommands inherit these three at creation, so they must be set first.
  const root = new Command("consilium")
    .exitOverride()
    .configureOutput(output)
    .configureHelp(help)
    .description(
      "Federated analytics for hospitals: each keeps its records, an aggregator combines the sites' masked data, and " +
        "a publisher releases the results.",
    )
    .version(softwareVersion, "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .option("--home <folder>", "the folder for all state (default: $CONSILIUM_HOME, otherwise ~/.consilium)")
    .option("--context <name>", "use this context (default: $CONSILIUM_CONTEXT, otherwise the current one)")
    .addOption(
      new Option("-o, --output <format>", "how to print the result; `name` prints the ids of a list")
        .choices(outputFormats)
        .conflicts("json"),
    )
    .option("--json", "the same as --output json")
    .option("-q, --quiet", "print the result and errors alone: no notes, no progress")
    .option("--no-color", "no colours (also: NO_COLOR=1, or output to a non-terminal)")
    .addHelpText(
      "after",
      `
Commands by user:
  operator   init, serve, invite, invitation, sites, tables, methods, study, release withdraw,
             release supersede, retention, expel, renew, standby, doctor, backup, restore
  hospital   site enroll, serve site, doctor, site profile, site status, site studies, site approve,
             policy show, policy set, site table add, site table set, site table test, ledger show,
             ledger verify, ledger egress
  analyst    release list, release get, release verify

Exit codes:
${exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`).join("\n")}

Errors go to standard error as \`[CODE] problem. Remedy.\`; with --json or --output yaml, to standard output as
{"error": {"code", "message", "remedy"}}.`,
    );
  const act = (command: Command, body: Verb<unknown[]>) => {
    command.action((...received: unknown[]) =>
      // Commander passes the arguments, the options and the command.
      run(command, body, received.slice(0, -1)),
    );
  };
  const program: Program = {
    root,
    verb: (command, body) =>
      act(command, (session, ...args) => {
        if (session.output !== "name") return (body as unknown as Verb<unknown[]>)(session, ...args);
        throw new ConsiliumError("USAGE", `${commandPath(command)} prints no list: it has no --output name`);
      }),
    list: (command, body) => act(command, body as unknown as Verb<unknown[]>),
  };

  for (const { heading, commands, load } of commandModules) {
    root.commandsGroup(heading);
    const names = Object.entries(commands);
    if (only === undefined || only in commands) (await load())(program, root);
    else for (const [name, summary] of names) root.command(name).summary(summary);
  }
  root.helpCommand("help [command]", "show the help of a command");
  return program;
}

/** The command and all below it. */
export function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** `study plan`: the command's words without `consilium`. */
export function commandPath(command: Command): string {
  return command.parent === null ? "" : `${commandPath(command.parent)} ${command.name()}`.trim();
}

/** Every command's help shows the global options; only the top one shows --version. */
const help = {
  showGlobalOptions: true,
  // Of a command that is not loaded, arguments and options are not known.
  subcommandTerm(this: Help, of: Command): string {
    return of.parent?.parent === null ? of.name() : Help.prototype.subcommandTerm.call(this, of);
  },
  visibleGlobalOptions(of: Command): Option[] {
    const above: Command[] = [];
    for (let at = of.parent; at !== null; at = at.parent) above.push(at);
    return above.flatMap((at) => at.options.filter((option) => option.long !== "--version"));
  },
};

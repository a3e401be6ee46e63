import { softwareVersion } from "@consilium/core/version";
import { Command, type Option, type OutputConfiguration } from "commander";
import { addAccount } from "./access/account.js";
import { addToken } from "./access/token.js";
import { addBackup } from "./backup/backup.js";
import { addCompletion } from "./completion/completion.js";
import { addDoctor } from "./doctor/doctor.js";
import { exitCodeMeanings } from "./exitCodes.js";
import { addExpel, addExpelled } from "./federation/expel.js";
import { addInit } from "./federation/init.js";
import { addInvitation } from "./federation/invitations.js";
import { addInvite } from "./federation/invite.js";
import { addRenew } from "./federation/renew.js";
import { addSites } from "./federation/sites.js";
import { addLedger } from "./ledger/ledger.js";
import { addRelease } from "./release/release.js";
import { addServe } from "./serve/serve.js";
import type { Verb } from "./session.js";
import { addSite } from "./site/site.js";
import { addStudy } from "./study/study.js";

/** Registers verbs: turns a function of the session into the action of a commander command. */
export interface Program {
  readonly root: Command;
  /** `A`: the command's arguments in their order, then its options. */
  verb<A extends unknown[]>(command: Command, body: Verb<A>): void;
}

/** Runs the verb chosen on the command line; `runCli` provides the session. */
type VerbRunner = (command: Command, body: Verb<unknown[]>, args: unknown[]) => Promise<void>;

export function buildProgram(run: VerbRunner, output: OutputConfiguration): Program {
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
    .option("--json", "print JSON to standard output instead of text")
    .option("--no-color", "no colours (also: NO_COLOR=1, or output to a non-terminal)")
    .addHelpText(
      "after",
      `
Commands by user:
  operator   init, serve, invite, invitation, sites, study, expel, renew, doctor, backup, restore
  hospital   site enroll, serve site, doctor, site profile, site status, site studies, site approve,
             ledger show, ledger verify, ledger egress
  analyst    release list, release get, release verify

Exit codes:
${exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`).join("\n")}

Errors go to standard error as \`[CODE] problem. Remedy.\`; with --json, to standard output as
{"error": {"code", "message", "remedy"}}.`,
    );
  const program: Program = {
    root,
    verb: (command, body) => {
      command.action((...received: unknown[]) =>
        // Commander passes the arguments, the options and the command.
        run(command, body as unknown as Verb<unknown[]>, received.slice(0, -1)),
      );
    },
  };

  root.commandsGroup("Federation:");
  addInit(program, root);
  addInvite(program, root);
  addInvitation(program, root);
  addSites(program, root);
  addExpel(program, root);
  addExpelled(program, root);
  addRenew(program, root);
  root.commandsGroup("Processes:");
  addServe(program, root);
  addBackup(program, root);
  root.commandsGroup("Studies and releases:");
  addStudy(program, root);
  addRelease(program, root);
  root.commandsGroup("Hospital:");
  addSite(program, root);
  addLedger(program, root);
  root.commandsGroup("People and programs:");
  addAccount(program, root);
  addToken(program, root);
  root.commandsGroup("Other:");
  addDoctor(program, root);
  addCompletion(program, root);
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
  visibleGlobalOptions(of: Command): Option[] {
    const above: Command[] = [];
    for (let at = of.parent; at !== null; at = at.parent) above.push(at);
    return above.flatMap((at) => at.options.filter((option) => option.long !== "--version"));
  },
};

import type { Command } from "commander";
import { collect, portOption } from "../options.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { createStandby } from "./createStandby.js";
import { certificateHosts } from "./init.js";

interface StandbyOptions {
  readonly host: readonly string[];
  readonly name: string;
  readonly activeName: string;
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly aggregator?: string;
  readonly authority?: string;
}

export function addStandby(program: Program, parent: Command): void {
  const command = parent
    .command("standby")
    .summary("create a second aggregator that can take over")
    .description(
      "Creates the state folder of a second aggregator, to be moved to another machine. Both use the same PostgreSQL " +
        "database: one is active, the other takes over when it ends or cannot reach the database. Its identity and its " +
        "issuing key are its own, certified by the root key: connect the authority folder, run this, and disconnect it " +
        "again. The operator's token is the same.\n\n" +
        "It also writes `standby:` into the present aggregator's config.yaml: restart that one first. Sites invited " +
        "from then on know both addresses; the others add the new one to `standbys:` in their config.yaml.",
    )
    .argument("<folder>", "the state folder to create")
    .requiredOption(
      "--host <host>",
      "a host name or address of the second aggregator; sites dial the first; repeatable",
      collect,
    )
    .option("--name <name>", "its name in the lease and in logs", "second")
    .option("--active-name <name>", "the same of the present aggregator", "first")
    .option("--grpc-port <port>", "for sites", portOption, 7443)
    .option("--http-port <port>", "for the operator's API", portOption, 7080)
    .option("--aggregator <folder>", "the present aggregator's state folder (default: <home>/aggregator)")
    .option("--authority <folder>", "the folder with root-key.pem (default: <home>/authority)")
    .addHelpText(
      "after",
      `
Example:
  $ consilium standby /media/usb/second --host second.example.org --authority /media/usb/north-sea

Then restart the present aggregator, move the folder to the other machine, and there:
  $ consilium serve aggregator --state /srv/consilium/second`,
    );
  program.verb<[string, StandbyOptions]>(command, standby);
}

async function standby(session: Session, given: string, options: StandbyOptions): Promise<undefined> {
  const folder = session.path(given);
  const folderOf = (written: string | undefined, fallback: string) =>
    written === undefined ? fallback : session.path(written);
  const address = await createStandby({
    aggregator: folderOf(options.aggregator, session.home.aggregator),
    authority: folderOf(options.authority, session.home.authority),
    folder,
    names: { active: options.activeName, standby: options.name },
    hosts: certificateHosts(options.host, "--host"),
    grpcPort: options.grpcPort,
    httpPort: options.httpPort,
    now: Date.now(),
  });
  if (session.json) {
    session.printJson({ folder, address, name: options.name, activeName: options.activeName });
    return;
  }
  const { good, strong, accent, caution } = session.style;
  session.print(`${good("Created")} the standby ${strong(options.name)}.

  folder    ${folder}
  address   ${address}

${caution("The folder holds keys that certify sites:")} move it, do not copy it, and leave none behind.

Next:
  Restart the present aggregator (${options.activeName}).
  ${accent("consilium serve aggregator --state <folder>")}   on the standby's machine
  Sites that have enrolled: add ${address} to \`standbys:\` in their config.yaml.`);
}

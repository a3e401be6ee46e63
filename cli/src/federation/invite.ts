import { basename } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { parseSiteId } from "@consilium/core/ids";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { type Command, InvalidArgumentError, Option } from "commander";
import { durationOption } from "../options.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "./operatorTarget.js";

interface InviteOptions extends OperatorOptions {
  readonly expires: number;
  readonly to?: string;
  readonly replace?: boolean;
  readonly sameKey?: boolean;
}

const longestMs = 30 * 86_400_000;

const invitationFlag = new Option("--expires <duration>", "how long the token is valid, at most 30d")
  .argParser((text) => {
    const ms = durationOption(text);
    if (ms <= longestMs) return ms;
    throw new InvalidArgumentError("An invitation is valid for at most 30d.");
  })
  .default(durationOption("24h"), "24h");

export function addInvite(program: Program, parent: Command): void {
  const command = addOperatorOptions(
    parent
      .command("invite")
      .summary("invite a hospital: prints a one-time token")
      .description(
        "Creates a one-time token for one hospital to enrol with, and prints the commands for its IT staff.\n\n" +
          "The token pins the federation's root certificate, contains the aggregator's address, and works once. It is " +
          "shown here, or written to --to, and not stored elsewhere: send it over a trusted channel.\n\n" +
          "A site has at most one open invitation, and an enrolled site is not invited again: anyone with that " +
          "token could replace it. For a lost token, or a hospital that lost its key, use --replace; for a " +
          "hospital that still has its key, such as one with an expired certificate, --same-key.",
      )
      .argument("<site>", "the hospital's name in the federation: a-z, 0-9 and single hyphens")
      .addOption(invitationFlag)
      .addOption(
        new Option(
          "--replace",
          "withdraw the site's open invitation, and allow the new token to replace the enrolled key",
        ).conflicts("sameKey"),
      )
      .option("--same-key", "allow the token only with the enrolled key, so that it replaces nothing")
      .option("--to <file>", "write the token to a file that only you can read, instead of showing it"),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium invite st-mary
  $ consilium invite st-mary --to st-mary.token
  $ consilium invite st-mary --replace
  $ consilium invite st-mary --expires 7d --json | jq -r .token`,
  );
  program.verb<[string, InviteOptions]>(command, invite);
}

/** A site's name from the command line. */
export function siteArgument(site: string): string {
  const parsed = parseSiteId(site);
  if (parsed.ok) return parsed.value;
  throw new ConsiliumError("USAGE", `invalid site name ${site}`, {
    remedy: "use a-z, 0-9 and single hyphens, at most 40 characters",
  });
}

async function invite(session: Session, site: string, options: InviteOptions): Promise<undefined> {
  const name = siteArgument(site);
  const operator = await openOperator(session, options);
  const existing = options.replace === true ? "replace" : options.sameKey === true ? "same-key" : "refuse";
  const invitation = await operator.invite({ site: name, expiresInMs: options.expires, existing });
  const path = options.to === undefined ? null : session.path(options.to);
  if (path !== null) await writeFileDurable(path, `${invitation.token}\n`, { mode: 0o600 });
  if (session.json) {
    session.printJson(path === null ? invitation : { ...invitation, token: null, file: path });
    return;
  }
  const { strong, accent, caution } = session.style;
  // Aggregators of earlier versions do not report it.
  const replacesKey = invitation.replacesKey ?? null;
  if (replacesKey !== null) {
    session.print(
      `${caution("This token replaces a key.")} ${strong(name)} is enrolled with key ${replacesKey.slice(0, 16)}. Once the token is used with another key, ` +
        "the enrolled key is refused. A hospital that still has its key uses the token with its state folder, and keeps key and ledger.\n",
    );
  }
  const token = path === null ? `--token ${invitation.token}` : `--token-file ${basename(path)}`;
  session.print(`One-time token for ${strong(name)}, valid until ${invitation.expiresAt}:

${path ?? invitation.token}

At the hospital, on the machine with the records:

  ${accent(`consilium site enroll ${token} --table patients=/data/patients.parquet`)}
  ${accent(`consilium serve site --site ${name}`)}

The first command creates the hospital's keys, which stay there, and has them certified; --table names its data.
The second command runs its agent, which connects outwards; no inbound port is needed.`);
  return;
}

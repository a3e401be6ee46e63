import { basename } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { parseSiteId } from "@consilium/core/ids";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { type Command, Option } from "commander";
import { durationFlag } from "../options.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "./operatorTarget.js";

interface InviteOptions extends OperatorOptions {
  readonly expires: number;
  readonly to?: string;
  readonly replace?: boolean;
  readonly sameKey?: boolean;
}

export function addInvite(program: Program, parent: Command): void {
  const command = addOperatorOptions(
    parent
      .command("invite")
      .summary("invite a hospital: prints its one-time token")
      .description(
        "Makes a one-time token with which one hospital enrols, and prints what its IT staff has to do.\n\n" +
          "The token pins the federation's root certificate, names the aggregator's address, and works once. It is " +
          "shown here, or written to --to, and stored nowhere else: send it over a channel you trust.\n\n" +
          "A site has one open invitation at most, and a site that is enrolled is not invited again: whoever used that " +
          "token would take its place. For a lost token, or a hospital that lost its key, there is --replace; for a " +
          "hospital that still has its key, such as one whose certificate has expired, --same-key.",
      )
      .argument("<site>", "the hospital's name in the federation: a-z, 0-9 and single hyphens")
      .addOption(durationFlag("--expires <duration>", "how long the token can be used", "24h"))
      .addOption(
        new Option(
          "--replace",
          "withdraw the site's open invitation, and let the new token replace the key that is enrolled now",
        ).conflicts("sameKey"),
      )
      .option("--same-key", "let the token be used with the enrolled key only, so that it replaces nothing")
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
  throw new ConsiliumError("USAGE", `${site} is no site's name`, {
    remedy: "a site's name has a-z, 0-9 and single hyphens, at most 40 characters",
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
  // An aggregator of an earlier version does not say.
  const replacesKey = invitation.replacesKey ?? null;
  if (replacesKey !== null) {
    session.print(
      `${caution("This token replaces a key.")} ${strong(name)} is enrolled with key ${replacesKey.slice(0, 16)}. Once the token is used with another key, ` +
        "that one is refused. A hospital that still has its key uses the token with its own state folder, and keeps key and ledger.\n",
    );
  }
  const token = path === null ? `--token ${invitation.token}` : `--token-file ${basename(path)}`;
  session.print(`Token for ${strong(name)}, to be used once, until ${invitation.expiresAt}:

${path ?? invitation.token}

At the hospital, where the records are:

  ${accent(`consilium site enroll ${token} --table patients=/data/patients.parquet`)}
  ${accent(`consilium serve site --site ${name}`)}

The first command makes the hospital's keys, which stay there, and has them certified; --table names its data.
The second one runs its agent, which dials out; no port needs to be opened.`);
  return;
}

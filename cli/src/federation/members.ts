import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { parseSha256 } from "@consilium/core/ids";
import type { SiteView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import { type Member, readPublishedMembers } from "@consilium/release/members";
import type { Authority } from "@consilium/runtime/identity/authority";
import { issueMembers } from "@consilium/runtime/identity/issueMembers";
import type { RevocationList } from "@consilium/runtime/identity/revoked";
import { rootKeyHash } from "@consilium/runtime/identity/rootKey";
import { isSignedByRoot } from "@consilium/runtime/release/verifyFolder";
import { readFileIfThere, writeFileDurable } from "@consilium/runtime/store/durableFile";
import type { Command } from "commander";
import { type ExitCode, exitCodes } from "../exitCodes.js";
import { confirmed } from "../ledger/confirmed.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { printable, table } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";
import { revocationsFile } from "./createFederation.js";
import { authorityFolder, openBoth, readList } from "./expel.js";
import { addOperatorOptions, type OperatorOptions } from "./operatorTarget.js";

interface SignOptions extends OperatorOptions {
  readonly authority?: string;
  readonly name?: readonly string[];
  readonly yes?: true;
}

/** In the authority folder: the list that was signed last. Who has the root certificate needs no other trust in it. */
const membersFile = "members.json";

export function addMembers(program: Program, parent: Command): void {
  const members = parent
    .command("members")
    .summary("sign and publish the list of members")
    .description("The federation's hospitals and their signing keys, by which readers of releases know them.")
    .addHelpText("after", "\nExample:\n  $ consilium members sign");
  const sign = addOperatorOptions(
    members
      .command("sign")
      .summary("sign the list with the root key, and publish it")
      .description(
        "Lists the enrolled sites with their signing keys, shows what has changed since the last list, signs it with " +
          "the root key once you confirm it, and sends it to the aggregator, which has the publisher serve it as " +
          "members.json. Keys that were replaced or expelled stay on it with the time at which they ended.\n\n" +
          "What sites there are the aggregator says, and anyone who has its keys could add some. Compare each new key with " +
          "what the hospital itself says, by telephone or in person, before you confirm. A key that has ended never " +
          "returns to the list.\n\n" +
          "Sign anew when a site has enrolled, has a new key or was expelled. This command needs the authority folder: " +
          "connect it, run the command, and disconnect it again.",
      )
      .option("--authority <folder>", "the folder with root-key.pem (default: <home>/authority)")
      .option(
        "--name <site=name...>",
        "the hospital's name as readers should see it (default: the one of the last list, else the site's id)",
      )
      .option("--yes", "do not ask for confirmation"),
  ).addHelpText(
    "after",
    `
Repeating the command is safe: a list that was signed but not published is followed by a newer one.

Example:
  $ consilium members sign --name "st-mary=St Mary's Hospital" --authority /media/usb/north-sea`,
  );
  program.verb<[SignOptions]>(sign, signMembers);
}

async function signMembers(session: Session, options: SignOptions): Promise<ExitCode> {
  const folder = authorityFolder(session, options);
  const { root, operator } = await openBoth(session, folder, options);
  const path = join(folder, membersFile);
  const previous = await readPrevious(path, root);
  const { list: expelled } = await readList(join(folder, revocationsFile), root);
  const now = Math.max(Date.now(), previous === null ? 0 : Date.parse(previous.issuedAt) + 1);
  const sites = await operator.sites();
  const members = membersOf({
    sites,
    previous: previous?.members ?? [],
    expelled,
    names: namesOf(options.name ?? [], sites),
    now,
  });
  if (members.length === 0) {
    throw new ConsiliumError("USAGE", "no site has enrolled", { remedy: "invite one: consilium invite" });
  }
  const before = new Map(previous?.members.map((one) => [one.signingKeyFingerprint, one]));
  if (options.yes !== true) {
    session.print(membersTable(members, before, session.style));
    const isWanted = await confirmed(session, {
      ask: `Sign these as the members of ${root.federation}?`,
      otherwise: "Nothing was signed.",
      remedy: "check the list, then repeat the command with --yes",
    });
    if (!isWanted) return exitCodes.failed;
  }
  const issuedAt = new Date(now).toISOString();
  const signed = issueMembers(root, members, issuedAt);
  unwrap(readPublishedMembers(underRoot(root, signed), root.federation));
  // Stored before it is sent: keys that have ended are known from here alone.
  await writeFileDurable(path, signed);
  await operator.publishMembers(signed);
  const current = members.filter(({ until }) => until === null).length;
  if (session.json) session.printJson({ issuedAt, members: current, keys: members.length });
  else
    session.print(
      `${session.style.good("Published")} the list of members of ${issuedAt}: ${current} members, ${members.length} keys.`,
    );
  return exitCodes.ok;
}

function underRoot(root: Authority, bytes: Uint8Array) {
  const rootPem = root.certificatePem;
  return {
    text: Buffer.from(bytes).toString("utf8"),
    rootKey: rootKeyHash(rootPem),
    isRootSignature: (text: Uint8Array, signature: Uint8Array) => isSignedByRoot(rootPem, text, signature),
  };
}

/** The list that was signed last; null before the first one. @throws ConsiliumError CONFIG_INVALID if it was changed since */
async function readPrevious(path: string, root: Authority) {
  const bytes = await readFileIfThere(path);
  return bytes === null ? null : unwrap(readPublishedMembers(underRoot(root, bytes), root.federation));
}

/** @throws ConsiliumError USAGE for a malformed one, or of an unknown site */
function namesOf(given: readonly string[], sites: readonly SiteView[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const one of given) {
    const end = one.indexOf("=");
    const [site, name] = [one.slice(0, end), one.slice(end + 1).trim()];
    if (end < 1 || !/^[^\p{Cc}]{1,200}$/u.test(name)) {
      throw new ConsiliumError("USAGE", "--name takes a site's id, = and its name of 1 to 200 characters", {
        remedy: `write --name "st-mary=St Mary's Hospital"`,
      });
    }
    if (sites.every(({ id }) => id !== site)) {
      throw new ConsiliumError("USAGE", `unknown site ${printable(site)}`, {
        remedy: "list the sites with `consilium sites`",
      });
    }
    names.set(site, name);
  }
  return names;
}

/**
 * The members by the aggregator's registry and the authority's own lists. A key of the last list that has ended stays ended, and one
 * that no site has any more ends now.
 * @param given.now - milliseconds since 1970
 */
export function membersOf(given: {
  readonly sites: readonly SiteView[];
  readonly previous: readonly Member[];
  readonly expelled: RevocationList;
  readonly names: ReadonlyMap<string, string>;
  readonly now: number;
}): Member[] {
  const now = new Date(given.now).toISOString();
  const keys = new Map<string, Member>(given.previous.map((one) => [one.signingKeyFingerprint, one]));
  const current = new Set<string>();
  for (const { id, signingKeyFingerprint, keySince, keyReplaced } of given.sites) {
    if (signingKeyFingerprint === null) continue;
    current.add(signingKeyFingerprint);
    const known = keys.get(signingKeyFingerprint);
    const replaced = keyReplaced === null ? undefined : keys.get(keyReplaced.signingKeyFingerprint);
    const name = given.names.get(id) ?? known?.name ?? replaced?.name ?? id;
    keys.set(signingKeyFingerprint, {
      name,
      signingKeyFingerprint: unwrap(parseSha256(signingKeyFingerprint)),
      from: known?.from ?? keySince ?? now,
      until: known?.until ?? null,
    });
    // One that was never on a list is not added: since when it was the hospital's, nobody confirmed.
    if (replaced !== undefined)
      keys.set(replaced.signingKeyFingerprint, {
        ...replaced,
        name,
        until: replaced.until ?? keyReplaced!.at,
      });
  }
  const expelledAt = new Map<string, number>(
    given.expelled.revocations.map((one) => [one.signingKeyFingerprint, one.revokedAt]),
  );
  return [...keys.values()].map((one) => {
    const ends = [
      one.until === null ? null : Date.parse(one.until),
      expelledAt.get(one.signingKeyFingerprint) ?? null,
      current.has(one.signingKeyFingerprint) || one.until !== null ? null : given.now,
    ].filter((end) => end !== null);
    return ends.length === 0 ? one : { ...one, until: new Date(Math.min(...ends)).toISOString() };
  });
}

function membersTable(members: readonly Member[], before: ReadonlyMap<string, Member>, style: Style): string {
  const changeOf = (one: Member) => {
    const was = before.get(one.signingKeyFingerprint);
    if (was === undefined) return style.caution("new");
    if (was.until !== one.until) return style.caution("ended");
    return was.name === one.name ? "-" : style.caution("renamed");
  };
  return table(
    members,
    [
      { title: "NAME", cell: ({ name }) => printable(name) },
      { title: "KEY", cell: ({ signingKeyFingerprint }) => signingKeyFingerprint },
      { title: "FROM", cell: ({ from }) => from.slice(0, 10) },
      { title: "UNTIL", cell: ({ until }) => until?.slice(0, 10) ?? "-" },
      { title: "CHANGE", cell: changeOf },
    ],
    style,
  );
}

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { parseSha256, parseSiteId, type Sha256 } from "@consilium/core/ids";
import type { SiteView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import type { Authority } from "@consilium/runtime/identity/authority";
import { loadAuthority } from "@consilium/runtime/identity/authorityFiles";
import { issueRevocations } from "@consilium/runtime/identity/issueRevocations";
import { verifyRevocations } from "@consilium/runtime/identity/revocations";
import { isRevoked, type RevocationList } from "@consilium/runtime/identity/revoked";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import type { Command } from "commander";
import { fileFault } from "../failure.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { revocationsFile } from "./createFederation.js";
import { siteArgument } from "./invite.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "./operatorTarget.js";

interface ExpelOptions extends OperatorOptions {
  readonly authority?: string;
  readonly reason?: string;
  readonly key?: string;
}

interface RenewOptions extends OperatorOptions {
  readonly authority?: string;
}

const reasonMaxLength = 200;
/** The digits of a fingerprint that identify a key reliably. */
const keyMinLength = 16;

export function addExpel(program: Program, parent: Command): void {
  const command = addOperatorOptions(
    parent
      .command("expel")
      .summary("expel a site permanently")
      .description(
        "Adds a site's key to the federation's list of expelled sites, signs the list with the root key, and sends it " +
          "to the aggregator, which forwards it to every site. The list only grows: the hospital can return with " +
          "a new invitation and a new key, never with the expelled one.\n\n" +
          "This command needs the authority folder: connect it, run the command, and disconnect it again.",
      )
      .argument("<site>", "the site to expel")
      .option("--authority <folder>", "the folder with root-key.pem (default: <home>/authority)")
      .option("--key <fingerprint>", "the key, if it is the replaced one (default: the enrolled key)")
      .option("--reason <text>", "the reason, in a few words; every site receives the list and can read it"),
  ).addHelpText(
    "after",
    `
Repeating the command is safe: a list that was signed but not delivered is sent.

Example:
  $ consilium expel st-mary --reason "left the consortium" --authority /media/usb/north-sea`,
  );
  program.verb<[string, ExpelOptions]>(command, expel);
}

export function addExpelled(program: Program, parent: Command): void {
  const expelled = parent
    .command("expelled")
    .summary("keep the list of expelled sites up to date")
    .description("The list that `consilium expel` extends. Sites refuse new studies when it is out of date.")
    .addHelpText("after", "\nExample:\n  $ consilium expelled renew");
  const renew = addOperatorOptions(
    expelled
      .command("renew")
      .summary("re-sign the list with new dates")
      .description(
        "Re-signs the list of expelled sites with the root key and sends it to the aggregator, without adding sites. The " +
          "list must be signed at least every 400 days; `consilium expel` signs it too. Connect the authority folder, run " +
          "this, and disconnect it again.",
      )
      .option("--authority <folder>", "the folder with root-key.pem (default: <home>/authority)"),
  ).addHelpText("after", "\nExample:\n  $ consilium expelled renew --authority /media/usb/north-sea");
  program.verb<[RenewOptions]>(renew, renewList);
}

async function expel(session: Session, site: string, options: ExpelOptions): Promise<undefined> {
  const name = siteArgument(site);
  const reason = options.reason ?? "";
  if (reason.length > reasonMaxLength) {
    throw new ConsiliumError("USAGE", `the reason is ${reason.length} characters long`, {
      remedy: `use at most ${reasonMaxLength}`,
    });
  }
  const folder = authorityFolder(session, options);
  const { root, operator } = await openBoth(session, folder, options);
  const fingerprint = fingerprintOf(await operator.sites(), name, options.key ?? null);
  const path = join(folder, revocationsFile);
  const present = await readList(path, root);
  const known = isRevoked(present.list, fingerprint);
  const signed = known
    ? present.bytes
    : issueRevocations(root, present.list, [
        {
          siteId: unwrap(parseSiteId(name)),
          signingKeyFingerprint: fingerprint,
          reason,
          revokedAt: Date.now(),
        },
      ]);
  // Stored before it is sent: if a sent list were lost, the next one would get the same number.
  if (!known) await writeFileDurable(path, signed);
  await operator.revoke(signed);
  const { sequence, revocations } = unwrap(
    verifyRevocations(signed, { rootPem: root.certificatePem, knownSequence: 0 }),
  );
  if (session.json) {
    session.printJson({
      site: name,
      signingKeyFingerprint: fingerprint,
      sequence,
      expelled: revocations.length,
      added: !known,
    });
    return;
  }
  const { strong, good } = session.style;
  session.print(
    known
      ? `${strong(name)} was already on the list; the list was sent to the aggregator again (number ${sequence}).`
      : `${good("Expelled")} ${strong(name)}, key ${fingerprint.slice(0, 16)}. List number ${sequence}, ${revocations.length} keys.`,
  );
  return;
}

export function authorityFolder(session: Session, { authority }: { readonly authority?: string }): string {
  return authority === undefined ? session.home.authority : session.path(authority);
}

/** @throws ConsiliumError AUTHORITY_MISMATCH if aggregator and root key belong to different federations */
export async function openBoth(session: Session, folder: string, options: OperatorOptions) {
  const root = await openAuthority(folder);
  const operator = await openOperator(session, options);
  const { rootFingerprint, federation } = await operator.federation();
  if (rootFingerprint !== root.fingerprint) {
    throw new ConsiliumError(
      "AUTHORITY_MISMATCH",
      `${folder} is not the authority of federation ${federation} at ${operator.remote.name}`,
      { remedy: "give the authority folder of that federation with --authority" },
    );
  }
  return { root, operator };
}

async function renewList(session: Session, options: RenewOptions): Promise<undefined> {
  const folder = authorityFolder(session, options);
  const { root, operator } = await openBoth(session, folder, options);
  const path = join(folder, revocationsFile);
  const signed = issueRevocations(root, (await readList(path, root)).list, []);
  await writeFileDurable(path, signed);
  await operator.revoke(signed);
  const { sequence, revocations, dates } = unwrap(
    verifyRevocations(signed, { rootPem: root.certificatePem, knownSequence: 0 }),
  );
  const nextUpdate = new Date(dates!.nextUpdate).toISOString();
  if (session.json) session.printJson({ sequence, expelled: revocations.length, nextUpdate });
  else
    session.print(
      `List of expelled sites: number ${sequence}, ${revocations.length} keys, re-sign by ${nextUpdate}.`,
    );
  return;
}

async function openAuthority(folder: string): Promise<Authority> {
  const loaded = await loadAuthority(folder);
  if (loaded.ok) return loaded.value;
  if (loaded.error.code !== "STATE_MISSING") throw loaded.error;
  throw new ConsiliumError("STATE_MISSING", loaded.error.message, {
    remedy: "give the folder with root-key.pem with --authority",
  });
}

export async function readList(
  path: string,
  root: Authority,
): Promise<{ bytes: Uint8Array; list: RevocationList }> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    // Starting with an empty list would readmit all expelled sites.
    throw new ConsiliumError("STATE_MISSING", `list of expelled sites ${path}: ${fileFault(cause)}`, {
      remedy: "restore it, or copy the aggregator's `revocations` file there (it is signed)",
      cause,
    });
  }
  return {
    bytes,
    list: unwrap(verifyRevocations(bytes, { rootPem: root.certificatePem, knownSequence: 0 })),
  };
}

/** @param key - the start of a fingerprint, of the enrolled or the replaced key; null for the enrolled key */
function fingerprintOf(sites: readonly SiteView[], name: string, key: string | null): Sha256 {
  const site = sites.find((one) => one.id === name);
  if (site === undefined) {
    throw new ConsiliumError("USAGE", `unknown site ${name}`, {
      remedy: "list the sites with `consilium sites`",
    });
  }
  if (site.signingKeyFingerprint === null) {
    throw new ConsiliumError("STATE_MISSING", `${name} is not enrolled and has no key to expel`, {
      remedy: `withdraw its invitation: consilium invitation withdraw ${name}`,
    });
  }
  if (key === null) return unwrap(parseSha256(site.signingKeyFingerprint));
  const keys = [site.signingKeyFingerprint, site.keyReplaced?.signingKeyFingerprint ?? ""];
  const found = key.length < keyMinLength ? undefined : keys.find((one) => one.startsWith(key));
  if (found === undefined) {
    throw new ConsiliumError("USAGE", `${name} has no key that starts with ${key}`, {
      remedy: `give at least ${keyMinLength} digits of the fingerprint of the enrolled or the replaced key`,
    });
  }
  return unwrap(parseSha256(found));
}

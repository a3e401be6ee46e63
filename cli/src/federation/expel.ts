import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { parseSha256, parseSiteId, type Sha256 } from "@consilium/core/ids";
import type { SiteView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import type { Authority } from "@consilium/runtime/identity/authority";
import { loadAuthority } from "@consilium/runtime/identity/authorityFiles";
import { issueRevocations } from "@consilium/runtime/identity/issueRevocations";
import { isRevoked, type RevocationList, verifyRevocations } from "@consilium/runtime/identity/revocations";
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
/** Digits of a fingerprint that name a key for certain. */
const keyMinLength = 16;

export function addExpel(program: Program, parent: Command): void {
  const command = addOperatorOptions(
    parent
      .command("expel")
      .summary("expel a site for good")
      .description(
        "Adds a site's key to the federation's list of expelled sites, signs the list with the root key, and gives it " +
          "to the aggregator, which passes it on to every site. The list only grows: the hospital can come back under " +
          "a new invitation with a new key, never with the expelled one.\n\n" +
          "This is the one command that needs the authority folder: bring it, run this, take it away again.",
      )
      .argument("<site>", "the site to expel")
      .option("--authority <folder>", "the folder with root-key.pem (default: <home>/authority)")
      .option(
        "--key <fingerprint>",
        "which key, where it is the one that was replaced (default: the enrolled one)",
      )
      .option("--reason <text>", "why, in a few words: every site is given the list and can read it"),
  ).addHelpText(
    "after",
    `
Repeating the command is safe: a list that is signed but was not delivered is delivered.

Example:
  $ consilium expel st-mary --reason "left the consortium" --authority /media/usb/north-sea`,
  );
  program.verb<[string, ExpelOptions]>(command, expel);
}

export function addExpelled(program: Program, parent: Command): void {
  const expelled = parent
    .command("expelled")
    .summary("keep the list of expelled sites in date")
    .description("The list that `consilium expel` extends. Sites refuse new studies once it is out of date.")
    .addHelpText("after", "\nExample:\n  $ consilium expelled renew");
  const renew = addOperatorOptions(
    expelled
      .command("renew")
      .summary("sign the list again, with new dates")
      .description(
        "Signs the list of expelled sites again with the root key and gives it to the aggregator. Nobody is added. The " +
          "list must be signed at least every 400 days; `consilium expel` does it as well. Bring the authority folder, run " +
          "this, take it away again.",
      )
      .option("--authority <folder>", "the folder with root-key.pem (default: <home>/authority)"),
  ).addHelpText("after", "\nExample:\n  $ consilium expelled renew --authority /media/usb/north-sea");
  program.verb<[RenewOptions]>(renew, renewList);
}

async function expel(session: Session, site: string, options: ExpelOptions): Promise<undefined> {
  const name = siteArgument(site);
  const reason = options.reason ?? "";
  if (reason.length > reasonMaxLength) {
    throw new ConsiliumError("USAGE", `the reason has ${reason.length} characters`, {
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
  // Kept before it is sent: a list that was out and then lost would be followed by one with the same number.
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
      ? `${strong(name)} was on the list already; the aggregator has been given the list again (number ${sequence}).`
      : `${good("Expelled")} ${strong(name)}, key ${fingerprint.slice(0, 16)}. The list is number ${sequence} and names ${revocations.length}.`,
  );
  return;
}

function authorityFolder(session: Session, { authority }: { readonly authority?: string }): string {
  return authority === undefined ? session.home.authority : session.path(authority);
}

/** @throws ConsiliumError AUTHORITY_MISMATCH where the aggregator is of another federation than the root key */
async function openBoth(session: Session, folder: string, options: OperatorOptions) {
  const root = await openAuthority(folder);
  const operator = await openOperator(session, options);
  const { rootFingerprint, federation } = await operator.federation();
  if (rootFingerprint !== root.fingerprint) {
    throw new ConsiliumError(
      "AUTHORITY_MISMATCH",
      `${folder} is not the authority of the federation ${federation} at ${operator.remote.name}`,
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
      `The list of expelled sites is number ${sequence}, names ${revocations.length}, and is to be signed again by ${nextUpdate}.`,
    );
  return;
}

async function openAuthority(folder: string): Promise<Authority> {
  const loaded = await loadAuthority(folder);
  if (loaded.ok) return loaded.value;
  if (loaded.error.code !== "STATE_MISSING") throw loaded.error;
  throw new ConsiliumError("STATE_MISSING", loaded.error.message, {
    remedy: "bring the folder with root-key.pem and name it with --authority",
  });
}

async function readList(path: string, root: Authority): Promise<{ bytes: Uint8Array; list: RevocationList }> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    // Starting from nothing would readmit everyone who was expelled before.
    throw new ConsiliumError("STATE_MISSING", `the list of expelled sites ${path}: ${fileFault(cause)}`, {
      remedy: "restore it, or copy the aggregator's own `revocations` file there: it is signed",
      cause,
    });
  }
  return {
    bytes,
    list: unwrap(verifyRevocations(bytes, { rootPem: root.certificatePem, knownSequence: 0 })),
  };
}

/** @param key - the start of a fingerprint: the enrolled key or the one that it replaced; null for the enrolled one */
function fingerprintOf(sites: readonly SiteView[], name: string, key: string | null): Sha256 {
  const site = sites.find((one) => one.id === name);
  if (site === undefined) {
    throw new ConsiliumError("USAGE", `the federation has no site ${name}`, {
      remedy: "list the sites with `consilium sites`",
    });
  }
  if (site.signingKeyFingerprint === null) {
    throw new ConsiliumError("STATE_MISSING", `${name} has not enrolled yet, so it has no key to expel`, {
      remedy: `withdraw its invitation: consilium invitation withdraw ${name}`,
    });
  }
  if (key === null) return unwrap(parseSha256(site.signingKeyFingerprint));
  const keys = [site.signingKeyFingerprint, site.keyReplaced?.signingKeyFingerprint ?? ""];
  const found = key.length < keyMinLength ? undefined : keys.find((one) => one.startsWith(key));
  if (found === undefined) {
    throw new ConsiliumError("USAGE", `${name} has no key that begins with ${key}`, {
      remedy: `give ${keyMinLength} digits or more of the enrolled key's fingerprint, or of the one that it replaced`,
    });
  }
  return unwrap(parseSha256(found));
}

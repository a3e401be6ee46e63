import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type { LedgerReportView } from "@consilium/core/hospital/ledgerViews";
import { counted } from "@consilium/core/words";
import { writeBackup } from "@consilium/runtime/backup/backup";
import { drillBackup, ledgerFault } from "@consilium/runtime/backup/drill";
import { type BackupIntroduction, type BackupRole, backupRoles } from "@consilium/runtime/backup/manifest";
import { restoreBackup } from "@consilium/runtime/backup/restore";
import {
  backupName,
  backupPrefix,
  defaultRotation,
  expiredBackups,
  parseRotation,
} from "@consilium/runtime/backup/rotation";
import { fail, ok, type Verdict } from "@consilium/runtime/doctor/check";
import { Argument, type Command } from "commander";
import { checkLines } from "../doctor/doctorText.js";
import { type ExitCode, exitCodes } from "../exitCodes.js";
import { fileFault } from "../failure.js";
import { askAtRest } from "../ledger/ledgerSource.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { addStateOptions, roleState, type SiteStateOptions } from "../site/siteState.js";

interface BackupOptions extends SiteStateOptions {
  readonly to?: string;
  readonly into?: string;
  readonly keep?: string;
  readonly passphraseFile?: string;
}

interface RestoreOptions {
  readonly state?: string;
  readonly passphraseFile?: string;
  readonly check?: boolean;
  readonly drill?: boolean;
}

const passphraseShortest = 12;
/** Means standard output or standard input. */
const stream = "-";

export function addBackup(program: Program, parent: Command): void {
  const backup = addStateOptions(
    parent
      .command("backup")
      .summary("write a state folder into one file")
      .description(
        "Writes a state folder into one checksummed file that only its owner can read, whether or not the process is running. " +
          "The file is a tar archive, or with a passphrase an age file, which `age -d` can also open.\n\n" +
          "It holds private keys, and for a site the ledger: protect it like the folder itself. If the servers' records " +
          "are in PostgreSQL, back up the database first; this file has the rest.",
      )
      .addArgument(new Argument("<what>", "the role whose folder to back up").choices(backupRoles))
      .option(
        "--to <file>",
        "the file to write, or - for standard output; existing files are not overwritten",
      )
      .option(
        "--into <folder>",
        "instead of --to: a new file in this folder, named for its role and time, verified after it is written; then " +
          "older ones are removed as --keep says",
      )
      .option(
        "--keep <rotation>",
        `with --into: how many days, weeks and months keep one (default: ${defaultRotation})`,
      )
      .option("--passphrase-file <file>", "encrypt it: the file's first line is the passphrase"),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium backup aggregator --to /backup/aggregator-monday.tar
  $ consilium backup site --site st-mary --to /backup/st-mary.tar.age --passphrase-file /media/usb/passphrase
  $ consilium backup site --into /backup --keep daily=7,weekly=4 --passphrase-file /etc/consilium/passphrase
  $ consilium backup aggregator --to - | ssh archive.example.org 'umask 077; cat > aggregator-monday.tar'`,
  );
  program.verb<[BackupRole, BackupOptions]>(backup, makeBackup);

  const restore = parent
    .command("restore")
    .summary("restore a state folder from a backup")
    .description(
      "Restores a state folder from a file of `consilium backup` after verifying every checksum. Existing files are " +
        "not overwritten.\n\n" +
        "A restored site leaves its running studies, because their keys may have been used since, and spends " +
        "nothing until its ledger is reconciled with the newest known head.",
    )
    .argument("<file>", "the backup, or - for standard input")
    .option(
      "--state <folder>",
      "the folder to create (default: the role's folder below <home>; required for a site)",
    )
    .option("--passphrase-file <file>", "for an encrypted backup: the file's first line is the passphrase")
    .option("--check", "verify the whole backup without writing anything")
    .option(
      "--drill",
      "restore into a temporary folder, check databases, certificate and ledger there, and remove it",
    )
    .addHelpText(
      "after",
      `
Examples:
  $ consilium restore /backup/aggregator-monday.tar --check
  $ consilium restore /backup/aggregator-monday.tar --drill
  $ consilium restore /backup/st-mary.tar.age --state /srv/consilium/st-mary --passphrase-file passphrase`,
    );
  program.verb<[string, RestoreOptions]>(restore, restoreState);
}

async function makeBackup(session: Session, role: BackupRole, options: BackupOptions): Promise<undefined> {
  if ((options.to === undefined) === (options.into === undefined))
    throw new ConsiliumError("USAGE", "give either --to <file> or --into <folder>");
  if (options.keep !== undefined && options.into === undefined)
    throw new ConsiliumError("USAGE", "--keep is only valid with --into");
  const state = await roleState(session, role, options);
  if (options.into !== undefined) return rotateBackups(session, role, state, options);
  const to = options.to === stream ? null : session.path(options.to!);
  if (to === null) refuseMixing(session);
  const passphrase = await passphraseOf(session, options.passphraseFile);
  const made = await writeBackup({
    role,
    state,
    to: to ?? session.io.writeBytes,
    passphrase,
    now: Date.now(),
  });
  const { introduction, files, bytes } = made;
  if (session.json) {
    session.printJson({ ...introduction, state, to, files, bytes, encrypted: passphrase !== null });
    return;
  }
  const what = `${files} files of ${state}, ${bytes} bytes.`;
  if (to === null) session.note(`Written: ${what}`);
  else session.print(`${session.style.good("Written")} ${to}: ${what}`);
  if (introduction.records === "postgresql") {
    session.note("The records are in PostgreSQL and not in this file: back up the database first, too.");
  }
  if (passphrase === null) session.note("It holds private keys and is not encrypted (--passphrase-file).");
}

/** Writes a backup, reads it through, and only then removes what the rotation no longer keeps. */
async function rotateBackups(
  session: Session,
  role: BackupRole,
  state: string,
  options: BackupOptions,
): Promise<undefined> {
  const rotation = parseRotation(options.keep ?? defaultRotation);
  const folder = session.path(options.into!);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const passphrase = await passphraseOf(session, options.passphraseFile);
  const prefix = backupPrefix(role, role === "site" ? basename(state) : null);
  const now = Date.now();
  const to = join(folder, backupName(prefix, now, passphrase !== null));
  const { files, bytes, introduction } = await writeBackup({ role, state, to, passphrase, now });
  await restoreBackup({ from: to, passphrase, target: () => null });
  const removed = expiredBackups(await readdir(folder), prefix, rotation);
  for (const name of removed) await rm(join(folder, name));
  if (session.json) {
    session.printJson({ ...introduction, state, to, files, bytes, encrypted: passphrase !== null, removed });
    return;
  }
  session.print(
    `${session.style.good("Written and verified")} ${to}: ${counted(files, "file")}, ${bytes} bytes.`,
  );
  if (removed.length > 0) session.print(`Removed ${counted(removed.length, "older backup")}.`);
  if (introduction.records === "postgresql") {
    session.note("The records are in PostgreSQL and not in this file: back up the database first, too.");
  }
  if (passphrase === null) session.note("It holds private keys and is not encrypted (--passphrase-file).");
}

/** Standard output is reserved for the backup then. */
function refuseMixing(session: Session): void {
  if (session.json)
    throw new ConsiliumError("USAGE", "--json and a backup cannot both go to standard output");
  if (session.io.stdout.isTerminal) {
    throw new ConsiliumError("USAGE", "refusing to write a backup to a terminal", {
      remedy: "redirect standard output into a file, or give one with --to",
    });
  }
}

function ledgerVerdict({ head, anchors }: LedgerReportView): Verdict {
  const missing = anchors.filter(({ state }) => state === "missing").length;
  return missing === 0
    ? ok(`chained and signed from the first entry to number ${head.sequence}`)
    : fail(
        `${counted(missing, "anchor")} newer than the ledger's head, which is number ${head.sequence}`,
        "restore a newer backup, or charge what is missing with `consilium ledger reconcile`",
      );
}

async function drill(session: Session, file: string, options: RestoreOptions): Promise<ExitCode> {
  if (options.state !== undefined || options.check === true)
    throw new ConsiliumError("USAGE", "--drill takes neither --state nor --check: its folder is temporary");
  const { introduction, files, checks } = await drillBackup({
    from: file === stream ? session.io.inputBytes : session.path(file),
    passphrase: await passphraseOf(session, options.passphraseFile),
    now: Date.now(),
    ledger: (state) =>
      askAtRest(session, ["verify", "--state", state]).then(
        (report) => ledgerVerdict(report as LedgerReportView),
        ledgerFault,
      ),
  });
  const failed = checks.filter(({ status }) => status === "fail").length;
  if (session.json) session.printJson({ ...introduction, files, checks });
  else {
    const { role, name, createdAt } = introduction;
    session.print(session.style.strong(`Drill: a backup of ${role} ${name}, made ${createdAt}`));
    for (const one of checks) session.print(checkLines(one, session.style, 90).join("\n"));
    session.print(failed === 0 ? "All checks passed." : `${failed} of ${checks.length} checks failed.`);
  }
  if (introduction.records === "postgresql")
    session.note(
      "Its records are in PostgreSQL: practise with a database restored from the dump of the same day.",
    );
  return failed === 0 ? exitCodes.ok : exitCodes.unverified;
}

async function restoreState(
  session: Session,
  file: string,
  options: RestoreOptions,
): Promise<ExitCode | undefined> {
  if (options.drill === true) return drill(session, file, options);
  const restored = await restoreBackup({
    from: file === stream ? session.io.inputBytes : session.path(file),
    passphrase: await passphraseOf(session, options.passphraseFile),
    target: (introduction) => (options.check ? null : targetOf(session, introduction, options)),
  });
  const { introduction, state, files } = restored;
  if (session.json) {
    session.printJson({ ...introduction, state, files });
    return;
  }
  const what = `a backup of ${introduction.role} ${introduction.name}, made ${introduction.createdAt}`;
  if (state === null) {
    session.print(`${session.style.good("Backup valid")}: ${what}, ${files} files.`);
    return;
  }
  session.print(`${session.style.good("Restored")} ${state} from ${what}: ${files} files.`);
  if (introduction.role === "site") {
    session.print(
      `Start it, then check whether its ledger is behind: ${session.style.accent("consilium ledger show")}`,
    );
  }
  if (introduction.records === "postgresql") {
    session.note("Its records are in PostgreSQL: restore the database backup of the same day.");
  }
}

function targetOf(session: Session, { role }: BackupIntroduction, options: RestoreOptions): string {
  if (options.state !== undefined) return session.path(options.state);
  if (role !== "site") return session.home[role];
  throw new ConsiliumError("USAGE", "this is a site's backup, and no target folder is given", {
    remedy: "give the target folder with --state",
  });
}

async function passphraseOf(session: Session, file: string | undefined): Promise<string | null> {
  if (file === undefined) return null;
  const path = session.path(file);
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new ConsiliumError("CONFIG_INVALID", `passphrase file ${path}: ${fileFault(cause)}`, { cause });
  });
  const line = text.split(/\r?\n/, 1)[0]!;
  if (line.length >= passphraseShortest) return line;
  throw new ConsiliumError(
    "CONFIG_INVALID",
    `${path}: its first line has fewer than ${passphraseShortest} characters`,
  );
}

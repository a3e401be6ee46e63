import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type { CompactedView } from "@consilium/core/hospital/ledgerViews";
import { formatBytes, parseDuration } from "@consilium/core/units";
import { commandLineName } from "@consilium/runtime/commandLineName";
import { readFileIfThere, writeFileDurable } from "@consilium/runtime/store/durableFile";
import type { Command } from "commander";
import { exitCodes } from "../exitCodes.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { agentOf } from "../site/agentSocket.js";
import { addStateOptions, type SiteStateOptions, siteState } from "../site/siteState.js";
import { printable } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";
import { confirmed } from "./confirmed.js";
import { ledgerTimeoutMs } from "./ledgerSource.js";

interface CompactOptions extends SiteStateOptions {
  readonly before: number;
  readonly dryRun?: boolean;
  readonly archive?: string;
  readonly yes?: boolean;
}

/** In a state folder: where the agent writes archives. */
const archiveFolder = "ledger-archive";

export function addCompact(program: Program, ledger: Command): void {
  const command = addStateOptions(
    ledger
      .command("compact")
      .summary("move old entries of ended studies to an archive file")
      .description(
        "Moves the ledger's oldest entries to an archive file and adds a checkpoint to the ledger: the exact " +
          "totals of the archived entries, the number and hash of the last one, and the archive's SHA-256, signed by the site. " +
          "Budgets, spent and remaining epsilon do not change. `ledger verify` checks the archived entries too while it finds " +
          "the archive.\n\n" +
          "Only entries before the date move, up to the first one of a study that has not ended, holds a reservation, or has " +
          "later entries that stay. The archive is written to the disk before its entries leave the ledger, so an interrupted " +
          "compaction loses nothing. Nothing is archived automatically. It needs a running agent.\n\n" +
          "Keep the archive: without it, single entries from before the checkpoint cannot be shown or verified any more. " +
          "`consilium backup` includes archives in the state folder.",
      ),
  )
    .requiredOption(
      "--before <date or age>",
      "archive entries older than this: 2026-01-31 (UTC), 400d or 2y",
      beforeOption,
    )
    .option("--dry-run", "print what would be archived, and change nothing")
    .option(
      "--archive <file>",
      `move the archive to this file (default: ${archiveFolder}/ in the state folder)`,
    )
    .option("--yes", "do not ask for confirmation")
    .addHelpText(
      "after",
      `
Examples:
  $ consilium ledger compact --before 2y --dry-run
  $ consilium ledger compact --before 2026-01-01
  $ consilium ledger compact --before 400d --archive /archive/st-mary-ledger.jsonl --yes --json`,
    );
  program.verb<[CompactOptions]>(command, compact);
}

const yearDays = 365;
const dayMs = 86_400_000;

/** @returns a date's first moment in UTC in milliseconds, or an age as a negative number of them */
function beforeOption(written: string): number {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(written) ? Date.parse(`${written}T00:00:00Z`) : Number.NaN;
  if (Number.isFinite(date)) return date;
  const years = /^(\d{1,3})y$/.exec(written)?.[1];
  const age = years === undefined ? parseDuration(written) : null;
  const ms = years === undefined ? (age?.ok === true ? age.value : 0) : Number(years) * yearDays * dayMs;
  if (ms > 0) return -ms;
  throw new ConsiliumError("USAGE", "--before takes a date such as 2026-01-31, or an age such as 400d or 2y");
}

async function compact(session: Session, options: CompactOptions): Promise<number> {
  const state = await siteState(session, options);
  const before = options.before < 0 ? Date.now() + options.before : options.before;
  const to = options.archive === undefined ? null : session.path(options.archive);
  if (to !== null && (await readFileIfThere(to)) !== null) {
    throw new ConsiliumError("CONFIG_INVALID", `${to} already exists`, { remedy: "choose another name" });
  }
  const agent = agentOf(session, state, ledgerTimeoutMs);
  const ask = (dryRun: boolean) =>
    agent.ledgerCompact({ before: Math.max(0, before), dryRun, by: commandLineName() });
  const planned = await ask(true);
  if (options.dryRun === true || planned.entries === 0) return shown(session, planned, state);
  if (options.yes !== true) {
    if (!session.json) session.print(`${compactedText(planned, { style: session.style, path: "" })}\n`);
    if (!(await confirmed(session, question))) return exitCodes.failed;
  }
  const done = await ask(false);
  const path = pathOf(done, state);
  if (to !== null && path !== null) await moved(path, { to, sha256: done.archive!.sha256 });
  return shown(session, done, state, to);
}

const question = {
  ask: "Archive them?",
  otherwise: "Nothing was archived.",
  remedy: "look at it with --dry-run, then give --yes",
};

function pathOf({ archive }: CompactedView, state: string): string | null {
  return archive === null ? null : join(state, archiveFolder, archive.name);
}

/** Copies a file, durably, and then removes it where it was: at every moment one of the two is whole. */
async function moved(
  path: string,
  { to, sha256 }: { readonly to: string; readonly sha256: string },
): Promise<void> {
  await writeFileDurable(to, await readFile(path), { mode: 0o600 });
  const copied = createHash("sha256")
    .update(await readFile(to))
    .digest("hex");
  if (copied !== sha256) {
    throw new ConsiliumError(
      "LEDGER_BROKEN",
      `SHA-256 mismatch for ${to}: expected ${sha256}, got ${copied}`,
      {
        remedy: `the archive is still at ${path}: copy it again`,
      },
    );
  }
  await rm(path);
}

function shown(session: Session, result: CompactedView, state: string, to: string | null = null): number {
  const path = result.checkpoint === null ? null : (to ?? pathOf(result, state));
  if (session.json) session.printJson({ ...result, file: path });
  else session.print(compactedText(result, { style: session.style, path: path ?? "" }));
  return exitCodes.ok;
}

/** @param shownAs.path - of the archive, where it was written */
export function compactedText(
  { archive, entries, kept, checkpoint, heldBy }: CompactedView,
  { style, path }: { readonly style: Style; readonly path: string },
): string {
  const held =
    heldBy === null
      ? []
      : [
          `Later entries before the date stay: study ${printable(heldBy.study)} ` +
            (heldBy.isUnderWay
              ? "has not ended, or holds a reservation."
              : "has entries that stay. A later date may include it."),
        ];
  if (archive === null) return ["Nothing to archive before this date.", ...held].join("\n");
  const range = `entries ${archive.from} to ${archive.to} (${entries}, ${formatBytes(archive.bytes)})`;
  if (checkpoint === null) {
    const first = `${style.strong("Would archive")} ${range}; ${kept} and a checkpoint stay in the ledger.`;
    return [first, "Budgets and spent epsilon do not change.", ...held].join("\n");
  }
  return [
    `${style.good("Archived")} ${range}; the checkpoint is entry ${checkpoint}.`,
    `  archive  ${printable(path)}`,
    `  sha256   ${printable(archive.sha256)}`,
    "Keep the archive in two places: it alone has the details of these entries.",
    ...held,
  ].join("\n");
}

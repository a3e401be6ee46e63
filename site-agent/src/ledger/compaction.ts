import { canonicalJson } from "@consilium/core/canonicalJson";
import { faults } from "@consilium/core/fault";
import type { CompactedView } from "@consilium/core/hospital/ledgerViews";
import type { Sha256, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { nothing, plus, type Spent } from "@consilium/gate/account";
import type { SiteSays } from "@consilium/words/says/site";
import { archivedOf, markDigits, startingTotals } from "./archived.js";
import { archiveText, writeArchive } from "./archives.js";
import type { Archived, LedgerEntry, SignedEntry } from "./entry.js";
import { parseHead } from "./head.js";
import { sharedAt } from "./history.js";
import type { LedgerContext } from "./requests.js";

const fault = faults<SiteSays>();

/**
 * Moves the oldest entries of a ledger into an archive file. The chain is not rewritten: it gets one more entry, a
 * checkpoint, which says what the archived entries come to, and the live chain is verified from what that says. So every
 * head that was given out keeps its place, and heads given out from now on hold the checkpoint too.
 */

/** What a compaction would move. */
interface Cut {
  /** So many of the entries. */
  readonly entries: number;
  /** The study that keeps the next entry before the point in the ledger, and why; null where none is left. */
  readonly heldBy: CompactedView["heldBy"];
}

/**
 * The most entries that can go: all before the point, of studies that have ended and have no entry among those that stay.
 * A reconciliation stays only together with the entry that its charge was computed from.
 */
export function cutOf(
  entries: readonly SignedEntry[],
  options: { readonly before: number; readonly isUnderWay: (study: string) => boolean },
): Cut {
  const { before, isUnderWay } = options;
  const lastOf = new Map<string, number>();
  for (const [index, { entry }] of entries.entries()) {
    const study = studyOf(entry);
    if (study !== null) lastOf.set(study, index);
  }
  const computed = reconciliations(entries);
  let cut = 0;
  let last = -1;
  let heldBy: Cut["heldBy"] = null;
  for (const [index, { entry }] of entries.entries()) {
    if (entry.at >= before) break;
    const study = studyOf(entry);
    if (study !== null) {
      const end = isUnderWay(study) ? Number.POSITIVE_INFINITY : lastOf.get(study)!;
      if (end > last) heldBy = { study, isUnderWay: end === Number.POSITIVE_INFINITY };
      last = Math.max(last, end);
    }
    const isOpen = last > index || computed.some(([from, to]) => from < index && index < to);
    // Openings alone are not worth a checkpoint, which is larger.
    if (!isOpen && last >= 0) {
      cut = index + 1;
      heldBy = null;
    }
  }
  return { entries: cut, heldBy };
}

/** From the entry that a reconciliation computed its charge from to itself: what lies between stays whole. */
function reconciliations(entries: readonly SignedEntry[]): (readonly [number, number])[] {
  return entries.flatMap(({ entry }, index) => {
    if (entry.kind !== "reconcile") return [];
    const { opening } = unwrap(parseHead(entry.anchor));
    if (opening === null) return [];
    return [[sharedAt(entries.slice(0, index), new Set(opening.trail)), index] as const];
  });
}

function studyOf(entry: LedgerEntry): string | null {
  return "study" in entry ? entry.study : null;
}

/**
 * What a checkpoint says of entries.
 * @param base - of what was archived before them
 * @param sha256 - of their archive
 */
export function archivedBy(
  moved: readonly SignedEntry[],
  base: Archived | null,
  sha256: Archived["files"][number]["sha256"],
): Archived {
  const marks = (base?.marks ?? []).map((run) => ({ ...run }));
  const keys = [...(base?.keys ?? [])];
  const anchors = [...(base?.anchors ?? [])];
  const totals = startingTotals(base);
  const studies = new Set<string>();
  for (const { entry, hash } of moved) {
    const run = marks.at(-1);
    const mark = hash.slice(0, markDigits);
    if (run !== undefined && entry.sequence === run.from + run.hashes.length / markDigits) run.hashes += mark;
    else marks.push({ from: entry.sequence, hashes: mark });
    totals.add(entry);
    if (entry.kind === "open") {
      const { federation, site, signingKey, sequence } = entry;
      const last = keys.at(-1);
      const isSame = last?.federation === federation && last.site === site && last.signingKey === signingKey;
      if (!isSame) keys.push({ federation, site, signingKey, sequence });
    }
    if (entry.kind === "reconcile") anchors.push(entry.anchor);
    const study = studyOf(entry);
    if (study !== null) studies.add(study);
  }
  const { entry: first } = moved[0]!;
  const { entry: last, hash } = moved.at(-1)!;
  const { sequence, at } = last;
  const signedOf = (study: string) => {
    const statement = totals.statementOf(study) as Sha256 | null;
    return statement === null ? {} : { statement };
  };
  const spentBy = (study: string) => {
    const committed = totals.stagesOf(study).filter(({ state }) => state === "committed");
    return committed.reduce<Spent>((sum, { rho }) => plus(sum, rho), nothing);
  };
  return {
    through: { sequence, hash, at },
    marks,
    spent: totals.bookings().map(({ population, unit, sources, rho, unbounded }) => ({
      population,
      unit,
      rho,
      unbounded,
      sources: [...sources],
    })),
    studies: [
      ...(base?.studies ?? []),
      ...[...studies].map((study) => ({ study, ...spentBy(study), ...signedOf(study) })),
    ],
    keys,
    anchors,
    files: [...(base?.files ?? []), { from: first.sequence, to: sequence, sha256 }],
  };
}

/**
 * Archives what can be archived of the entries before a moment. The archive is on the disk before the transaction that
 * takes its entries out of the store: a process that is killed leaves the whole ledger, or the archive and the rest.
 * @throws ConsiliumError LEDGER_BROKEN, LEDGER_BEHIND
 */
export async function compacted(
  context: LedgerContext,
  { before, dryRun }: { readonly before: number; readonly dryRun: boolean },
): Promise<CompactedView> {
  const { ledger, records, stateFolder, anchors, now, log } = context;
  if (before > now()) throw fault("FIELD_INVALID", "ledger.future", {});
  unwrap(ledger.verify());
  ledger.demandCurrent();
  const entries = ledger.entries();
  const { entries: count, heldBy } = cutOf(entries, {
    before,
    isUnderWay: (study) => isUnderWay(context, study),
  });
  const moved = entries.slice(0, count);
  const base = {
    dryRun,
    heldBy,
    entries: count,
    kept: entries.length - count,
    checkpoint: null,
    archive: null,
  };
  if (count === 0) return base;
  const { text, sha256, name } = archiveText(moved);
  const [from, to] = [moved[0]!.entry.sequence, moved.at(-1)!.entry.sequence];
  const archive = { name, from, to, bytes: Buffer.byteLength(text), sha256 };
  if (dryRun) return { ...base, archive };

  await writeArchive(stateFolder, name, text);
  const archived = archivedBy(moved, archivedOf(entries), sha256);
  const checkpoint = records.transaction(() => {
    const held = () => canonicalJson([ledger.totals.bookings(), ledger.totals.reservations()]);
    const before = held();
    const written = ledger.archive(archived);
    if (held() !== before) throw new RangeError("a checkpoint of the ledger changed what is spent");
    return written;
  });
  await anchors.keep(ledger);
  log.info("the ledger was compacted", { entries: count });
  return { ...base, kept: ledger.entries().length, archive, checkpoint: checkpoint.entry.sequence };
}

/** Whether more entries of a study may follow. */
function isUnderWay({ records, ledger }: LedgerContext, study: string): boolean {
  const record = records.study(study as StudyId);
  const hasEnded = record === null || record.endedAt !== null || record.status === "refused";
  return !hasEnded || ledger.reserved(study).length > 0;
}

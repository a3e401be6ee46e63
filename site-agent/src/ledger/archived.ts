import { Totals } from "@consilium/gate/account";
import type { Archived, SignedEntry } from "./entry.js";

/**
 * What a ledger still knows of entries that were archived: the checkpoint, an opening in the ledger's own chain, says it
 * (compaction.ts writes it).
 */

/** Of the checkpoint that names the entry before the first of these; null where they begin with the ledger's first. */
export function archivedOf(entries: readonly SignedEntry[]): Archived | null {
  const previous = entries[0]?.entry.previous ?? null;
  if (previous === null) return null;
  const checkpoint = entries.findLast(
    ({ entry }) => entry.kind === "open" && entry.archived?.through.hash === previous,
  )?.entry;
  return checkpoint?.kind === "open" ? (checkpoint.archived ?? null) : null;
}

/** What archived entries had spent, to the last bit: in an account of nothing else a charge is added as it is. */
export function startingTotals(archived: Archived | null): Totals {
  const totals = new Totals();
  if (archived === null) return totals;
  totals.add({ kind: "reconcile", lost: archived.spent });
  for (const { study, statement } of archived.studies)
    if (statement !== undefined) totals.add({ kind: "signed", study, statement });
  return totals;
}

/** Digits of a hash in `marks`, as in the trail of a head. */
export const markDigits = 16;

/** Whether an archived entry has this place, by the first digits of its hash. */
export function isArchived(
  { marks }: Archived,
  { sequence, hash }: { readonly sequence: number; readonly hash: string },
): boolean {
  const run = marks.findLast(({ from }) => from <= sequence);
  if (run === undefined) return false;
  const at = markDigits * (sequence - run.from);
  return run.hashes.slice(at, at + markDigits) === hash.slice(0, markDigits);
}

/** The archived entry so many before the last one, as `written`; null before the first. */
export function archivedMark<T>(
  { marks }: Archived,
  back: number,
  written: (place: { readonly sequence: number; readonly hash: string }) => T,
): T | null {
  let left = back;
  for (const { from, hashes } of [...marks].reverse()) {
    const length = hashes.length / markDigits;
    const at = length - 1 - left;
    if (at >= 0)
      return written({ sequence: from + at, hash: hashes.slice(at * markDigits, (at + 1) * markDigits) });
    left -= length;
  }
  return null;
}

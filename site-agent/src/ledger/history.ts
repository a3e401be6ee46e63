import type { Booked } from "@consilium/gate/account";
import { nothing, Totals } from "@consilium/gate/account";
import { archivedMark, archivedOf, isArchived, startingTotals } from "./archived.js";
import type { Archived, SignedEntry } from "./entry.js";
import { type HeadOpening, type LedgerHead, parseHead } from "./head.js";
import { minusSpent, spendingOf } from "./spending.js";

/**
 * Whether a chain of entries holds what a head of the same ledger stands for, and what it has lost when it does not.
 *
 * A copy that was restored may have gone on by itself before anybody showed it a head: then the two are branches of
 * one history, and what was spent is what either branch spent since they parted. Where they parted is found by the
 * head's trail. Between the trail's entries it is taken to be earlier than it was, so that the charge is never too small.
 */

/** So many of the newest entries are all in the trail; further back the distances grow by a quarter. */
const trailDense = 128;

/** The trail of a head that these entries end in. */
export function trailOf(entries: readonly SignedEntry[]): string[] {
  const trail: string[] = [];
  const archived = archivedOf(entries);
  const mark = (back: number): string | null => {
    if (back < entries.length) return landmark(entries.at(-1 - back)!);
    return archived === null ? null : archivedMark(archived, back - entries.length, landmarkOf);
  };
  for (let back = 0, at = mark(0); at !== null; at = mark(back)) {
    trail.push(at);
    back = back < trailDense ? back + 1 : Math.ceil(back * 1.25);
  }
  return trail;
}

function landmark({ entry, hash }: SignedEntry): string {
  return landmarkOf({ sequence: entry.sequence, hash });
}

function landmarkOf({ sequence, hash }: { readonly sequence: number; readonly hash: string }): string {
  return `${sequence}:${hash.slice(0, 16)}`;
}

/** Whether a chain holds a head, or has charged what the head stands for by a reconciliation since. */
export function holdsHead(entries: readonly SignedEntry[], head: LedgerHead): boolean {
  const own = entries.findLast(({ entry }) => entry.sequence <= head.sequence);
  if (own?.entry.sequence === head.sequence && own.hash === head.hash) return true;
  const archived = archivedOf(entries);
  if (archived !== null && isArchived(archived, head)) return true;
  const includes = (written: Archived["anchors"][number]): boolean => {
    const anchor = parseHead(written);
    return anchor.ok && includesHead(anchor.value, head);
  };
  const isReconciled = entries.some(({ entry }) => entry.kind === "reconcile" && includes(entry.anchor));
  return isReconciled || archived?.anchors.some(includes) === true;
}

/**
 * Whether the branch that was reconciled with had spent all that a head has: its place is in the anchor's trail, or, of a
 * head of an earlier version, the last entry that had spent something. Where the trail is too thin to say, the head counts
 * as another branch, and is charged.
 */
export function includesHead(anchor: LedgerHead, head: LedgerHead): boolean {
  if (anchor.sequence === head.sequence && anchor.hash === head.hash) return true;
  const trail = anchor.opening?.trail ?? [];
  if (trail.includes(landmarkOf(head))) return true;
  if (!head.isOpen || anchor.opening === null) return false;
  const [last] = head.opening?.trail ?? [];
  return last === undefined || trail.includes(last);
}

/** By population and unit, what an opened head proves to be spent and a chain has lost: never less than it was. */
export function lostSpending(
  entries: readonly SignedEntry[],
  { spent, trail }: HeadOpening,
  archived = archivedOf(entries),
): Booked[] {
  const shared = spendingOf(sharedTotals(entries, new Set(trail), archived));
  return spent.map((one) => {
    const before = shared.find(({ population, unit }) => population === one.population && unit === one.unit);
    return { ...one, ...minusSpent(one, before ?? nothing) };
  });
}

/** What was spent up to the newest entry that both surely have. Of archived entries only what all of them spent is known. */
function sharedTotals(
  entries: readonly SignedEntry[],
  trail: ReadonlySet<string>,
  archived: Archived | null,
): Totals {
  const newest = sharedAt(entries, trail);
  if (newest < 0 && (archived === null || !trail.has(landmarkOf(archived.through)))) return new Totals();
  const totals = startingTotals(archived);
  for (const { entry } of entries.slice(0, newest + 1)) totals.add(entry);
  return totals;
}

/** Index of the newest entry that is in a trail; -1 where none is. */
export function sharedAt(entries: readonly SignedEntry[], trail: ReadonlySet<string>): number {
  return entries.findLastIndex((signed) => trail.has(landmark(signed)));
}

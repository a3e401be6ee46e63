import type { ConsiliumError } from "@consilium/core/errors";
import { err, ok, type Result } from "@consilium/core/result";
import { lostOf, nothing, plusSpent, spendingFault, type Totals } from "@consilium/gate/account";
import { archivedOf, startingTotals } from "./archived.js";
import {
  type Archived,
  brokenAt,
  type EntryOf,
  isSignedBy,
  type LedgerEntry,
  ownerOf,
  type SignedEntry,
} from "./entry.js";
import { readHead } from "./head.js";
import { lostSpending } from "./history.js";

/** A key that a site has signed its ledger with. */
export interface LedgerKey {
  readonly publicKey: Uint8Array;
  /** Whom it signed for. */
  readonly federation: string;
  readonly site: string;
  /** Sequence number of the first entry that it signed. */
  readonly since: number;
}

/** What a whole and true chain of entries says. */
export interface VerifiedChain {
  readonly entries: readonly SignedEntry[];
  readonly totals: Totals;
  /** Every key that has signed a part of it, the present one last. */
  readonly keys: readonly LedgerKey[];
  /** As it was opened last. */
  readonly federation: string;
  readonly site: string;
}

/**
 * Walks a ledger from its first entry, or from what its checkpoint says of the entries that were archived: every one follows the one before it by number and hash, is signed by the key
 * that the ledger was last opened with, charges what its event costs, and commits what was reserved and no more.
 * @returns LEDGER_BROKEN naming the first entry that does not
 */
export function verifyChain(entries: readonly SignedEntry[]): Result<VerifiedChain, ConsiliumError> {
  const first = entries[0]?.entry;
  const archived = archivedOf(entries);
  const isFirst = first?.kind === "open" && first.sequence === 1 && first.previous === null;
  if (first === undefined || !(isFirst || archived !== null))
    return err(brokenAt(1, "the ledger does not begin with its opening"));
  const keys = archived?.keys.map(keyOf) ?? [];
  const walked: Walked = { totals: startingTotals(archived), keys, entries: [], archived };
  for (const signed of entries) {
    const { entry } = signed;
    const before = lastOf(walked);
    if (entry.kind === "open") walked.keys.push(keyOf(entry));
    const fault = followFault(signed, before) ?? signatureFault(signed, walked) ?? chargeFault(entry, walked);
    if (fault !== null) return err(brokenAt(entry.sequence, fault));
    walked.totals.add(entry);
    walked.entries.push(signed);
  }
  return ok({ entries, totals: walked.totals, keys: walked.keys, ...ownerOf(entries) });
}

/** The key of an opening: what follows is signed with it. */
export function keyOf({ signingKey, federation, site, sequence }: Archived["keys"][number]): LedgerKey {
  return { publicKey: Buffer.from(signingKey, "hex"), federation, site, since: sequence };
}

/** What was found to hold so far. */
interface Walked {
  readonly totals: Totals;
  readonly keys: LedgerKey[];
  readonly entries: SignedEntry[];
  readonly archived: Archived | null;
}

type Place = Pick<Archived["through"], "sequence" | "hash">;

/** The newest of what was walked; null before the ledger's first entry. */
function lastOf({ entries, archived }: Walked): Place | null {
  const last = entries.at(-1);
  return last === undefined
    ? (archived?.through ?? null)
    : { sequence: last.entry.sequence, hash: last.hash };
}

function followFault({ entry }: SignedEntry, before: Place | null): string | null {
  if (before === null) return null;
  if (entry.previous !== before.hash) return "it does not follow the entry before it";
  const expected = before.sequence + 1;
  // After a reconciliation the numbers continue where the lost part of the ledger ended: see reconcileFault.
  if (entry.kind === "reconcile" && entry.sequence > expected) return null;
  return entry.sequence === expected ? null : `it comes where entry ${expected} belongs`;
}

function signatureFault(signed: SignedEntry, { keys }: Walked): string | null {
  return isSignedBy(signed, keys.at(-1)!.publicKey) ? null : "its signature is not the site's";
}

function chargeFault(entry: LedgerEntry, walked: Walked): string | null {
  return entry.kind === "reconcile" ? reconcileFault(entry, walked) : spendingFault(entry, walked.totals);
}

function reconcileFault(entry: EntryOf<"reconcile">, walked: Walked): string | null {
  const { keys, entries, archived } = walked;
  const signature = Buffer.from(entry.anchor.signature, "base64");
  const head = readHead({ ...entry.anchor, signature }, { keys });
  if (!head.ok) return "its anchor is not a head of this ledger";
  const expected = Math.max(lastOf(walked)!.sequence, head.value.sequence) + 1;
  if (entry.sequence !== expected) return `it comes where entry ${expected} belongs`;
  const { opening } = head.value;
  if (opening === null)
    return entry.declared === undefined
      ? "its anchor proves no spending, and no person has declared any"
      : null;
  const charges = lostSpending(entries, opening, archived).every((lost) => {
    const charged = lostOf(entry)
      .filter(({ population, unit }) => population === lost.population && unit === lost.unit)
      .reduce(plusSpent, nothing);
    return charged.rho >= lost.rho && charged.unbounded >= lost.unbounded;
  });
  return charges ? null : "it charges less than its anchor proves";
}

import { canonicalJson } from "@consilium/core/canonicalJson";
import type { ConsiliumError } from "@consilium/core/errors";
import { checkEvent, type PrivacyEvent } from "@consilium/core/privacy/events";
import { err, ok, type Result } from "@consilium/core/result";
import {
  brokenAt,
  type EntryOf,
  isSignedBy,
  type LedgerEntry,
  type SignedEntry,
  type StageCharge,
} from "./entry.js";
import { readHead } from "./head.js";
import { lostSpending } from "./history.js";
import { nothing, rhoOfEvent, Totals } from "./totals.js";

/** A key that a site has signed its ledger with. */
export interface LedgerKey {
  readonly publicKey: Uint8Array;
  /** Sequence number of the first entry that it signed. */
  readonly since: number;
}

/** What a whole and true chain of entries says. */
export interface VerifiedChain {
  readonly entries: readonly SignedEntry[];
  readonly totals: Totals;
  /** Every key that has signed a part of it, the present one last. */
  readonly keys: readonly LedgerKey[];
  readonly federation: string;
  readonly site: string;
}

/**
 * Walks a ledger from its first entry: every one follows the one before it by number and hash, is signed by the key
 * that the ledger was last opened with, charges what its event costs, and commits what was reserved and no more.
 * @returns LEDGER_BROKEN naming the first entry that does not
 */
export function verifyChain(entries: readonly SignedEntry[]): Result<VerifiedChain, ConsiliumError> {
  const first = entries[0]?.entry;
  if (first === undefined || first.kind !== "open" || first.sequence !== 1 || first.previous !== null)
    return err(brokenAt(1, "the ledger does not begin with its opening"));
  const walked: Walked = { first, totals: new Totals(), keys: [], entries: [] };
  for (const signed of entries) {
    const { entry } = signed;
    const before = walked.entries.at(-1) ?? null;
    if (entry.kind === "open")
      walked.keys.push({ publicKey: Buffer.from(entry.signingKey, "hex"), since: entry.sequence });
    const fault =
      followFault(signed, before) ??
      ownerFault(entry, first) ??
      signatureFault(signed, walked) ??
      chargeFault(entry, walked);
    if (fault !== null) return err(brokenAt(entry.sequence, fault));
    walked.totals.add(entry);
    walked.entries.push(signed);
  }
  const { federation, site } = first;
  return ok({ entries, totals: walked.totals, keys: walked.keys, federation, site });
}

/** What was found to hold so far. */
interface Walked {
  readonly first: EntryOf<"open">;
  readonly totals: Totals;
  readonly keys: LedgerKey[];
  readonly entries: SignedEntry[];
}

function followFault({ entry }: SignedEntry, before: SignedEntry | null): string | null {
  if (before === null) return null;
  if (entry.previous !== before.hash) return "it does not follow the entry before it";
  const expected = before.entry.sequence + 1;
  // After a reconciliation the numbers go on where the lost part of the ledger ended: see reconcileFault.
  if (entry.kind === "reconcile" && entry.sequence > expected) return null;
  return entry.sequence === expected ? null : `it comes where entry ${expected} belongs`;
}

function ownerFault(entry: LedgerEntry, first: EntryOf<"open">): string | null {
  if (entry.kind !== "open") return null;
  return entry.federation === first.federation && entry.site === first.site ? null : "it is another site's";
}

function signatureFault(signed: SignedEntry, { keys }: Walked): string | null {
  return isSignedBy(signed, keys.at(-1)!.publicKey) ? null : "its signature is not the site's";
}

function chargeFault(entry: LedgerEntry, walked: Walked): string | null {
  const { totals } = walked;
  switch (entry.kind) {
    case "open":
    case "release":
      return null;
    case "reconcile":
      return reconcileFault(entry, walked);
    case "reserve": {
      const places = new Set(entry.stages.map(({ stage, attempt }) => `${attempt} ${stage}`));
      const twice = entry.stages.some(
        ({ stage, attempt }) => totals.stage(entry.study, stage, attempt) !== null,
      );
      if (twice || places.size < entry.stages.length) return "it reserves what is reserved or spent already";
      return entry.stages.map(costFault).find((fault) => fault !== null) ?? null;
    }
    case "commit": {
      const reserved = totals.stage(entry.study, entry.stage, entry.attempt);
      if (reserved?.state !== "reserved") return "it commits what is not reserved";
      if (reserved.population !== entry.population || !isSameCharge(reserved, entry))
        return "it commits something else than was reserved";
      return null;
    }
  }
}

function isSameCharge(a: StageCharge, b: StageCharge): boolean {
  const text = ({ event, rho, claimed }: StageCharge) => canonicalJson({ event, rho, claimed });
  return text(a) === text(b);
}

/**
 * Software to come may prove less of an event than was charged for it, and an old ledger still holds: it charged too
 * much. Charging less than is known now is a fault, down to the last digits that another way of adding changes.
 */
function costFault(stage: Pick<StageCharge, "event" | "rho">): string | null {
  let rho: number | null;
  try {
    rho = rhoOfEvent(checkEvent(stage.event as unknown as PrivacyEvent));
  } catch (thrown) {
    if (thrown instanceof RangeError) return "its event is none";
    throw thrown;
  }
  const charges = rho === null || stage.rho === null ? rho === stage.rho : stage.rho >= rho * (1 - 1e-12);
  return charges ? null : "it does not charge what its event costs";
}

function reconcileFault(entry: EntryOf<"reconcile">, { first, keys, entries }: Walked): string | null {
  const { federation, site } = first;
  const head = readHead(
    { head: entry.anchor.head, signature: Buffer.from(entry.anchor.signature, "base64") },
    { federation, site, keys },
  );
  if (!head.ok) return "its anchor is not a head of this ledger";
  const expected = Math.max(entries.at(-1)!.entry.sequence, head.value.sequence) + 1;
  if (entry.sequence !== expected) return `it comes where entry ${expected} belongs`;
  const charges = Object.entries(lostSpending(entries, head.value)).every(([population, lost]) => {
    const charged = entry.lost[population] ?? nothing;
    return charged.rho >= lost.rho && charged.unbounded >= lost.unbounded;
  });
  return charges ? null : "it charges less than its anchor proves";
}

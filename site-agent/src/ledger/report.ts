import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { ArchiveReport } from "@consilium/core/hospital/ledgerViews";
import type { Sha256 } from "@consilium/core/ids";
import type { LedgerPosition } from "@consilium/core/release/countersignature";
import { err, ok, type Result } from "@consilium/core/result";
import { sentences } from "@consilium/core/said";
import type { Booked } from "@consilium/gate/account";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { SiteSays } from "@consilium/words/says/site";
import { anchorFileName, readAnchor } from "./anchors.js";
import { archivedOf, isArchived, markDigits } from "./archived.js";
import { archivedFault } from "./archives.js";
import { verifyChain } from "./chain.js";
import { archivedBy } from "./compaction.js";
import { type Archived, brokenAt, type SignedEntry } from "./entry.js";
import { type KeptHead, parseHead, readHead } from "./head.js";
import { holdsHead } from "./history.js";
import { spendingOf } from "./spending.js";

const fault = faults<SiteSays>();
const said = sentences<SiteSays>();

/**
 * Something that was kept of a ledger: a signed head, as in the anchor file, or a position alone, as in a release's
 * certificate.
 */
export type Kept = {
  /** Where it was kept, in words. */
  readonly from: string;
} & ({ readonly head: KeptHead } | { readonly position: LedgerPosition });

/**
 * - `held`: the ledger has that entry.
 * - `reconciled`: the entry was lost with a newer copy, and what it had spent was charged by a reconciliation since.
 * - `missing`: this is an older copy, or another ledger.
 */
type AnchorState = "held" | "reconciled" | "missing";

interface AnchorReport extends LedgerPosition {
  readonly from: string;
  readonly state: AnchorState;
}

/** What a ledger that holds says of itself. */
export interface LedgerReport {
  readonly federation: string;
  readonly site: string;
  /** Verified ones. */
  readonly entries: number;
  /** Number of the first of them: 1, unless entries were archived and the archive is not there. */
  readonly verifiedFrom: number;
  readonly archives: readonly ArchiveReport[];
  readonly head: LedgerPosition;
  /** Fingerprints of every key that it was signed with, the present one last. */
  readonly keys: readonly Sha256[];
  /** What is committed, by population and unit. */
  readonly populations: readonly Pick<Booked, "population" | "unit" | "rho" | "unbounded">[];
  readonly anchors: readonly AnchorReport[];
}

/**
 * Verifies entries that were read from a store or an export: the chain, by whom it is signed, and everything that was
 * kept of it.
 * @param entries - with the archived ones before them, as far as their archives are there
 * @param options.fingerprint - of the key that the ledger must be signed with at present
 * @returns LEDGER_BROKEN naming the first entry that does not hold, LEDGER_HEAD_INVALID for a head that is not this
 *   site's
 */
export function reportOn(
  entries: readonly SignedEntry[],
  options: {
    readonly fingerprint: Sha256;
    readonly kept: readonly Kept[];
    readonly archives?: readonly ArchiveReport[];
  },
): Result<LedgerReport, ConsiliumError> {
  const chain = verifyChain(entries);
  if (!chain.ok) return chain;
  const { federation, site, totals } = chain.value;
  const checkpoints = checkpointFault(entries);
  if (checkpoints !== null) return err(checkpoints);
  const signers = chain.value.keys.map(({ publicKey }) => sha256(publicKey));
  // A checkpoint names the present key once more.
  const keys = signers.filter((key, index) => key !== signers[index - 1]);
  const foreign = keyFault(keys, options.fingerprint);
  if (foreign !== null) return err(new ConsiliumError("LEDGER_BROKEN", foreign));
  const anchors: AnchorReport[] = [];
  for (const kept of options.kept) {
    const anchor = anchorReport(entries, kept, chain.value);
    if (!anchor.ok) return anchor;
    anchors.push(anchor.value);
  }
  const { entry, hash } = entries.at(-1)!;
  const spent = spendingOf(totals).map(({ population, unit, rho, unbounded }) => ({
    population,
    unit,
    rho,
    unbounded,
  }));
  return ok({
    federation,
    site,
    entries: entries.length,
    verifiedFrom: entries[0]!.entry.sequence,
    archives: options.archives ?? [],
    head: { sequence: entry.sequence, hash },
    keys,
    populations: spent,
    anchors,
  });
}

/** Each checkpoint must say of the entries before it what they say, as far as they are here. */
function checkpointFault(entries: readonly SignedEntry[]): ConsiliumError | null {
  const base = archivedOf(entries);
  for (const { entry } of entries) {
    if (entry.kind !== "open" || entry.archived === undefined) continue;
    const { through, files } = entry.archived;
    const end = entries.findIndex((signed) => signed.hash === through.hash);
    if (end < 0) continue;
    const computed = archivedBy(entries.slice(0, end + 1), base, files.at(-1)!.sha256);
    const written: Archived = { ...entry.archived, files: computed.files };
    const fault = archivedFault(written, computed) ?? filesFault(files, entries);
    if (fault !== null) return brokenAt(entry.sequence, fault);
  }
  return null;
}

/** The archives that a checkpoint names are the first ones of those that the newest names. */
function filesFault(files: Archived["files"], entries: readonly SignedEntry[]): string | null {
  const newest = entries.findLast(({ entry }) => entry.kind === "open" && entry.archived !== undefined);
  const all = newest?.entry.kind === "open" ? (newest.entry.archived?.files ?? []) : [];
  const isSame = files.every((file, index) => file.sha256 === all[index]?.sha256);
  return isSame ? null : "its archives are not those of the newest checkpoint";
}

/** What is kept in the file beside a ledger. */
export function keptInFile(stateFolder: string): Kept[] {
  const head = readAnchor(join(stateFolder, anchorFileName));
  return head === null ? [] : [{ from: anchorFileName, head }];
}

/**
 * Positions as a person has noted them, `<sequence>:<hash>`; the hash may be shortened to its first 16 digits.
 * @throws ConsiliumError FIELD_INVALID
 */
export function keptPositions(written: readonly string[]): Kept[] {
  return written.map((text) => {
    const [, sequence, hash] = /^([1-9]\d{0,14}):([0-9a-f]{16,64})$/.exec(text) ?? [];
    if (sequence !== undefined && hash !== undefined)
      return { from: text, position: { sequence: Number(sequence), hash: hash as Sha256 } };
    const remedy = said("ledger.anchor-where", {});
    throw fault("FIELD_INVALID", "ledger.anchor-written", {}, { remedy });
  });
}

/** Whether the ledger is all that was ever kept of it. */
export function isNewest(report: LedgerReport): boolean {
  return report.anchors.every(({ state }) => state !== "missing");
}

/** An earlier key vouches only for what it has signed, so the present one must be known. */
function keyFault(keys: readonly Sha256[], fingerprint: Sha256): string | null {
  const found = keys.lastIndexOf(fingerprint);
  if (found === keys.length - 1) return null;
  return found < 0
    ? `the ledger is not signed with the key ${fingerprint}, but with ${keys.at(-1)}`
    : `the key ${fingerprint} was followed by ${keys.at(-1)}: what came after it cannot be verified by it`;
}

function anchorReport(
  entries: readonly SignedEntry[],
  kept: Kept,
  own: Parameters<typeof readHead>[1],
): Result<AnchorReport, ConsiliumError> {
  const { from } = kept;
  if ("position" in kept) {
    const { sequence, hash } = kept.position;
    return ok({ from, sequence, hash, state: positionState(entries, kept.position) });
  }
  const read = readHead(kept.head, own);
  if (!read.ok) return read;
  const { sequence, hash } = read.value;
  const state = hasEntry(entries, read.value)
    ? "held"
    : holdsHead(entries, read.value)
      ? "reconciled"
      : "missing";
  return ok({ from, sequence, hash, state });
}

function positionState(entries: readonly SignedEntry[], position: LedgerPosition): AnchorState {
  if (hasEntry(entries, position)) return "held";
  const archived = archivedOf(entries);
  if (archived !== null && position.sequence <= archived.through.sequence)
    return archivedState(archived, position);
  // Numbers that a reconciliation passed over are those of the part that it charged for.
  const after = entries.findIndex(({ entry }) => entry.sequence > position.sequence);
  const next = entries[after]?.entry;
  if (after < 1 || next?.kind !== "reconcile") return "missing";
  if (entries[after - 1]!.entry.sequence === position.sequence) return "missing";
  const anchor = parseHead(next.anchor);
  if (!anchor.ok || anchor.value.sequence < position.sequence) return "missing";
  return anchor.value.sequence > position.sequence || anchor.value.hash.startsWith(position.hash)
    ? "reconciled"
    : "missing";
}

/** Of a position among entries whose archive is not here: numbers that are missing were passed over by a reconciliation. */
function archivedState({ marks, anchors }: Archived, { sequence, hash }: LedgerPosition): AnchorState {
  const next = marks.find(({ from }) => from > sequence);
  const before = marks.findLast(({ from }) => from <= sequence);
  if (before === undefined || next === undefined) return "missing";
  if (sequence < before.from + before.hashes.length / markDigits) return "missing";
  const heads = anchors.map((anchor) => parseHead(anchor)).flatMap((head) => (head.ok ? [head.value] : []));
  const charged = heads.find((head) => head.sequence === next.from - 1);
  if (charged === undefined) return "missing";
  return charged.sequence > sequence || charged.hash.startsWith(hash) ? "reconciled" : "missing";
}

function hasEntry(entries: readonly SignedEntry[], position: LedgerPosition): boolean {
  const { sequence, hash } = position;
  const archived = archivedOf(entries);
  return (
    entries.some((signed) => signed.entry.sequence === sequence && signed.hash.startsWith(hash)) ||
    (archived !== null && isArchived(archived, position))
  );
}

import { readCanonicalJson } from "@consilium/core/canonicalJson";
import { faults } from "@consilium/core/fault";
import { parseSha256, type SiteId } from "@consilium/core/ids";
import type { LedgerPosition } from "@consilium/core/release/countersignature";
import { unwrap } from "@consilium/core/result";
import { verifyMessage } from "@consilium/secure-sum/crypto/sign";
import type { AggregatorSays } from "@consilium/words/says/aggregator";
import type { LedgerHeadRecord, SiteRegistry } from "./registry.js";

const fault = faults<AggregatorSays>();

/** A ledger's head as it travels: canonical JSON, and the site's signature on it. */
export interface WireLedgerHead {
  readonly head: string;
  readonly signature: Uint8Array;
}

/**
 * Stores the newest head of a site's ledger and shows it to the site at its next connection: this reveals a site
 * restored from an old backup.
 * @throws ConsiliumError FIELD_INVALID if it is not a head signed by this site
 */
export function keepLedgerHead(
  registry: SiteRegistry,
  peer: { readonly site: SiteId; readonly signingKey: Uint8Array },
  given: WireLedgerHead,
): void {
  registry.keepLedgerHead(peer.site, readLedgerHead(peer, given));
}

/** A head shown by a site, with its ledger position. @throws ConsiliumError FIELD_INVALID as above */
export function readLedgerHead(
  peer: { readonly site: SiteId; readonly signingKey: Uint8Array },
  given: WireLedgerHead,
): LedgerHeadRecord {
  const { sequence } = ledgerPosition(given);
  const message = Buffer.from(`consilium ledger head v1\n${given.head}`);
  if (!verifyMessage(peer.signingKey, message, given.signature))
    throw fault("FIELD_INVALID", "roster.head-signature", { site: peer.site });
  return { ...given, sequence };
}

/** The ledger position of a head. @throws ConsiliumError FIELD_INVALID */
export function ledgerPosition({ head }: Pick<WireLedgerHead, "head">): LedgerPosition {
  const invalid = fault("FIELD_INVALID", "roster.head-invalid", {});
  const parsed = readCanonicalJson(head);
  if (!parsed.ok || typeof parsed.value !== "object" || parsed.value === null) throw invalid;
  const { sequence, hash } = parsed.value as { sequence?: unknown; hash?: unknown };
  if (!Number.isSafeInteger(sequence) || (sequence as number) < 0) throw invalid;
  return { sequence: sequence as number, hash: unwrap(parseSha256(hash)) };
}

import { canonicalJson } from "@consilium/core/canonicalJson";
import type { WireLedgerHead } from "../rpc/toDomain.js";
import type { SignedEntry } from "./entry.js";

/**
 * A ledger as a file that anyone can verify who knows the site's key: one signed entry per line as canonical JSON, in
 * the ledger's order, and the signed head as the last line, so that a tail that was cut off is missed.
 */
export interface LedgerExport {
  readonly entries: readonly SignedEntry[];
  readonly head: WireLedgerHead;
}

export function exportText({ entries, head }: LedgerExport): string {
  return [
    ...entries.map(entryLine),
    canonicalJson({ head: head.head, signature: base64(head.signature) }),
    "",
  ].join("\n");
}

export function entryLine({ entry, hash, signature }: SignedEntry): string {
  return canonicalJson({ entry, hash, signature: base64(signature) });
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

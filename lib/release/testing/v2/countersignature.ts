import { utf8Of } from "@consilium/core/bytes";
import type { Sha256, SiteId, StudyId } from "@consilium/core/ids";
import { type SigningKey, signMessage } from "@consilium/secure-sum/crypto/sign";

/**
 * A site's word that a statement about a study is true by its own records, with the state of its ledger when it signed:
 * the head anchors the ledger in the release, and the entries are those that the study was charged to. What the ledger
 * says is the hospital's own; hashes alone are published.
 */
export interface Countersignature {
  readonly site: SiteId;
  readonly ledgerHead: LedgerPosition;
  /** Hashes of the entries that charged for the study, in the ledger's order. */
  readonly ledgerEntries: readonly Sha256[];
  /** 64 bytes, Ed25519. */
  readonly signature: Uint8Array;
}

/** How far a ledger had come. */
export interface LedgerPosition {
  /** Of its newest entry. */
  readonly sequence: number;
  /** Of the same. */
  readonly hash: Sha256;
}

interface Signed extends Omit<Countersignature, "signature"> {
  readonly studyId: StudyId;
  /** `statementHash` of the statement. */
  readonly statement: Sha256;
}

/** Every part has one form and no line break in it, so that no two countersignatures have one text. */
function signedText({ site, studyId, statement, ledgerHead, ledgerEntries }: Signed): Uint8Array {
  const lines = [
    "consilium countersignature v1",
    studyId,
    site,
    statement,
    `${ledgerHead.sequence} ${ledgerHead.hash}`,
    ...ledgerEntries,
  ];
  return utf8Of(lines.join("\n"));
}

/**
 * A site signs a statement that it has checked with `checkStatement`, and stores that it did before the signature leaves.
 * @param key - of the site's enrolled identity
 * @returns 64 bytes, Ed25519
 */
export function signStatement(key: SigningKey, signed: Signed): Uint8Array {
  return signMessage(key, signedText(signed));
}

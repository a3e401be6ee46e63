import { type SigningKey, signMessage, verifyMessage } from "@consilium/secure-sum/crypto/sign";
import { utf8Of } from "../bytes.js";
import { ConsiliumError } from "../errors.js";
import type { Sha256, SiteId, StudyId } from "../ids.js";
import { err, ok, type Result } from "../result.js";
import { statementHash } from "./statement.js";

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
  /** Version of what the site ran when it signed. */
  readonly software: string;
  /** 64 bytes, Ed25519. */
  readonly signature: Uint8Array;
}

/** A version as it is signed: one word. */
export const softwarePattern = /^[0-9A-Za-z.+-]{1,64}$/;

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
function signedText({ site, studyId, statement, ledgerHead, ledgerEntries, software }: Signed): Uint8Array {
  const lines = [
    "consilium countersignature v2",
    studyId,
    site,
    statement,
    `${ledgerHead.sequence} ${ledgerHead.hash}`,
    ...ledgerEntries,
    software,
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

/**
 * Whether a countersignature is this site's over this statement.
 * @param of.statement - its text
 * @param of.signingKey - the site's, Ed25519, 32 bytes
 * @returns COUNTERSIGNATURE_INVALID otherwise
 */
export function checkCountersignature(
  given: Countersignature,
  of: {
    readonly studyId: StudyId;
    readonly statement: string;
    readonly signingKey: Uint8Array;
  },
): Result<null, ConsiliumError> {
  const message = signedText({ ...given, studyId: of.studyId, statement: statementHash(of.statement) });
  if (verifyMessage(of.signingKey, message, given.signature)) return ok(null);
  return err(
    new ConsiliumError(
      "COUNTERSIGNATURE_INVALID",
      `study ${of.studyId}: the countersignature of ${given.site} does not fit the statement`,
    ),
  );
}

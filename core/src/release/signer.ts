import { type VerifySignature, verifyMessage } from "@consilium/secure-sum/crypto/sign";
import { ConsiliumError } from "../errors.js";
import { err, type Result } from "../result.js";
import type { DetachedSignature } from "./signature.js";

/** Who the chain in a signature proves to be, under an authority that the verifier already trusts. */
export interface ReleaseSigner {
  readonly federation: string;
  readonly role: string;
  readonly id: string;
  /** Ed25519, 32 bytes. */
  readonly signingKey: Uint8Array;
}

export interface SignerChecks {
  /**
   * Verifies a chain of certificates at a time under the trusted authority, for the role of an aggregator.
   * @param atMs - milliseconds since 1970
   */
  identify(chainDer: readonly Uint8Array[], atMs: number): Result<ReleaseSigner, ConsiliumError>;
  /** In place of `verifyMessage`, where there is no Node: a browser has only an asynchronous one. */
  readonly verifySignature?: VerifySignature;
}

/**
 * Whether an aggregator of a federation signed at a time.
 * @param stated.file - the signature's, named where it is wrong
 * @param stated.of - what it is of, named where the two do not fit
 * @returns RELEASE_CORRUPT naming the file otherwise
 */
export function verifySigner(
  signed: DetachedSignature,
  stated: {
    readonly file: string;
    readonly of: string;
    readonly federation: string;
    readonly issuedAt: string;
  },
  { identify, verifySignature = verifyMessage }: SignerChecks,
): Result<ReleaseSigner, ConsiliumError> {
  const { file, of } = stated;
  const refuse = (at: string, what: string) => err(new ConsiliumError("RELEASE_CORRUPT", `${at}: ${what}`));
  const signer = identify(signed.chainDer, Date.parse(stated.issuedAt));
  if (!signer.ok)
    return err(
      new ConsiliumError("RELEASE_CORRUPT", `${file}: its signer is not accepted: ${signer.error.message}`, {
        remedy:
          "check that the root certificate is that of the release's federation; if it is, do not use the release, and report it",
      }),
    );
  const { signingKey, role, federation } = signer.value;
  if (!verifySignature(signingKey, signed.signedBytes, signed.signature))
    return refuse(file, `the signature does not fit ${of}`);
  if (role !== "aggregator") return refuse(file, `signed by a ${role}, not by the aggregator`);
  if (federation !== stated.federation)
    return refuse(of, "its signer is of another federation than it names");
  return signer;
}

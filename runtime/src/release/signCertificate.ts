import type { KeyObject } from "node:crypto";
import { type Certificate, certificateBytes } from "@consilium/core/release/certificate";
import { signatureFileBytes, signatureHeader, signedBytes } from "@consilium/core/release/signature";
import { signMessage } from "@consilium/secure-sum/crypto/sign";

export interface SignedCertificate {
  /** The bytes of certificate.json. */
  readonly bytes: Uint8Array;
  /** The bytes of certificate.jws. */
  readonly jws: Uint8Array;
}

/**
 * Signs a certificate of a release.
 * @param signer.signingKey - private, Ed25519: the one that the first certificate of the chain names
 * @param signer.chainDer - the signer's certificate, then the issuing one; anything further is left out
 * @throws ZodError if the certificate is not one
 */
export function signCertificate(
  certificate: Certificate,
  signer: { readonly signingKey: KeyObject; readonly chainDer: readonly Uint8Array[] },
): SignedCertificate {
  const bytes = certificateBytes(certificate);
  const header = signatureHeader(signer.chainDer.slice(0, 2));
  const signature = signMessage(signer.signingKey, signedBytes(header, bytes));
  return { bytes, jws: signatureFileBytes(header, signature) };
}

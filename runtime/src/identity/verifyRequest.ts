import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { ConsiliumError } from "@consilium/core/errors";
import type { SiteId } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import { type CertificateRequest, signingDomain } from "./request.js";
import { ed25519FromRaw, isP256, x509 } from "./x509.js";

/** A certificate request of ours has about 250 bytes. */
const requestMaxBytes = 2048;

/**
 * Checks a request from an untrusted peer: both proofs of possession, the kind of key, the id.
 * @param id - whom the token, or the certificate being renewed, is for
 * @returns the TLS public key to certify, or FIELD_INVALID
 */
export async function verifyRequest(
  request: CertificateRequest,
  id: SiteId,
): Promise<Result<KeyObject, ConsiliumError>> {
  const refuse = (what: string) => err(new ConsiliumError("FIELD_INVALID", `certificate request: ${what}`));
  if (request.csrDer.length > requestMaxBytes) return refuse(`more than ${requestMaxBytes} bytes`);
  if (request.signingKey.length !== 32) return refuse("the signing key must have 32 bytes");
  if (request.signature.length !== 64) return refuse("the signature must have 64 bytes");
  let csr: x509.Pkcs10CertificateRequest;
  let tlsKey: KeyObject;
  try {
    csr = new x509.Pkcs10CertificateRequest(request.csrDer);
    tlsKey = createPublicKey({ key: Buffer.from(csr.publicKey.rawData), format: "der", type: "spki" });
  } catch {
    return refuse("not PKCS#10");
  }
  if (!Buffer.from(csr.rawData).equals(request.csrDer)) return refuse("not DER");
  if (!isP256(tlsKey)) return refuse("the TLS key is not P-256");
  if (csr.subject !== `CN=${id}`) return refuse("the subject is not the invited identity");
  if (!(await csr.verify().catch(() => false))) return refuse("invalid signature of the TLS key");
  let signed = false;
  try {
    const message = Buffer.concat([signingDomain, request.csrDer]);
    signed = verify(null, message, ed25519FromRaw(request.signingKey), request.signature);
  } catch {
    // A key that is no point of the curve: refused below like any other bad signature.
  }
  return signed ? ok(tlsKey) : refuse("invalid signature of the signing key");
}

import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { ConsiliumError } from "@consilium/core/errors";
import type { SiteId } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import type { AnySaid } from "@consilium/words/said";
import { fault, reason } from "../fault.js";
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
  const refuse = (why: AnySaid) => err(fault("FIELD_INVALID", "request.invalid", { why }));
  if (request.csrDer.length > requestMaxBytes)
    return refuse(reason("signed.too-long", { max: requestMaxBytes }));
  if (request.signingKey.length !== 32) return refuse(reason("request.signing-key", {}));
  if (request.signature.length !== 64) return refuse(reason("request.signature", {}));
  let csr: x509.Pkcs10CertificateRequest;
  let tlsKey: KeyObject;
  try {
    csr = new x509.Pkcs10CertificateRequest(request.csrDer);
    tlsKey = createPublicKey({ key: Buffer.from(csr.publicKey.rawData), format: "der", type: "spki" });
  } catch {
    return refuse(reason("request.not-pkcs10", {}));
  }
  if (!Buffer.from(csr.rawData).equals(request.csrDer)) return refuse(reason("request.not-der", {}));
  if (!isP256(tlsKey)) return refuse(reason("request.not-p256", {}));
  if (csr.subject !== `CN=${id}`) return refuse(reason("request.subject", {}));
  if (!(await csr.verify().catch(() => false))) return refuse(reason("request.tls-signature", {}));
  let signed = false;
  try {
    const message = Buffer.concat([signingDomain, request.csrDer]);
    signed = verify(null, message, ed25519FromRaw(request.signingKey), request.signature);
  } catch {
    // A key that is no point of the curve: refused below like any other bad signature.
  }
  return signed ? ok(tlsKey) : refuse(reason("request.own-signature", {}));
}

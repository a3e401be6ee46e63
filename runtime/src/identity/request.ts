import { type KeyObject, sign } from "node:crypto";
import type { SiteId } from "@consilium/core/ids";
import { ecdsaP256, toCryptoKeys } from "./cryptoKeys.js";
import { ed25519Raw, x509 } from "./x509.js";

/** The domain separator of this signature. */
export const signingDomain = Buffer.from("consilium certificate request v1\0", "utf8");

/** What an identity sends to get or renew its certificate. All three are public. */
export interface CertificateRequest {
  /** PKCS#10, signed by the TLS key, with the subject `CN=<id>`. */
  readonly csrDer: Uint8Array;
  /** The Ed25519 public key, 32 bytes. */
  readonly signingKey: Uint8Array;
  /** Ed25519 signature over a domain prefix and `csrDer`: 64 bytes. */
  readonly signature: Uint8Array;
}

/**
 * Asks for a certificate, proving possession of both private keys.
 * @param options.tlsKey - private, P-256
 * @param options.signingKey - private, Ed25519
 */
export async function createRequest(options: {
  id: SiteId;
  tlsKey: KeyObject;
  signingKey: KeyObject;
}): Promise<CertificateRequest> {
  const csr = await x509.Pkcs10CertificateRequestGenerator.create({
    name: `CN=${options.id}`,
    keys: await toCryptoKeys(options.tlsKey),
    signingAlgorithm: ecdsaP256,
  });
  const csrDer = new Uint8Array(csr.rawData);
  const signature = sign(null, Buffer.concat([signingDomain, csrDer]), options.signingKey);
  return { csrDer, signingKey: ed25519Raw(options.signingKey), signature: Uint8Array.from(signature) };
}

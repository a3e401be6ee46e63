import { createPublicKey, type KeyObject } from "node:crypto";
import type { Sha256 } from "@consilium/core/ids";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { pemToDer, x509 } from "./x509.js";

/** Certificates begin this much before they are made, so that a peer whose clock is a little slow accepts them. */
export const clockSkewMs = 5 * 60_000;

/** SHA-256 of a root certificate's DER, lower-case hexadecimal. */
export function rootFingerprint(rootPem: string): Sha256 {
  return sha256(pemToDer(rootPem));
}

/** Whether a private key belongs to the first certificate of a PEM chain. */
export function keyMatchesChain(privateKey: KeyObject, chainPem: string): boolean {
  const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  const certified = new x509.X509Certificate(pemToDer(chainPem)).publicKey.rawData;
  return spki.equals(Buffer.from(certified));
}

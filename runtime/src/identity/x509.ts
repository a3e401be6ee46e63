/**
 * Loads @peculiar/x509, as `chain.ts` does: that package needs reflect-metadata to be loaded before it.
 * It builds and parses certificates; signatures are made and checked by Node's own OpenSSL.
 */
import "reflect-metadata";
import { createPrivateKey, type KeyObject, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

x509.cryptoProvider.set(webcrypto);

export { x509 };

export function isP256(key: KeyObject): boolean {
  return key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1";
}

/** DER of the first certificate in a PEM text. */
export function pemToDer(pem: string): Buffer {
  return Buffer.from(x509.PemConverter.decodeFirst(pem));
}

/** DER of every certificate in a PEM text, in its order. */
export function pemChainToDer(pem: string): Buffer[] {
  return x509.PemConverter.decode(pem).map((der) => Buffer.from(der));
}

/** PEM text with a final line break, so that certificates can simply be joined. */
export function derToPem(der: Uint8Array, label = "CERTIFICATE"): string {
  return `${x509.PemConverter.encode(Uint8Array.from(der).buffer, label)}\n`;
}

/** Ed25519 public keys as their 32 raw bytes, and back. */
export {
  publicKeyFromRaw as ed25519FromRaw,
  rawPublicKey as ed25519Raw,
} from "@consilium/secure-sum/crypto/sign";

export function privateKeyFromPem(pem: string): KeyObject {
  return createPrivateKey({ key: pem, format: "pem" });
}

export function privateKeyToPem(key: KeyObject): string {
  return key.export({ format: "pem", type: "pkcs8" }).toString();
}

export { uriNames } from "./chain.js";

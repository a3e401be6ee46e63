import { createPublicKey, type KeyObject, randomBytes, webcrypto } from "node:crypto";

/** ECDSA on P-256 with SHA-256: every certificate and request of the federation. */
export const ecdsaP256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A P-256 key pair as @peculiar/x509 wants it. */
export async function toCryptoKeys(privateKey: KeyObject): Promise<webcrypto.CryptoKeyPair> {
  const publicKey = createPublicKey(privateKey);
  return {
    privateKey: await webcrypto.subtle.importKey(
      "pkcs8",
      privateKey.export({ format: "der", type: "pkcs8" }),
      ecdsaP256,
      false,
      ["sign"],
    ),
    publicKey: await toCryptoPublicKey(publicKey),
  };
}

export async function toCryptoPublicKey(publicKey: KeyObject): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey(
    "spki",
    publicKey.export({ format: "der", type: "spki" }),
    ecdsaP256,
    true,
    ["verify"],
  );
}

/** 16 random bytes as hexadecimal, positive and without a leading zero byte (RFC 5280 4.1.2.2). */
export function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return bytes.toString("hex");
}

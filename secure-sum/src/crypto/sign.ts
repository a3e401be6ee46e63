import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { remembering } from "../remembering.js";
import { sha256 } from "./hash.js";

/** Ed25519 [RFC8032] over raw 32-byte public keys, as the identities of the federation carry them. */
const signingKeyBytes = 32;
export const signatureBytes = 64;

/** A private Ed25519 key; its bytes do not show when it is logged. */
export type SigningKey = KeyObject;

/** Whether an Ed25519 signature of 64 bytes is that of a message, for a key of 32. */
export type VerifySignature = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

export type SigningKeyPair = { readonly publicKey: Uint8Array; readonly privateKey: SigningKey };

/** A fresh signing key, from the operating system's generator. */
export function generateSigningKey(): SigningKeyPair {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return { publicKey: rawPublicKey(publicKey), privateKey };
}

/** The 32 bytes of an Ed25519 key's public half, in which SubjectPublicKeyInfo ends (RFC 8410, section 4). */
export function rawPublicKey(key: KeyObject): Uint8Array {
  const half = key.type === "private" ? createPublicKey(key) : key;
  const der = half.export({ type: "spki", format: "der" });
  if (half.asymmetricKeyType !== "ed25519") throw new RangeError("not an Ed25519 key");
  return new Uint8Array(der.subarray(-signingKeyBytes));
}

const keyObjects = new Map<string, KeyObject>();

/** The key object of 32 raw bytes, by way of a JSON Web Key [RFC8037]: a tenth of the time that DER takes. @throws RangeError */
export function publicKeyFromRaw(raw: Uint8Array): KeyObject {
  if (raw.length !== signingKeyBytes) throw new RangeError("an Ed25519 public key has 32 bytes");
  const x = Buffer.from(raw).toString("base64url");
  const made =
    keyObjects.get(x) ?? createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  if (keyObjects.size === 10_000) keyObjects.clear();
  keyObjects.set(x, made);
  return made;
}

const publicHalf = remembering(rawPublicKey);

export function signMessage(privateKey: SigningKey, message: Uint8Array): Uint8Array {
  const signature = new Uint8Array(sign(null, message, privateKey));
  remember(sha256(publicHalf(privateKey), signature, message));
  return signature;
}

/**
 * Signatures that are right, by hash: a post is checked when it comes, and again when it is stored; and this process's own come back to
 * it in every list.
 */
const verified = new Set<string>();

function remember(hash: string): void {
  if (verified.size === 10_000) verified.clear();
  verified.add(hash);
}

/** False for a wrong signature and for a key or signature of the wrong size; never throws. */
export function verifyMessage(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== signingKeyBytes || signature.length !== signatureBytes) return false;
  const hash = sha256(publicKey, signature, message);
  try {
    if (verified.has(hash)) return true;
    if (!verify(null, message, publicKeyFromRaw(publicKey), signature)) return false;
  } catch {
    return false;
  }
  remember(hash);
  return true;
}

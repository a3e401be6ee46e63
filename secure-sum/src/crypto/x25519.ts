import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from "node:crypto";

/** X25519 [RFC7748] over raw 32-byte keys. */
export const x25519KeyBytes = 32;

/** A private key, ready for use: making it so takes as long as agreeing on a secret does. */
export type X25519Key = KeyObject;

// Keys go in as JSON Web Keys [RFC8037]: a tenth of the time that OpenSSL takes to decode DER.
const curve = { kty: "OKP", crv: "X25519" };
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

/** @param privateKey - 32 random bytes [RFC7748, section 5] */
export function x25519Key(privateKey: Uint8Array): X25519Key {
  if (privateKey.length !== x25519KeyBytes) throw new RangeError("an X25519 private key has 32 bytes");
  // The public half is computed anew, but the form asks for a text there.
  return createPrivateKey({ key: { ...curve, d: base64url(privateKey), x: "" }, format: "jwk" });
}

export function x25519PublicKey(privateKey: X25519Key): Uint8Array {
  const { x } = createPublicKey(privateKey).export({ format: "jwk" });
  return new Uint8Array(Buffer.from(x!, "base64url"));
}

/**
 * The secret of two keys, 32 bytes: to be derived from, and never a key itself.
 * @throws on a public key of low order, as node:crypto does [RFC7748, section 6.1]
 */
export function x25519(privateKey: X25519Key, otherPublic: Uint8Array): Uint8Array {
  if (otherPublic.length !== x25519KeyBytes) throw new RangeError("an X25519 public key has 32 bytes");
  const publicKey = createPublicKey({ key: { ...curve, x: base64url(otherPublic) }, format: "jwk" });
  return new Uint8Array(diffieHellman({ privateKey, publicKey }));
}

/**
 * The points of small order, all their encodings below 2^255 [RFC7748, section 6.1; cr.yp.to/ecdh.html]: 0, 1, the two
 * of order 8, p - 1, p and p + 1.
 */
const smallOrder = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
  "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

/** Whether a secret can be agreed with a key from elsewhere: of the right size, and not of low order. */
export function isX25519Key(publicKey: Uint8Array): boolean {
  if (publicKey.length !== x25519KeyBytes) return false;
  const masked = Buffer.from(publicKey);
  // X25519 does not look at the top bit.
  masked[x25519KeyBytes - 1]! &= 0x7f;
  return !smallOrder.has(masked.toString("hex"));
}

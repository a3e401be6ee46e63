import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import { SumError } from "../errors.js";
import type { RandomSource } from "../random.js";
import { err, ok, type Result } from "../result.js";

/**
 * Messages between two sites that the aggregator relays and cannot read: X25519 [RFC7748], HKDF-SHA256 [RFC5869],
 * AES-256-GCM [SP800-38D]. Both exchange keys are fresh for one study and signed by the sites' identities, so a
 * sealed message proves its sender; the context is bound as associated data and into the key.
 */
export const exchangeKeyBytes = 32;

const nonceBytes = 12;
const tagBytes = 16;

/** The private half of an exchange key: 32 random bytes [RFC7748, section 5]. */
export function generateExchangeKey(random: RandomSource): Uint8Array {
  return random.bytes(exchangeKeyBytes);
}

/** A private exchange key, ready for use: making it so takes as long as agreeing on a secret does. */
export type ExchangePrivateKey = KeyObject;

/** @param privateKey - 32 bytes, as `generateExchangeKey` draws them */
export function exchangePrivateKey(privateKey: Uint8Array): ExchangePrivateKey {
  if (privateKey.length !== exchangeKeyBytes) throw new RangeError("an X25519 private key has 32 bytes");
  // The public half is computed anew, but the form asks for a text there.
  return createPrivateKey({ key: { ...curve, d: base64url(privateKey), x: "" }, format: "jwk" });
}

export function exchangePublicKey(privateKey: Uint8Array | ExchangePrivateKey): Uint8Array {
  const { x } = createPublicKey(ready(privateKey)).export({ format: "jwk" });
  return new Uint8Array(Buffer.from(x!, "base64url"));
}

// Keys go in as JSON Web Keys [RFC8037]: a tenth of the time that OpenSSL takes to decode DER.
const curve = { kty: "OKP", crv: "X25519" };
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

const ready = (privateKey: Uint8Array | ExchangePrivateKey): ExchangePrivateKey =>
  privateKey instanceof Uint8Array ? exchangePrivateKey(privateKey) : privateKey;

function publicKeyObject(publicKey: Uint8Array): KeyObject {
  if (publicKey.length !== exchangeKeyBytes) throw new RangeError("an X25519 public key has 32 bytes");
  return createPublicKey({ key: { ...curve, x: base64url(publicKey) }, format: "jwk" });
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

/** Whether a public key from elsewhere can be sealed for: of the right size, and not of low order [RFC7748, section 6.1]. */
export function isExchangeKey(publicKey: Uint8Array): boolean {
  if (publicKey.length !== exchangeKeyBytes) return false;
  const masked = Buffer.from(publicKey);
  // X25519 does not look at the top bit.
  masked[exchangeKeyBytes - 1]! &= 0x7f;
  return !smallOrder.has(masked.toString("hex"));
}

/**
 * A key that the holders of both private keys can derive, for the one purpose that `info` names.
 * @returns HKDF-SHA256 of X25519, 32 bytes
 * @throws on a public key of low order, as node:crypto does [RFC7748, section 6.1]
 */
export function agreedKey(
  ownPrivate: Uint8Array | ExchangePrivateKey,
  otherPublic: Uint8Array,
  info: string,
): Uint8Array {
  const shared = diffieHellman({
    privateKey: ready(ownPrivate),
    publicKey: publicKeyObject(otherPublic),
  });
  return new Uint8Array(hkdfSync("sha256", shared, new Uint8Array(), info, 32));
}

function sealingKey(
  ownPrivate: Uint8Array | ExchangePrivateKey,
  otherPublic: Uint8Array,
  context: string,
): Uint8Array {
  return agreedKey(ownPrivate, otherPublic, `consilium seal v1\n${context}`);
}

/**
 * Seals `plaintext` for the holder of `otherPublic`.
 * @param context - names study, roster, step, sender and receiver: opening under any other context fails
 * @returns nonce (12 bytes), ciphertext, tag (16 bytes)
 */
export function seal(options: {
  readonly ownPrivate: Uint8Array | ExchangePrivateKey;
  readonly otherPublic: Uint8Array;
  readonly context: string;
  readonly plaintext: Uint8Array;
  readonly random: RandomSource;
}): Uint8Array {
  const nonce = options.random.bytes(nonceBytes);
  const cipher = createCipheriv(
    "aes-256-gcm",
    sealingKey(options.ownPrivate, options.otherPublic, options.context),
    nonce,
  );
  cipher.setAAD(Buffer.from(options.context));
  const body = Buffer.concat([cipher.update(options.plaintext), cipher.final()]);
  return new Uint8Array(Buffer.concat([nonce, body, cipher.getAuthTag()]));
}

/** Opens a sealed message, or says SEAL_BROKEN: changed, cut, of another sender, or meant for another place. */
export function open(options: {
  readonly ownPrivate: Uint8Array | ExchangePrivateKey;
  readonly otherPublic: Uint8Array;
  readonly context: string;
  readonly sealed: Uint8Array;
}): Result<Uint8Array, SumError> {
  const { sealed, context } = options;
  try {
    const nonce = sealed.subarray(0, nonceBytes);
    const decipher = createDecipheriv(
      "aes-256-gcm",
      sealingKey(options.ownPrivate, options.otherPublic, context),
      nonce,
      { authTagLength: tagBytes },
    );
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
    const body = sealed.subarray(nonceBytes, sealed.length - tagBytes);
    return ok(new Uint8Array(Buffer.concat([decipher.update(body), decipher.final()])));
  } catch {
    return err(
      new SumError("SEAL_BROKEN", `a sealed message does not open (${context.split("\n").join(", ")})`),
    );
  }
}

import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import { ConsiliumError } from "../errors.js";
import type { RandomSource } from "../random.js";
import { err, ok, type Result } from "../result.js";

/**
 * Messages between two sites that the aggregator relays and cannot read: X25519 [RFC7748], HKDF-SHA256 [RFC5869],
 * AES-256-GCM [SP800-38D]. Both exchange keys are fresh for one study and signed by the sites' identities, so a
 * sealed message proves its sender; the context is bound as associated data and into the key.
 */
export const exchangeKeyBytes = 32;

// RFC 8410: PKCS#8 and SubjectPublicKeyInfo of an X25519 key are these prefixes and the key itself.
const pkcs8Prefix = Buffer.from("302e020100300506032b656e04220420", "hex");
const spkiPrefix = Buffer.from("302a300506032b656e032100", "hex");
const nonceBytes = 12;
const tagBytes = 16;

/** The private half of an exchange key: 32 random bytes [RFC7748, section 5]. */
export function generateExchangeKey(random: RandomSource): Uint8Array {
  return random.bytes(exchangeKeyBytes);
}

export function exchangePublicKey(privateKey: Uint8Array): Uint8Array {
  const spki = createPublicKey(privateKeyObject(privateKey)).export({ type: "spki", format: "der" });
  return new Uint8Array(spki.subarray(spkiPrefix.length));
}

function privateKeyObject(privateKey: Uint8Array): KeyObject {
  if (privateKey.length !== exchangeKeyBytes) throw new RangeError("an X25519 private key has 32 bytes");
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, privateKey]), format: "der", type: "pkcs8" });
}

const anyPrivateKey = new Uint8Array(exchangeKeyBytes).fill(9);

/** Whether a public key from elsewhere can be sealed for: of the right size, and not of low order [RFC7748, section 6.1]. */
export function isExchangeKey(publicKey: Uint8Array): boolean {
  if (publicKey.length !== exchangeKeyBytes) return false;
  try {
    sealingKey(anyPrivateKey, publicKey, "check");
    return true;
  } catch {
    return false;
  }
}

/** Throws on a public key of low order, as node:crypto does [RFC7748, section 6.1]. */
function sealingKey(ownPrivate: Uint8Array, otherPublic: Uint8Array, context: string): Uint8Array {
  const otherKey = createPublicKey({
    key: Buffer.concat([spkiPrefix, otherPublic]),
    format: "der",
    type: "spki",
  });
  const shared = diffieHellman({ privateKey: privateKeyObject(ownPrivate), publicKey: otherKey });
  return new Uint8Array(hkdfSync("sha256", shared, new Uint8Array(), `consilium seal v1\n${context}`, 32));
}

/**
 * Seals `plaintext` for the holder of `otherPublic`.
 * @param context - names study, roster, step, sender and receiver: opening under any other context fails
 * @returns nonce (12 bytes), ciphertext, tag (16 bytes)
 */
export function seal(options: {
  readonly ownPrivate: Uint8Array;
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
  readonly ownPrivate: Uint8Array;
  readonly otherPublic: Uint8Array;
  readonly context: string;
  readonly sealed: Uint8Array;
}): Result<Uint8Array, ConsiliumError> {
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
      new ConsiliumError("SEAL_BROKEN", `a sealed message does not open (${context.split("\n").join(", ")})`),
    );
  }
}

import { createCipheriv, createDecipheriv } from "node:crypto";
import { SumError } from "../errors.js";
import type { RandomSource } from "../random.js";
import { err, ok, type Result } from "../result.js";
import type { Encapsulated, ExchangeKey } from "./exchange.js";
import { kemCiphertextBytes } from "./kem.js";
import { deriveKey } from "./keystream.js";

/**
 * Messages between two sites that the aggregator relays and cannot read: AES-256-GCM [SP800-38D] under a key from both an
 * X25519 secret and an encapsulated one. The X25519 keys are signed by the sites' identities, so a sealed message proves
 * its sender; the context is bound as associated data and into the key.
 */
const nonceBytes = 12;
const tagBytes = 16;

/** What sealing adds to a plaintext: the ciphertext of the key's secret, the nonce and the tag. */
export const sealBytes = kemCiphertextBytes + nonceBytes + tagBytes;

interface Seal {
  /** The X25519 secret of sender and receiver. */
  readonly agreed: Uint8Array;
  /** Names study, roster, step, sender and receiver: opening under any other context fails. */
  readonly context: string;
}

const keyOf = ({ agreed, context }: Seal, secret: Uint8Array): Uint8Array =>
  deriveKey(Buffer.concat([agreed, secret]), `consilium seal v2\n${context}`);

/** @param encapsulated - to the receiver */
export function seal(
  options: Seal & {
    readonly encapsulated: Encapsulated;
    readonly plaintext: Uint8Array;
    readonly random: RandomSource;
  },
): Uint8Array {
  const { ciphertext, secret } = options.encapsulated;
  const nonce = options.random.bytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", keyOf(options, secret), nonce);
  cipher.setAAD(Buffer.from(options.context));
  const body = [cipher.update(options.plaintext), cipher.final()];
  return new Uint8Array(Buffer.concat([ciphertext, nonce, ...body, cipher.getAuthTag()]));
}

/** Opens a sealed message, or says SEAL_BROKEN: changed, cut, of another sender, or meant for another place. */
export function open(
  options: Seal & { readonly own: ExchangeKey; readonly sealed: Uint8Array },
): Result<Uint8Array, SumError> {
  const { own, context } = options;
  try {
    const secret = own.decapsulate(options.sealed.subarray(0, kemCiphertextBytes));
    const sealed = options.sealed.subarray(kemCiphertextBytes);
    const nonce = sealed.subarray(0, nonceBytes);
    const decipher = createDecipheriv("aes-256-gcm", keyOf(options, secret), nonce, {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
    const body = sealed.subarray(nonceBytes, sealed.length - tagBytes);
    return ok(new Uint8Array(Buffer.concat([decipher.update(body), decipher.final()])));
  } catch {
    const place = context.split("\n").join(", ");
    return err(new SumError("SEAL_BROKEN", `a sealed message does not open (${place})`));
  }
}

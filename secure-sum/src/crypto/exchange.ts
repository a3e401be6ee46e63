import type { RandomSource } from "../random.js";
import { sha256 } from "./hash.js";
import { encapsulate, isKemKey, type KemKey, kemKey, kemKeyBytes, kemSeedBytes } from "./kem.js";
import { deriveKey } from "./keystream.js";
import { isX25519Key, type X25519Key, x25519, x25519Key, x25519KeyBytes, x25519PublicKey } from "./x25519.js";

/**
 * A key of two kinds: X25519 [RFC7748] and, after it, ML-KEM-768 [FIPS203]. What is derived from the secrets of both
 * stays secret while either kind holds. All that its owner does with it follows from one secret of 32 bytes, the coins of
 * each encapsulation included: who is given that secret can do it again.
 */
export const exchangeKeyBytes = x25519KeyBytes + kemKeyBytes;

/** A secret that only the two ends have, and the ciphertext that takes it to the other end. */
export interface Encapsulated {
  readonly ciphertext: Uint8Array;
  readonly secret: Uint8Array;
}

/** The secret of an exchange key: 32 random bytes. */
export const generateExchangeKey = (random: RandomSource): Uint8Array => random.bytes(32);

/** Whether a key from elsewhere can be agreed with and encapsulated for. */
export function isExchangeKey(publicKey: Uint8Array): boolean {
  return isX25519Key(x25519Half(publicKey)) && isKemKey(publicKey.subarray(x25519KeyBytes));
}

export const x25519Half = (publicKey: Uint8Array): Uint8Array => publicKey.subarray(0, x25519KeyBytes);

/** A private exchange key, ready for use; nothing is computed before it is asked for, or twice. */
export class ExchangeKey {
  readonly #secret: Uint8Array;
  readonly #x25519: X25519Key;
  #kem: KemKey | null = null;
  readonly #encapsulated = new Map<string, Encapsulated>();
  readonly #decapsulated = new Map<string, Uint8Array>();

  constructor(secret: Uint8Array) {
    this.#secret = Uint8Array.from(secret);
    this.#x25519 = x25519Key(deriveKey(secret, "consilium exchange x25519 v1"));
  }

  get publicKey(): Uint8Array {
    return Uint8Array.of(...this.x25519Public, ...this.#kemKey().publicKey);
  }

  get x25519Public(): Uint8Array {
    return x25519PublicKey(this.#x25519);
  }

  #kemKey(): KemKey {
    this.#kem ??= kemKey(deriveKey(this.#secret, "consilium exchange ml-kem v1", kemSeedBytes));
    return this.#kem;
  }

  /** The X25519 secret with another key's half of that kind. */
  agree(otherPublic: Uint8Array): Uint8Array {
    return x25519(this.#x25519, x25519Half(otherPublic));
  }

  /** To the holder of a key: the same each time, for the coins are derived from the secret and that key. */
  encapsulate(otherPublic: Uint8Array): Encapsulated {
    return remembered(this.#encapsulated, otherPublic, (hash) => {
      const coins = deriveKey(this.#secret, `consilium exchange coins v1\n${hash}`);
      const { ciphertext, secret } = encapsulate(otherPublic.subarray(x25519KeyBytes), coins);
      return { ciphertext, secret: bound(secret, ciphertext) };
    });
  }

  /** @throws unless the ciphertext has 1088 bytes */
  decapsulate(ciphertext: Uint8Array): Uint8Array {
    return remembered(this.#decapsulated, ciphertext, () =>
      bound(this.#kemKey().decapsulate(ciphertext), ciphertext),
    );
  }
}

/** The two ends have the same secret for the same ciphertext only, whatever the key. */
function bound(secret: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return deriveKey(secret, `consilium exchange secret v1\n${sha256(ciphertext)}`);
}

export function remembered<T>(known: Map<string, T>, of: Uint8Array, make: (hash: string) => T): T {
  const hash = sha256(of);
  const value = known.get(hash) ?? make(hash);
  known.set(hash, value);
  return value;
}

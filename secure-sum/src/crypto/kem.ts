import sodium from "libsodium-wrappers";

/**
 * ML-KEM-768 [FIPS203], by libsodium compiled to WebAssembly. Node's own takes no coins for an encapsulation, and ours are
 * derived.
 */
export const kemKeyBytes = 1184;
export const kemCiphertextBytes = 1088;
export const kemSeedBytes = 64;

await sodium.ready;

export interface KemKey {
  readonly publicKey: Uint8Array;
  /** @throws unless there are 1088 bytes; gives a secret that nobody else has for bytes that nobody encapsulated */
  decapsulate(ciphertext: Uint8Array): Uint8Array;
}

/** ML-KEM.KeyGen_internal. @param seed - d, then z: 64 bytes */
export function kemKey(seed: Uint8Array): KemKey {
  if (seed.length !== kemSeedBytes) throw new RangeError("the seed of an ML-KEM key has 64 bytes");
  const { publicKey, privateKey } = sodium.crypto_kem_mlkem768_seed_keypair(seed);
  return {
    publicKey,
    decapsulate: (ciphertext) => sodium.crypto_kem_mlkem768_dec(ciphertext, privateKey),
  };
}

/** ML-KEM.Encaps_internal. @param coins - m: 32 bytes, for this one key @throws on a key that `isKemKey` refuses */
export function encapsulate(
  publicKey: Uint8Array,
  coins: Uint8Array,
): { readonly ciphertext: Uint8Array; readonly secret: Uint8Array } {
  const { ciphertext, sharedSecret } = sodium.crypto_kem_mlkem768_enc_deterministic(publicKey, coins);
  return { ciphertext, secret: sharedSecret };
}

/** Whether a key from elsewhere can be encapsulated for: 1184 bytes, every coefficient below 3329 [FIPS203, section 7.2]. */
export function isKemKey(publicKey: Uint8Array): boolean {
  if (publicKey.length !== kemKeyBytes) return false;
  for (let at = 0; at < kemKeyBytes - 32; at += 3) {
    const [a, b, c] = [publicKey[at]!, publicKey[at + 1]!, publicKey[at + 2]!];
    if ((((b & 15) << 8) | a) >= 3329 || ((c << 4) | (b >> 4)) >= 3329) return false;
  }
  return true;
}

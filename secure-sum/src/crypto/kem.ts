import * as openssl from "node:crypto";
import { ml_kem768 } from "@noble/post-quantum/ml-kem.js";

/**
 * ML-KEM-768 [FIPS203]. Where Node has it (from 24.7), keys are expanded and ciphertexts opened by OpenSSL, in a fraction
 * of the time; elsewhere by @noble/post-quantum, with the same bytes. Encapsulating is always @noble/post-quantum's: Node
 * draws the coins itself, and ours are derived.
 */
export const kemKeyBytes = 1184;
export const kemCiphertextBytes = 1088;
export const kemSeedBytes = 64;

export interface KemKey {
  readonly publicKey: Uint8Array;
  /** @throws unless there are 1088 bytes; gives a secret that nobody else has for bytes that nobody encapsulated */
  decapsulate(ciphertext: Uint8Array): Uint8Array;
}

interface NodeKem {
  decapsulate(key: openssl.KeyObject, ciphertext: Uint8Array): Uint8Array;
}

/** RFC 9935, section 6: a private key that is given by its seed, in PKCS#8, is this prefix and the seed. */
const pkcs8 = () => Buffer.from("3054020100300b060960864801650304040204428040", "hex");

const nodeKem = (seed: Uint8Array, node: NodeKem): KemKey => {
  const key = openssl.createPrivateKey({ key: Buffer.concat([pkcs8(), seed]), format: "der", type: "pkcs8" });
  const spki = openssl.createPublicKey(key).export({ type: "spki", format: "der" });
  return {
    publicKey: new Uint8Array(spki.subarray(-kemKeyBytes)),
    decapsulate: (ciphertext) => new Uint8Array(node.decapsulate(key, ciphertext)),
  };
};

const nobleKem = (seed: Uint8Array): KemKey => {
  const { publicKey, secretKey } = ml_kem768.keygen(seed);
  return { publicKey, decapsulate: (ciphertext) => ml_kem768.decapsulate(ciphertext, secretKey) };
};

/** What this Node can expand a key with: @noble/post-quantum first. */
export const kemImplementations: readonly ((seed: Uint8Array) => KemKey)[] =
  "decapsulate" in openssl ? [nobleKem, (seed) => nodeKem(seed, openssl as unknown as NodeKem)] : [nobleKem];

/** ML-KEM.KeyGen_internal. @param seed - d, then z: 64 bytes */
export function kemKey(seed: Uint8Array): KemKey {
  if (seed.length !== kemSeedBytes) throw new RangeError("the seed of an ML-KEM key has 64 bytes");
  return kemImplementations.at(-1)!(seed);
}

/** ML-KEM.Encaps_internal. @param coins - m: 32 bytes, for this one key @throws on a key that `isKemKey` refuses */
export function encapsulate(
  publicKey: Uint8Array,
  coins: Uint8Array,
): { readonly ciphertext: Uint8Array; readonly secret: Uint8Array } {
  const { cipherText, sharedSecret } = ml_kem768.encapsulate(publicKey, coins);
  return { ciphertext: cipherText, secret: sharedSecret };
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

import { createCipheriv, hkdfSync } from "node:crypto";

/**
 * Masks: the AES-256-CTR keystream [SP800-38A] of a key that serves one purpose only, read as little-endian 64-bit
 * ring elements and added modulo 2^64. A key is derived for exactly one vector, so the counter starts at zero.
 */
const zeros = Buffer.alloc(64 * 1024);

/** HKDF-SHA256 [RFC5869] of a 32-byte secret for one purpose, which `info` names. */
export function deriveKey(secret: Uint8Array, info: string): Uint8Array {
  if (secret.length !== 32) throw new RangeError("a mask secret has 32 bytes");
  return new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(), info, 32));
}

/** Adds the keystream of `key` to `vector` in place, or subtracts it, modulo 2^64. */
export function addKeystream(vector: BigUint64Array, key: Uint8Array, sign: 1 | -1): void {
  const cipher = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
  const perBlock = zeros.length / 8;
  for (let start = 0; start < vector.length; start += perBlock) {
    const count = Math.min(perBlock, vector.length - start);
    const bytes = cipher.update(zeros.subarray(0, count * 8));
    const stream = aligned(bytes, count);
    if (sign === 1) for (let i = 0; i < count; i++) vector[start + i] = vector[start + i]! + stream[i]!;
    else for (let i = 0; i < count; i++) vector[start + i] = vector[start + i]! - stream[i]!;
  }
}

/** Node hands out pooled buffers that may start anywhere; a 64-bit view needs a multiple of eight. */
function aligned(bytes: Buffer, count: number): BigUint64Array {
  if (bytes.byteOffset % 8 === 0) return new BigUint64Array(bytes.buffer, bytes.byteOffset, count);
  return new BigUint64Array(new Uint8Array(bytes).buffer, 0, count);
}

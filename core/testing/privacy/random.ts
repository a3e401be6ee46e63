import { createCipheriv, createHash, randomBytes } from "node:crypto";
import type { RandomSource } from "../../src/random.js";

/** The same bytes for the same seed, everywhere: AES-256-CTR under its hash. */
export function seededRandom(seed: string): RandomSource {
  const key = createHash("sha256").update(seed).digest();
  const cipher = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
  return { bytes: (count) => new Uint8Array(cipher.update(Buffer.alloc(count))) };
}

/** The operating system's generator. */
export const systemRandom: RandomSource = { bytes: (count) => new Uint8Array(randomBytes(count)) };

/** Hands out the given words, little-endian, then those of `rest`. */
export function wordsThen(words: readonly number[], rest: RandomSource): RandomSource {
  let given = false;
  return {
    bytes(count) {
      const bytes = rest.bytes(count);
      if (!given) {
        const view = new DataView(bytes.buffer);
        words.forEach((word, index) => {
          view.setUint32(4 * index, word, true);
        });
        given = true;
      }
      return bytes;
    },
  };
}

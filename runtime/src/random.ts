import { randomBytes } from "node:crypto";
import type { RandomSource } from "@consilium/core/random";

/** The operating system's generator: the only source for keys, masks and noise that protect somebody. */
export const osRandom: RandomSource = {
  bytes(count) {
    const buffer = randomBytes(count);
    return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  },
};

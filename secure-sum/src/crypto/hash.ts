import { createHash } from "node:crypto";
import type { Sha256 } from "../ids.js";

/** SHA-256 of the concatenation of `parts`; text counts as its UTF-8 bytes. */
export function sha256(...parts: readonly (Uint8Array | string)[]): Sha256 {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex") as Sha256;
}

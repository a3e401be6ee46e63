import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Sha256 } from "@consilium/core/ids";

/** Length and SHA-256 of a file, in memory that does not grow with it. */
export async function hashFile(path: string): Promise<{ bytes: number; sha256: Sha256 }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const part of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const chunk = part as Buffer;
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") as Sha256 };
}

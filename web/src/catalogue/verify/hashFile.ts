import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** Files up to this size are held in memory: the browser's own SHA-256 is many times faster. */
const heldBytes = 64 * 1024 * 1024;

/**
 * Length and SHA-256 of a response body.
 * @param expectedBytes - the expected length; reading stops once a body exceeds it
 * @param progress - called with the number of bytes read
 */
export async function hashFile(
  response: Response,
  expectedBytes: number,
  progress: (readBytes: number) => void,
): Promise<{ bytes: number; sha256: string }> {
  if (response.body === null) return { bytes: 0, sha256: bytesToHex(sha256.create().digest()) };
  const isHeld = expectedBytes <= heldBytes;
  const held: Uint8Array[] = [];
  const streamed = sha256.create();
  let bytes = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    progress(bytes);
    if (bytes > expectedBytes) {
      await reader.cancel();
      return { bytes, sha256: "" };
    }
    if (isHeld) held.push(value);
    else streamed.update(value);
  }
  if (!isHeld) return { bytes, sha256: bytesToHex(streamed.digest()) };
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of held) {
    whole.set(part, at);
    at += part.length;
  }
  return { bytes, sha256: bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", whole))) };
}

/** A SHA-256 that grows. */
export function newHash() {
  const hash = sha256.create();
  return { update: (bytes: Uint8Array) => void hash.update(bytes), digest: () => bytesToHex(hash.digest()) };
}

/** The parts of a response's body as they come. */
export async function* partsOf(asked: Promise<Response>): AsyncGenerator<Uint8Array> {
  const { body } = await asked;
  if (body === null) return;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

import { createDecipheriv, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { invalidBackup } from "./invalid.js";

/**
 * Reads the encrypted backups of version 0.1.0, which nothing writes any more: `magic`, 16 bytes of salt, then frames of
 * 64 KiB, each AES-256-GCM under the nonce `counter (11 bytes, big-endian) ‖ last (1 byte)` [HRRV15]. The key is scrypt's (N = 2^17,
 * r = 8, p = 1) of passphrase and salt.
 */
export const sealedMagic = Buffer.from("consilium-sealed-1\n", "latin1");

const saltBytes = 16;
const tagBytes = 16;
const frameBytes = 64 * 1024 + tagBytes;

const deriveKey = promisify(scrypt) as (p: string, s: Uint8Array, n: number, o: object) => Promise<Buffer>;

/** @throws ConsiliumError BACKUP_INVALID: wrong passphrase, or a single bit was changed */
export async function* unsealed(
  chunks: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Uint8Array> {
  let key: Buffer | null = null;
  let held = Buffer.alloc(0);
  let counter = 0;
  for await (const chunk of chunks) {
    held = Buffer.concat([held, chunk]);
    const begin = sealedMagic.length + saltBytes;
    if (key === null && held.length >= begin) {
      const salt = held.subarray(sealedMagic.length, begin);
      const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };
      key = await deriveKey(passphrase.normalize("NFC"), salt, 32, cost);
      held = held.subarray(begin);
    }
    // The last frame is known by nothing following it.
    for (; key !== null && held.length > frameBytes; held = held.subarray(frameBytes)) {
      yield openFrame(key, counter++, held.subarray(0, frameBytes), false);
    }
  }
  if (key === null || held.length < tagBytes) throw invalidBackup("backup.why.truncated");
  yield openFrame(key, counter, held, true);
}

function openFrame(key: Buffer, counter: number, frame: Buffer, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(counter, 5, 6);
  nonce[11] = last ? 1 : 0;
  const decipher = createDecipheriv("aes-256-gcm", key, nonce);
  decipher.setAuthTag(frame.subarray(frame.length - tagBytes));
  try {
    return Buffer.concat([decipher.update(frame.subarray(0, frame.length - tagBytes)), decipher.final()]);
  } catch (cause) {
    throw invalidBackup(counter === 0 ? "backup.why.passphrase" : "backup.why.damaged", cause);
  }
}

import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { ByteReader, invalidBackup } from "./byteReader.js";

/**
 * A sealed stream: `magic`, 16 bytes of salt, then frames of 64 KiB, each AES-256-GCM under the nonce
 * `counter (11 bytes, big-endian) ‖ last (1 byte)`, as in STREAM [HRRV15], so that frames cannot be exchanged, repeated, left out
 * or cut off. The key is scrypt's (N = 2^17, r = 8, p = 1) of passphrase and salt, so it is used for this stream alone.
 */
export const sealMagic = Buffer.from("consilium-sealed-1\n", "latin1");

const saltBytes = 16;
const tagBytes = 16;
const frameBytes = 64 * 1024;
/** What guessing a passphrase costs: 128 MiB and about a third of a second. Tests that guess none take less. */
const workFactor = 2 ** 17;

const deriveKey = (passphrase: string, salt: Uint8Array, N: number): Promise<Buffer> =>
  (promisify(scrypt) as (p: string, s: Uint8Array, n: number, o: object) => Promise<Buffer>)(
    passphrase.normalize("NFC"),
    salt,
    32,
    { N, r: 8, p: 1, maxmem: 256 * 1024 * 1024 },
  );

function nonce(counter: number, last: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUIntBE(counter, 5, 6);
  bytes[11] = last ? 1 : 0;
  return bytes;
}

/** The chunks, sealed. */
export async function* sealed(
  chunks: AsyncIterable<Uint8Array>,
  passphrase: string,
  N = workFactor,
): AsyncGenerator<Uint8Array> {
  const salt = randomBytes(saltBytes);
  const key = await deriveKey(passphrase, salt, N);
  yield Buffer.concat([sealMagic, salt]);
  const reader = new ByteReader(chunks);
  let frame = await reader.upTo(frameBytes);
  for (let counter = 0; ; counter++) {
    const next = frame.length === frameBytes ? await reader.upTo(frameBytes) : new Uint8Array(0);
    const last = next.length === 0;
    const cipher = createCipheriv("aes-256-gcm", key, nonce(counter, last));
    yield Buffer.concat([cipher.update(frame), cipher.final(), cipher.getAuthTag()]);
    if (last) return;
    frame = next;
  }
}

/**
 * What a sealed stream holds. @param chunks - from behind the magic on
 * @throws ConsiliumError BACKUP_INVALID: another passphrase, or a single bit was changed
 */
export async function* unsealed(
  chunks: AsyncIterable<Uint8Array>,
  passphrase: string,
  N = workFactor,
): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(chunks);
  const key = await deriveKey(passphrase, await reader.read(saltBytes), N);
  const whole = frameBytes + tagBytes;
  let frame = await reader.upTo(whole);
  for (let counter = 0; ; counter++) {
    const next = frame.length === whole ? await reader.upTo(whole) : new Uint8Array(0);
    const last = next.length === 0;
    if (frame.length < tagBytes) throw invalidBackup("it ends too early");
    const decipher = createDecipheriv("aes-256-gcm", key, nonce(counter, last));
    decipher.setAuthTag(frame.subarray(frame.length - tagBytes));
    let text: Buffer;
    try {
      text = Buffer.concat([decipher.update(frame.subarray(0, frame.length - tagBytes)), decipher.final()]);
    } catch {
      throw invalidBackup(
        counter === 0 ? "the passphrase is another one, or it is damaged" : "it is damaged",
      );
    }
    yield text;
    if (last) return;
    frame = next;
  }
}

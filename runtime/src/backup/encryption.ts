import { ReadableStream } from "node:stream/web";
import { Decrypter, Encrypter } from "age-encryption";
import { backupFault } from "./invalid.js";

/** How every file in age's format begins (https://age-encryption.org/v1). */
export const ageMagic = Buffer.from("age-encryption.org/v1\n", "latin1");

/** What guessing a passphrase costs, as the binary logarithm of scrypt's N: 256 MiB and about a second. age's own default. */
const workFactorDefault = 18;

/** The chunks, encrypted in age's format with a passphrase: scrypt, then ChaCha20-Poly1305 in frames of 64 KiB. */
export async function* encrypted(
  chunks: AsyncIterable<Uint8Array>,
  passphrase: string,
  workFactor = workFactorDefault,
): AsyncGenerator<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase.normalize("NFC"));
  encrypter.setScryptWorkFactor(workFactor);
  yield* await encrypter.encrypt(ReadableStream.from(chunks));
}

/**
 * What an encrypted stream holds.
 * @throws ConsiliumError BACKUP_INVALID: wrong passphrase, or a single bit was changed
 */
export async function* decrypted(
  chunks: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Uint8Array> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase.normalize("NFC"));
  let begun = false;
  try {
    const content = await decrypter.decrypt(ReadableStream.from(chunks));
    begun = true;
    yield* content;
  } catch (thrown) {
    throw backupFault(thrown, begun ? "backup.why.damaged-or-truncated" : "backup.why.passphrase");
  }
}

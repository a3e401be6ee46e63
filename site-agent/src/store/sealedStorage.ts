import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { join } from "node:path";
import { faults } from "@consilium/core/fault";
import type { RandomSource } from "@consilium/core/random";
import { nameOf } from "@consilium/core/said";
import { readFileIfThere, writeFileDurable } from "@consilium/runtime/store/durableFile";
import type { SiteSays } from "@consilium/words/says/site";

const fault = faults<SiteSays>();

/**
 * Secrets of running studies at rest: AES-256-GCM under a key of the state folder. A copy of the database alone, as a
 * backup or a bug report may hold, tells nothing.
 */
export class SealedStorage {
  readonly #key: Uint8Array;
  readonly #random: RandomSource;

  private constructor(key: Uint8Array, random: RandomSource) {
    this.#key = key;
    this.#random = random;
  }

  /** Makes the key where there is none; one that cannot be read is a fault, never replaced. */
  static async open(stateFolder: string, random: RandomSource): Promise<SealedStorage> {
    const path = join(stateFolder, "state-key");
    const existing = await readFileIfThere(path);
    if (existing !== null) {
      if (existing.length !== 32) throw fault("STATE_MISSING", "store.key-damaged", { path: nameOf(path) });
      return new SealedStorage(new Uint8Array(existing), random);
    }
    const key = random.bytes(32);
    await writeFileDurable(path, key, { mode: 0o600 });
    return new SealedStorage(key, random);
  }

  /** A secret of 32 bytes for one purpose, the same as long as the state folder keeps its key. */
  derive(purpose: string): Uint8Array {
    return new Uint8Array(hkdfSync("sha256", this.#key, new Uint8Array(), `consilium ${purpose}`, 32));
  }

  /** @param place - names what is sealed; opening it as anything else fails */
  seal(place: string, plaintext: Uint8Array): Uint8Array {
    const nonce = this.#random.bytes(12);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    cipher.setAAD(Buffer.from(place));
    return new Uint8Array(
      Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]),
    );
  }

  /** @throws ConsiliumError INTERNAL when the stored bytes were changed, or belong elsewhere */
  open(place: string, sealed: Uint8Array): Uint8Array {
    try {
      const decipher = createDecipheriv("aes-256-gcm", this.#key, sealed.subarray(0, 12), {
        authTagLength: 16,
      });
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(sealed.subarray(sealed.length - 16));
      const body = sealed.subarray(12, sealed.length - 16);
      return new Uint8Array(Buffer.concat([decipher.update(body), decipher.final()]));
    } catch {
      throw fault("INTERNAL", "store.sealed", { place: nameOf(place) });
    }
  }
}

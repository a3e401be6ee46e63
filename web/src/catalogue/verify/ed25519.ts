import { base64Of } from "@consilium/core/bytes";

interface Asked {
  readonly key: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * Ed25519 [RFC8032] by WebCrypto for synchronous callers: `note` accepts everything and records each check, `answer`
 * asks the browser, `recall` returns its answers. A signature that was never noted is rejected.
 */
export class Ed25519 {
  readonly #asked = new Map<string, Asked>();
  readonly #right = new Set<string>();

  private constructor(
    /** Whether the browser supports Ed25519; otherwise every signature is accepted, and the caller must say so. */
    readonly isThere: boolean,
  ) {}

  static async make(): Promise<Ed25519> {
    // RFC 8032 section 7.1, test 1: the empty message.
    const known: Asked = {
      key: hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"),
      message: new Uint8Array(),
      signature: hex(
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155" +
          "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
      ),
    };
    return new Ed25519(await isRight(known).catch(() => false));
  }

  readonly note = (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
    const asked = { key, message, signature };
    this.#asked.set(nameOf(asked), asked);
    return true;
  };

  async answer(): Promise<void> {
    if (!this.isThere) return;
    for (const [name, asked] of this.#asked) {
      if (await isRight(asked).catch(() => false)) this.#right.add(name);
    }
  }

  readonly recall = (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
    !this.isThere || this.#right.has(nameOf({ key, message, signature }));
}

const nameOf = ({ key, message, signature }: Asked) => [key, message, signature].map(base64Of).join(".");

async function isRight({ key, message, signature }: Asked): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const imported = await subtle.importKey("raw", Uint8Array.from(key), "Ed25519", false, ["verify"]);
  return subtle.verify("Ed25519", imported, Uint8Array.from(signature), Uint8Array.from(message));
}

function hex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

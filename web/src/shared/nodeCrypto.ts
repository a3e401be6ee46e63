import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/**
 * Replaces `node:crypto` for core/ in a browser: hashing works, operations with keys do not. The pages only use
 * hashing; the build substitutes this file for the module.
 */
export function createHash(algorithm: string) {
  if (algorithm !== "sha256") throw new RangeError(`a browser page computes SHA-256 only, not ${algorithm}`);
  const hash = sha256.create();
  const self = {
    update(part: Uint8Array | string) {
      hash.update(typeof part === "string" ? new TextEncoder().encode(part) : part);
      return self;
    },
    digest(encoding: "hex") {
      const digest = hash.digest();
      return encoding === "hex" ? bytesToHex(digest) : digest;
    },
  };
  return self;
}

const notHere = (): never => {
  throw new RangeError("not available in a browser");
};

export {
  notHere as createCipheriv,
  notHere as createDecipheriv,
  notHere as createHmac,
  notHere as createPrivateKey,
  notHere as createPublicKey,
  notHere as diffieHellman,
  notHere as generateKeyPairSync,
  notHere as hkdfSync,
  notHere as randomBytes,
  notHere as sign,
  notHere as timingSafeEqual,
  notHere as verify,
};

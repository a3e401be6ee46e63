import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/**
 * What core/ takes of `node:crypto`, in a browser: hashing works, whatever would need a key does not. The pages reach
 * only what hashes; the build puts this file in that module's place.
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
  throw new RangeError("this is not done in a browser");
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

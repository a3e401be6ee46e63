import { deriveKey, type MaskKey } from "./crypto/keystream.js";
import { agreedKey, type ExchangePrivateKey } from "./crypto/seal.js";
import type { Sha256, SiteId } from "./ids.js";

export { addMasks, type MaskKey } from "./crypto/keystream.js";

/**
 * The mask of two neighbours, as `own` adds it to its vector: the site with the lower id adds the keystream, the other
 * one takes it away, so that it vanishes from a sum with both [BIK17, section 4].
 * @param maskPrivate - X25519, of `own`
 * @param otherPublic - X25519, of `other`; throws when it is of low order
 */
export function pairwiseMask(options: {
  readonly transcript: Sha256;
  readonly own: SiteId;
  readonly maskPrivate: Uint8Array | ExchangePrivateKey;
  readonly other: SiteId;
  readonly otherPublic: Uint8Array;
}): MaskKey {
  const { transcript, own, other } = options;
  const [low, high] = own < other ? [own, other] : [other, own];
  const info = `consilium pairwise mask v1\n${transcript}\n${low}\n${high}`;
  return { key: agreedKey(options.maskPrivate, options.otherPublic, info), sign: own === low ? 1 : -1 };
}

/** A site's own mask, which leaves the sum when its seed is joined: it hides the vector of a site that was only slow. */
export function selfMask(transcript: Sha256, site: SiteId, seed: Uint8Array): MaskKey {
  return { key: deriveKey(seed, `consilium self mask v1\n${transcript}\n${site}`), sign: 1 };
}

/** The same keystream, to be taken away where the mask added it. */
export function opposite(mask: MaskKey): MaskKey {
  return { key: mask.key, sign: mask.sign === 1 ? -1 : 1 };
}

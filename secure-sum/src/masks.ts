import { deriveKey, type MaskKey } from "./crypto/keystream.js";
import type { Sha256, SiteId } from "./ids.js";

export { addMasks, type MaskKey } from "./crypto/keystream.js";

/** Of two neighbours, the one with the lower id encapsulates a secret to the other's mask key. */
export const encapsulatesTo = (own: SiteId, other: SiteId): boolean => own < other;

/**
 * The mask of two neighbours, as `own` adds it to its vector: the site with the lower id adds the keystream, the other
 * one takes it away, so that it vanishes from a sum with both [BIK17, section 4].
 * @param agreed - the X25519 secret of both mask keys
 * @param secret - what one of the two has encapsulated to the other
 */
export function pairwiseMask(options: {
  readonly transcript: Sha256;
  readonly own: SiteId;
  readonly other: SiteId;
  readonly agreed: Uint8Array;
  readonly secret: Uint8Array;
}): MaskKey {
  const { transcript, own, other, agreed, secret } = options;
  const [low, high] = own < other ? [own, other] : [other, own];
  const info = `consilium pairwise mask v2\n${transcript}\n${low}\n${high}`;
  return { key: deriveKey(Buffer.concat([agreed, secret]), info), sign: own === low ? 1 : -1 };
}

/** A site's own mask, which leaves the sum when its seed is joined: it hides the vector of a site that was only slow. */
export function selfMask(transcript: Sha256, site: SiteId, seed: Uint8Array): MaskKey {
  return { key: deriveKey(seed, `consilium self mask v1\n${transcript}\n${site}`), sign: 1 };
}

/** The same keystream, to be taken away where the mask added it. */
export function opposite(mask: MaskKey): MaskKey {
  return { key: mask.key, sign: mask.sign === 1 ? -1 : 1 };
}

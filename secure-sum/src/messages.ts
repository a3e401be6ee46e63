import type { SiteId } from "./ids.js";

/**
 * What sites and aggregator say to each other in one attempt at one secure sum [BIK17, figure 4]. Every public part is
 * signed by the site's enrolled identity; SPEC.md has the bytes that are signed.
 *
 *   keys        every site advertises two fresh keys
 *   shares      to everybody's keys: a commitment to its self mask, and for each neighbour sealed shares of its secrets,
 *               with a ciphertext for the neighbour's mask key
 *   masked      to everybody's shares: the masked vector, with a signature on the transcript that it saw
 *   survivors   to the list of those whose vector came: an answer at once when nobody is missing, else a signature on it
 *   unmask      to a threshold of equal signatures: one share of one secret for each site that shared
 */
export type SumPhase = "keys" | "shares" | "masked" | "survivors" | "unmask";

/** A site's keys for one attempt: one to agree on pairwise masks with, one to seal shares for. */
export interface KeysPost {
  /**
   * X25519 and ML-KEM-768, 1,216 bytes; its secret is shared. A site is told only the hash, 32 bytes, of the key of one
   * that is no neighbour.
   */
  readonly maskKey: Uint8Array;
  /** X25519, 32 bytes. Its private half never leaves the site. */
  readonly sealKey: Uint8Array;
  /** Ed25519, 64 bytes. */
  readonly signature: Uint8Array;
}

export interface AdvertisedKeys extends KeysPost {
  readonly site: SiteId;
}

/** A site's shares of its two secrets, for each of its neighbours. */
export interface SharesPost {
  /** SHA-256 commitment to the seed of the self mask, 32 bytes: what is joined from shares can be checked. */
  readonly selfMaskCommitment: Uint8Array;
  /** Of each ciphertext in the envelopes 16 bytes of a hash, by the receivers' ids. */
  readonly ciphertexts: Uint8Array;
  /** Ed25519, 64 bytes. */
  readonly signature: Uint8Array;
  /** One for each neighbour in the graph: sealed shares, and before them a ciphertext to a neighbour with a higher id. */
  readonly envelopes: readonly { readonly to: SiteId; readonly sealed: Uint8Array }[];
}

/** What one site is given of another's shares. */
export interface DeliveredShares {
  readonly from: SiteId;
  readonly selfMaskCommitment: Uint8Array;
  /** As posted, for a site that is sent one of the ciphertexts; for the others their hash, 32 bytes. */
  readonly ciphertexts: Uint8Array;
  readonly signature: Uint8Array;
  /** Null from a site that is no neighbour. */
  readonly sealed: Uint8Array | null;
}

/** That a site sent a masked vector under the transcript that it saw. */
export interface SurvivorProof {
  readonly site: SiteId;
  /** Ed25519, 64 bytes, on the transcript. */
  readonly transcriptSignature: Uint8Array;
}

/** That a site takes these survivors, and no others, as final. */
export interface SurvivorsSignature {
  readonly site: SiteId;
  /** Ed25519, 64 bytes. */
  readonly signature: Uint8Array;
}

/** One share of one of a site's secrets: of a survivor its self mask's seed, of a dropped site its mask key's secret. */
export interface RevealedShare {
  readonly of: SiteId;
  readonly secret: "self-mask" | "mask-key";
  /** 32 bytes; its index is the revealing site's place among the owner's neighbours. */
  readonly share: Uint8Array;
}

export interface UnmaskPost {
  readonly shares: readonly RevealedShare[];
}

import * as limits from "@consilium/core/limits";
import type {
  AdvertisedKeys,
  DeliveredShares,
  KeysPost,
  RevealedShare,
  SharesPost,
  SurvivorProof,
  SurvivorsSignature,
} from "@consilium/secure-sum/messages";
import { bytesOf, exactBytes, listOf, present, siteIdOf } from "./fields.js";
import type { DeliveredShares as WireDelivered } from "./generated/consilium/v1/DeliveredShares.js";
import type {
  RevealedShare__Output,
  RevealedShare as WireRevealed,
} from "./generated/consilium/v1/RevealedShare.js";
import type { SiteKeys as WireSiteKeys } from "./generated/consilium/v1/SiteKeys.js";
import type { SumKeys as WireKeys } from "./generated/consilium/v1/SumKeys.js";
import type { SumShares__Output, SumShares as WireShares } from "./generated/consilium/v1/SumShares.js";
import type { SurvivorProof as WireProof } from "./generated/consilium/v1/SurvivorProof.js";
import type { SurvivorsSignature as WireSignature } from "./generated/consilium/v1/SurvivorsSignature.js";
import { keyBytes, signatureBytes } from "./secureSum.js";

/** The secure sum's messages as the aggregator writes and reads them, and what a site posts: the gate writes a true site's posts itself. Reading throws FIELD_INVALID. */

export function keysToWire(post: KeysPost): WireKeys {
  return {
    maskKey: Buffer.from(post.maskKey),
    sealKey: Buffer.from(post.sealKey),
    signature: Buffer.from(post.signature),
  };
}

export function siteKeysToWire(keys: readonly AdvertisedKeys[]): WireSiteKeys[] {
  return keys.map((one) => ({ siteId: one.site, keys: keysToWire(one) }));
}

export function deliveredToWire(shares: readonly DeliveredShares[]): WireDelivered[] {
  return shares.map((one) => ({
    from: one.from,
    selfMaskCommitment: Buffer.from(one.selfMaskCommitment),
    ciphertexts: Buffer.from(one.ciphertexts),
    signature: Buffer.from(one.signature),
    sealed: Buffer.from(one.sealed ?? new Uint8Array()),
  }));
}

export function proofsToWire(survivors: readonly SurvivorProof[]): WireProof[] {
  return survivors.map((one) => ({
    siteId: one.site,
    transcriptSignature: Buffer.from(one.transcriptSignature),
  }));
}

export function signaturesToWire(signatures: readonly SurvivorsSignature[]): WireSignature[] {
  return signatures.map((one) => ({ siteId: one.site, signature: Buffer.from(one.signature) }));
}

export function sharesToWire(post: SharesPost): WireShares {
  return {
    selfMaskCommitment: Buffer.from(post.selfMaskCommitment),
    ciphertexts: Buffer.from(post.ciphertexts),
    signature: Buffer.from(post.signature),
    envelopes: post.envelopes.map(({ to, sealed }) => ({ to, sealed: Buffer.from(sealed) })),
  };
}

export function revealedToWire(shares: readonly RevealedShare[]): WireRevealed[] {
  return shares.map((one) => ({
    of: one.of,
    selfMask: one.secret === "self-mask",
    share: Buffer.from(one.share),
  }));
}

export function sharesOf(wire: SumShares__Output | null | undefined, field: string): SharesPost {
  const shares = present(wire, field);
  return {
    selfMaskCommitment: exactBytes(shares.selfMaskCommitment, `${field}.self_mask_commitment`, keyBytes),
    ciphertexts: bytesOf(shares.ciphertexts, `${field}.ciphertexts`, { max: limits.maxDigestsBytes }),
    signature: exactBytes(shares.signature, `${field}.signature`, signatureBytes),
    envelopes: listOf(shares.envelopes, `${field}.envelopes`, limits.maxSites, (envelope) => ({
      to: siteIdOf(envelope.to),
      sealed: bytesOf(envelope.sealed, `${field}.envelopes.sealed`, { min: 1, max: limits.maxSealedBytes }),
    })),
  };
}

export function revealedOf(wire: readonly RevealedShare__Output[], field: string): RevealedShare[] {
  return listOf(wire, field, limits.maxSites, (one) => ({
    of: siteIdOf(one.of),
    secret: one.selfMask ? "self-mask" : "mask-key",
    share: exactBytes(one.share, `${field}.share`, keyBytes),
  }));
}

import * as limits from "@consilium/core/limits";
import { exchangeKeyBytes } from "@consilium/secure-sum/crypto/exchange";
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
import type {
  DeliveredShares__Output,
  DeliveredShares as WireDelivered,
} from "./generated/consilium/v1/DeliveredShares.js";
import type {
  RevealedShare__Output,
  RevealedShare as WireRevealed,
} from "./generated/consilium/v1/RevealedShare.js";
import type { SiteKeys__Output, SiteKeys as WireSiteKeys } from "./generated/consilium/v1/SiteKeys.js";
import type { SumKeys__Output, SumKeys as WireKeys } from "./generated/consilium/v1/SumKeys.js";
import type { SumShares__Output, SumShares as WireShares } from "./generated/consilium/v1/SumShares.js";
import type {
  SurvivorProof__Output,
  SurvivorProof as WireProof,
} from "./generated/consilium/v1/SurvivorProof.js";
import type {
  SurvivorsSignature__Output,
  SurvivorsSignature as WireSignature,
} from "./generated/consilium/v1/SurvivorsSignature.js";

/** The secure sum's messages between their wire form and ours, for both sides. Reading throws FIELD_INVALID. */

const keyBytes = 32;
const signatureBytes = 64;

export function keysToWire(post: KeysPost): WireKeys {
  return {
    maskKey: Buffer.from(post.maskKey),
    sealKey: Buffer.from(post.sealKey),
    signature: Buffer.from(post.signature),
  };
}

export function keysOf(
  wire: SumKeys__Output | null | undefined,
  field: string,
  maskKeyBytes = exchangeKeyBytes,
): KeysPost {
  const keys = present(wire, field);
  return {
    maskKey: exactBytes(keys.maskKey, `${field}.mask_key`, maskKeyBytes),
    sealKey: exactBytes(keys.sealKey, `${field}.seal_key`, keyBytes),
    signature: exactBytes(keys.signature, `${field}.signature`, signatureBytes),
  };
}

export function siteKeysToWire(keys: readonly AdvertisedKeys[]): WireSiteKeys[] {
  return keys.map((one) => ({ siteId: one.site, keys: keysToWire(one) }));
}

export function siteKeysOf(wire: readonly SiteKeys__Output[], field: string): AdvertisedKeys[] {
  return listOf(wire, field, limits.maxSites, (one) => {
    const keys = present(one.keys, field);
    // Of no neighbour: a hash, in place of the key.
    const isHash = keys.maskKey.length === keyBytes;
    return { site: siteIdOf(one.siteId), ...keysOf(keys, field, isHash ? keyBytes : exchangeKeyBytes) };
  });
}

export function sharesToWire(post: SharesPost): WireShares {
  return {
    selfMaskCommitment: Buffer.from(post.selfMaskCommitment),
    ciphertexts: Buffer.from(post.ciphertexts),
    signature: Buffer.from(post.signature),
    envelopes: post.envelopes.map(({ to, sealed }) => ({ to, sealed: Buffer.from(sealed) })),
  };
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

export function deliveredToWire(shares: readonly DeliveredShares[]): WireDelivered[] {
  return shares.map((one) => ({
    from: one.from,
    selfMaskCommitment: Buffer.from(one.selfMaskCommitment),
    ciphertexts: Buffer.from(one.ciphertexts),
    signature: Buffer.from(one.signature),
    sealed: Buffer.from(one.sealed ?? new Uint8Array()),
  }));
}

export function deliveredOf(wire: readonly DeliveredShares__Output[], field: string): DeliveredShares[] {
  return listOf(wire, field, limits.maxSites, (one) => ({
    from: siteIdOf(one.from),
    selfMaskCommitment: exactBytes(one.selfMaskCommitment, `${field}.self_mask_commitment`, keyBytes),
    ciphertexts: bytesOf(one.ciphertexts, `${field}.ciphertexts`, { max: limits.maxDigestsBytes }),
    signature: exactBytes(one.signature, `${field}.signature`, signatureBytes),
    sealed:
      one.sealed.length === 0 ? null : bytesOf(one.sealed, `${field}.sealed`, { max: limits.maxSealedBytes }),
  }));
}

export function proofsToWire(survivors: readonly SurvivorProof[]): WireProof[] {
  return survivors.map((one) => ({
    siteId: one.site,
    transcriptSignature: Buffer.from(one.transcriptSignature),
  }));
}

export function proofsOf(wire: readonly SurvivorProof__Output[], field: string): SurvivorProof[] {
  return listOf(wire, field, limits.maxSites, (one) => ({
    site: siteIdOf(one.siteId),
    transcriptSignature: exactBytes(one.transcriptSignature, `${field}.transcript_signature`, signatureBytes),
  }));
}

export function signaturesToWire(signatures: readonly SurvivorsSignature[]): WireSignature[] {
  return signatures.map((one) => ({ siteId: one.site, signature: Buffer.from(one.signature) }));
}

export function signaturesOf(
  wire: readonly SurvivorsSignature__Output[],
  field: string,
): SurvivorsSignature[] {
  return listOf(wire, field, limits.maxSites, (one) => ({
    site: siteIdOf(one.siteId),
    signature: exactBytes(one.signature, `${field}.signature`, signatureBytes),
  }));
}

export function revealedToWire(shares: readonly RevealedShare[]): WireRevealed[] {
  return shares.map((one) => ({
    of: one.of,
    selfMask: one.secret === "self-mask",
    share: Buffer.from(one.share),
  }));
}

export function revealedOf(wire: readonly RevealedShare__Output[], field: string): RevealedShare[] {
  return listOf(wire, field, limits.maxSites, (one) => ({
    of: siteIdOf(one.of),
    secret: one.selfMask ? "self-mask" : "mask-key",
    share: exactBytes(one.share, `${field}.share`, keyBytes),
  }));
}

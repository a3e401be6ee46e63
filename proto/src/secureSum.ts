import * as limits from "@consilium/core/limits";
import { exchangeKeyBytes } from "@consilium/secure-sum/crypto/exchange";
import type {
  AdvertisedKeys,
  DeliveredShares,
  KeysPost,
  SurvivorProof,
  SurvivorsSignature,
} from "@consilium/secure-sum/messages";
import { bytesOf, exactBytes, listOf, present, siteIdOf } from "./fields.js";
import type { DeliveredShares__Output } from "./generated/consilium/v1/DeliveredShares.js";
import type { SiteKeys__Output } from "./generated/consilium/v1/SiteKeys.js";
import type { SumKeys__Output } from "./generated/consilium/v1/SumKeys.js";
import type { SurvivorProof__Output } from "./generated/consilium/v1/SurvivorProof.js";
import type { SurvivorsSignature__Output } from "./generated/consilium/v1/SurvivorsSignature.js";

/** The secure sum's messages as a site reads them from their wire form. Reading throws FIELD_INVALID. */

export const keyBytes = 32;
export const signatureBytes = 64;

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

export function siteKeysOf(wire: readonly SiteKeys__Output[], field: string): AdvertisedKeys[] {
  return listOf(wire, field, limits.maxSites, (one) => {
    const keys = present(one.keys, field);
    // Of no neighbour: a hash, in place of the key.
    const isHash = keys.maskKey.length === keyBytes;
    return { site: siteIdOf(one.siteId), ...keysOf(keys, field, isHash ? keyBytes : exchangeKeyBytes) };
  });
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

export function proofsOf(wire: readonly SurvivorProof__Output[], field: string): SurvivorProof[] {
  return listOf(wire, field, limits.maxSites, (one) => ({
    site: siteIdOf(one.siteId),
    transcriptSignature: exactBytes(one.transcriptSignature, `${field}.transcript_signature`, signatureBytes),
  }));
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

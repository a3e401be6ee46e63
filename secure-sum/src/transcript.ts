import { hex, unhex } from "./bytes.js";
import { sha256 } from "./crypto/hash.js";
import type { Sha256, SiteId, StageId } from "./ids.js";
import type { AdvertisedKeys, SharesPost } from "./messages.js";
import { byId } from "./neighbours.js";
import type { SumParameters } from "./parameters.js";
import type { RingBits } from "./ring.js";
import type { Roster } from "./roster.js";

/** One attempt at one secure sum. */
export interface SumPlace {
  /** Of the study, in full: its size decides the threshold, no matter who takes part in this attempt. */
  readonly roster: Roster;
  readonly stage: StageId;
  /** From 1. */
  readonly attempt: number;
  readonly ringBits: RingBits;
  /** Entries of the vector. */
  readonly length: number;
  readonly parameters: SumParameters;
}

/** A site's two public keys in one attempt. */
export type PublicKeys = Pick<AdvertisedKeys, "site" | "maskKey" | "sealKey">;
/** What everybody is told of a site's shares: of its ciphertexts the hash. */
export type Commitments = Pick<SharesPost, "selfMaskCommitment" | "ciphertexts">;

/** Everything that sets this attempt apart from all others, one a line: what is signed for one is of no use in another. */
function placeLines(place: SumPlace): string {
  const { roster, stage, attempt, ringBits, length, parameters } = place;
  const { sites, threshold, graph, shareThreshold } = parameters;
  return [
    roster.studyId,
    roster.studyHash,
    roster.hash,
    stage,
    attempt,
    `ring ${ringBits} length ${length}`,
    `sites ${sites} threshold ${threshold} share-threshold ${shareThreshold}`,
    graph.kind === "complete" ? "complete" : `circulant ${graph.degree}`,
  ].join("\n");
}

/** What a site signs when it advertises keys. */
export function keysMessage(place: SumPlace, keys: PublicKeys): Uint8Array {
  return Buffer.from(`consilium sum keys v2\n${placeLines(place)}\n${keyLine(keys)}`);
}

function keyLine({ site, maskKey, sealKey }: PublicKeys): string {
  return `${site} ${hex(keyDigest(maskKey))} ${hex(sealKey)}`;
}

/** The hash of a mask key: all that a site is told of the key of one that is no neighbour, and what is signed of each. */
export function keyDigest(maskKey: Uint8Array): Uint8Array {
  return maskKey.length === digestBytes ? maskKey : unhex(sha256(maskKey));
}

export const digestBytes = 32;

/** The hash of a list of keys, in order of ids whatever the order of the list. */
export function keyListHash(place: SumPlace, keys: readonly PublicKeys[]): Sha256 {
  const lines = keys.toSorted((a, b) => byId(a.site, b.site)).map(keyLine);
  return sha256(`consilium sum key list v2\n${placeLines(place)}\n`, lines.join("\n"));
}

/** What a site signs when it shares: its commitments, for the keys that it saw. */
export function sharesMessage(keysHash: Sha256, site: SiteId, commitments: Commitments): Uint8Array {
  return Buffer.from(`consilium sum shares v2\n${keysHash}\n${sharesLine(site, commitments)}`);
}

function sharesLine(site: SiteId, { selfMaskCommitment, ciphertexts }: Commitments): string {
  return `${site} ${hex(selfMaskCommitment)} ${hex(ciphertexts)}`;
}

/** Of a ciphertext that a site sends with an envelope: no other has the same, so long as signatures have to hold. */
export function ciphertextDigest(to: SiteId, ciphertext: Uint8Array): Uint8Array {
  return unhex(sha256(`consilium sum ciphertext v1\n${to}\n`, ciphertext)).subarray(0, 16);
}

export function ciphertextsHash(digests: Uint8Array): Uint8Array {
  return unhex(sha256("consilium sum ciphertexts v1\n", digests));
}

/** Commitment to the seed of a self mask: binding and, the seed having 256 random bits, hiding. */
export function selfMaskCommitment(place: SumPlace, site: SiteId, seed: Uint8Array): Uint8Array {
  return unhex(sha256(`consilium self mask commitment v1\n${placeLines(place)}\n${site}\n`, seed));
}

/**
 * The transcript of an attempt up to the masked vector: what all sites whose vectors are added must have seen alike.
 * Keys and commitments enter in order of ids.
 * @param sharing - the sites that shared, with their commitments
 * @param broadcastsHash - of everything broadcast in the study so far
 */
export function transcriptHash(
  place: SumPlace,
  seen: {
    readonly keysHash: Sha256;
    readonly sharing: ReadonlyMap<SiteId, Commitments>;
    readonly broadcastsHash: Sha256;
  },
): Sha256 {
  const lines = [...seen.sharing.entries()]
    .sort(([a], [b]) => byId(a, b))
    .map(([site, commitments]) => sharesLine(site, commitments));
  return sha256(
    `consilium sum transcript v2\n${placeLines(place)}\n${seen.keysHash}\n${seen.broadcastsHash}\n`,
    lines.join("\n"),
  );
}

/** What a site signs with its masked vector. */
export function transcriptMessage(transcript: Sha256, site: SiteId): Uint8Array {
  return Buffer.from(`consilium sum masked v1\n${transcript}\n${site}`);
}

/** What a site signs when it takes a list of survivors as final; the same for all of them. */
export function survivorsMessage(transcript: Sha256, survivors: readonly SiteId[]): Uint8Array {
  return Buffer.from(`consilium sum survivors v1\n${transcript}\n${survivors.toSorted(byId).join("\n")}`);
}

import { addMasks, deriveKey } from "./crypto/keystream.js";
import type { Sha256, SiteId, StageId } from "./ids.js";
import type { RandomSource } from "./random.js";
import type { Roster } from "./roster.js";

/**
 * ELFedPCA's own masking [ZY22, step 1], for the paper variant: one site, the dealer, draws masks that sum to zero
 * and gives every other site its own. Ours are uniform in the ring Z_2^64 rather than real numbers.
 *
 * The dealer draws one 32-byte seed for each other site and seals it to that site. A site's mask for a stage is the
 * keystream of a key derived from its seed, the roster, the stage and everything broadcast so far; the dealer's own is
 * minus the sum of all others'. So the masks of one vector sum to zero exactly when all sites were sent the same
 * broadcasts, no two vectors share a mask, and what travels stays small. An aggregator that sends one site other
 * broadcasts than the rest gets a sum that is uniformly random.
 *
 * What it does not do, by design of the method: the dealer knows every mask, and any site that leaves ends the stage.
 */
export type MaskSecret =
  | { readonly role: "receiver"; readonly seed: Uint8Array }
  | { readonly role: "dealer"; readonly seeds: ReadonlyMap<SiteId, Uint8Array> };

/** The vector that a dealt mask is for. */
export interface DealtPlace {
  readonly roster: Roster;
  readonly stage: StageId;
  readonly attempt: number;
  /** `broadcastsHash` of everything that this site was sent up to the stage, the stage's own included. */
  readonly broadcastsHash: Sha256;
}

/** With two sites the dealt mask is known to both; with one there is nobody to hide from. */
const minimumDealtSites = 3;

/** The roster's second site by id: site 2 of the article. */
export function dealerOf(roster: Roster): SiteId {
  if (roster.members.length < minimumDealtSites) {
    throw new RangeError(`dealt masks need at least ${minimumDealtSites} sites`);
  }
  return roster.members[1]!.site;
}

/** Draws the seeds of all sites but the dealer. */
export function dealSeeds(roster: Roster, random: RandomSource): ReadonlyMap<SiteId, Uint8Array> {
  const dealer = dealerOf(roster);
  return new Map(
    roster.members.filter((m) => m.site !== dealer).map((m) => [m.site, random.bytes(32)] as const),
  );
}

/** Adds this site's mask for one stage to its vector, in place. */
export function addDealtMask(vector: BigUint64Array, secret: MaskSecret, place: DealtPlace): void {
  const seeds = secret.role === "receiver" ? [secret.seed] : [...secret.seeds.values()];
  const sign = secret.role === "receiver" ? 1 : -1;
  addMasks(
    vector,
    seeds.map((seed) => ({ key: stageKey(seed, place), sign })),
  );
}

function stageKey(seed: Uint8Array, { roster, stage, attempt, broadcastsHash }: DealtPlace): Uint8Array {
  return deriveKey(seed, `consilium dealt mask v2\n${roster.hash}\n${stage}\n${attempt}\n${broadcastsHash}`);
}

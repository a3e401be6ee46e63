import { equalBytes, unhex } from "./bytes.js";
import { sha256 } from "./crypto/hash.js";
import { deriveKey } from "./crypto/keystream.js";
import { SumError } from "./errors.js";
import type { Sha256, SiteId, StageId } from "./ids.js";
import { err, ok, type Result } from "./result.js";
import type { Roster } from "./roster.js";

/**
 * A seed that all sites of a roster know, that the aggregator does not, and that no one site could choose: every site
 * draws 32 bytes and commits to them before any is revealed [Blum 1983]; the seed is the hash of all of them.
 */
export const seedShareBytes = 32;

/** A site's commitment to its share: binding and, the share having 256 random bits, hiding. */
export function commitment(roster: Roster, site: SiteId, share: Uint8Array): Uint8Array {
  return unhex(sha256(`consilium seed commitment v1\n${roster.hash}\n${site}\n`, share));
}

/** Joins the revealed shares to 32 bytes; COMMITMENT_BROKEN when one is missing or not the one committed to. */
export function joinShares(
  roster: Roster,
  commitments: ReadonlyMap<SiteId, Uint8Array>,
  shares: ReadonlyMap<SiteId, Uint8Array>,
): Result<Uint8Array, SumError> {
  const parts: Uint8Array[] = [];
  for (const { site } of roster.members) {
    const share = shares.get(site);
    const committed = commitments.get(site);
    const holds =
      share !== undefined &&
      committed !== undefined &&
      share.length === seedShareBytes &&
      equalBytes(committed, commitment(roster, site, share));
    if (!holds) {
      const what = `study ${roster.studyId}: site ${site} did not reveal what it committed to`;
      return err(new SumError("COMMITMENT_BROKEN", what));
    }
    parts.push(share);
  }
  return ok(unhex(sha256(`consilium shared seed v1\n${roster.hash}\n`, ...parts)));
}

/**
 * What a method draws from at one stage in place of the shared seed itself: sites that were sent different broadcasts
 * hold unrelated seeds, so that nothing which they make from them cancels or matches.
 * @param place - `broadcastsHash` is of everything broadcast up to the stage, the stage's own included
 * @returns 32 bytes
 */
export function stageSeed(
  sharedSeed: Uint8Array,
  place: { readonly roster: Roster; readonly stage: StageId; readonly broadcastsHash: Sha256 },
): Uint8Array {
  const { roster, stage, broadcastsHash } = place;
  return deriveKey(sharedSeed, `consilium stage seed v1\n${roster.hash}\n${stage}\n${broadcastsHash}`);
}

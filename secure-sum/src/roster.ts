import { hex } from "./bytes.js";
import { isExchangeKey } from "./crypto/exchange.js";
import { sha256 } from "./crypto/hash.js";
import { verifyMessage } from "./crypto/sign.js";
import { SumError } from "./errors.js";
import type { Sha256, SiteId, StudyId } from "./ids.js";
import { err, ok, type Result } from "./result.js";

/** One site of a study: its enrolled signing key and the key it drew for this study's sealed messages. */
export interface RosterMember {
  readonly site: SiteId;
  /** Ed25519, 32 bytes; the caller has checked the certificate that carries it. */
  readonly signingKey: Uint8Array;
  /** X25519 and ML-KEM-768, 1,216 bytes, fresh for this study. */
  readonly exchangeKey: Uint8Array;
}

/** The sites of a study, ordered by id; fixed before the first step and bound into everything after it. */
export interface Roster {
  readonly studyId: StudyId;
  readonly studyHash: Sha256;
  readonly members: readonly RosterMember[];
  readonly hash: Sha256;
}

/** What a site signs when it joins: its exchange key is for this study and no other. */
export function joinMessage(
  studyId: StudyId,
  studyHash: Sha256,
  site: SiteId,
  exchangeKey: Uint8Array,
): Uint8Array {
  return Buffer.from(`consilium join v2\n${studyId}\n${studyHash}\n${site}\n${hex(exchangeKey)}`);
}

/**
 * Builds the roster that a site continues with, from members whose certificates are already verified.
 * @returns ROSTER_INVALID when ids repeat or are not in order, a key has the wrong size, or a join is not signed by
 *   its site; ROSTER_TOO_SMALL below `minimumSites`
 */
export function buildRoster(
  study: { readonly id: StudyId; readonly hash: Sha256; readonly minimumSites: number },
  members: readonly (RosterMember & { readonly joinSignature: Uint8Array })[],
): Result<Roster, SumError> {
  if (members.length < study.minimumSites) {
    const what = `${members.length} sites take part, the minimum is ${study.minimumSites}`;
    return err(new SumError("ROSTER_TOO_SMALL", `study ${study.id}: ${what}`));
  }
  for (const [index, member] of members.entries()) {
    const before = members[index - 1];
    const isSorted = before === undefined || before.site < member.site;
    const fault = isSorted ? joinFault(study, member) : "the roster's ids are not sorted and unique";
    if (fault !== null)
      return err(new SumError("ROSTER_INVALID", `study ${study.id}, site ${member.site}: ${fault}`));
  }
  const lines = members.map((m) => `${m.site} ${hex(m.signingKey)} ${hex(m.exchangeKey)}`);
  const hash = sha256(`consilium roster v2\n${study.id}\n${study.hash}\n`, lines.join("\n"));
  const plain = members.map(({ site, signingKey, exchangeKey }) => ({ site, signingKey, exchangeKey }));
  return ok({ studyId: study.id, studyHash: study.hash, members: plain, hash });
}

/** What is wrong with a site's joining, in words, or null: the aggregator asks before it takes the site on the roster. */
export function joinFault(
  study: { readonly id: StudyId; readonly hash: Sha256 },
  member: RosterMember & { readonly joinSignature: Uint8Array },
): string | null {
  if (!isExchangeKey(member.exchangeKey)) return "invalid exchange key";
  const message = joinMessage(study.id, study.hash, member.site, member.exchangeKey);
  if (!verifyMessage(member.signingKey, message, member.joinSignature))
    return "the exchange key is not signed by the site";
  return null;
}

export function memberOf(roster: Roster, site: SiteId): RosterMember {
  const member = roster.members.find((m) => m.site === site);
  if (member === undefined) throw new RangeError(`site ${site} is not on the roster`);
  return member;
}

import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256, SiteId, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { buildRoster, type Roster } from "@consilium/core/secure-sum/roster";
import type { RevocationList } from "@consilium/runtime/identity/revocations";
import { verifyPeer } from "@consilium/runtime/identity/verify";
import type { RosterEntry } from "../rpc/toDomain.js";

/** What this site knows for itself when it is shown a roster. */
export interface RosterView {
  readonly study: { readonly id: StudyId; readonly hash: Sha256; readonly minimumSites: number };
  /** Who this site is, and the key that it drew for this study. */
  readonly self: { readonly site: SiteId; readonly signingKey: Uint8Array; readonly exchangeKey: Uint8Array };
  readonly rootPem: string;
  readonly revocations: RevocationList | undefined;
  /** Milliseconds since 1970: when the members' certificates must be valid. */
  readonly at: number;
  /** The hash of the roster that it was shown first, if it was. */
  readonly shownBefore: Sha256 | null;
}

/**
 * Verifies a roster for itself: every member is certified by the federation's root as a site and not expelled, has
 * signed its key for this study, this site is there with its own keys, and it is the roster of every task before.
 * @throws ConsiliumError ROSTER_INVALID, ROSTER_TOO_SMALL
 */
export function verifyRoster(entries: readonly RosterEntry[], view: RosterView): Roster {
  const { study, self } = view;
  const invalid = (what: string) => new ConsiliumError("ROSTER_INVALID", `study ${study.id}: ${what}`);
  const members = entries.map((entry) => {
    const verified = verifyPeer(entry.chain, {
      rootPem: view.rootPem,
      now: view.at,
      revocations: view.revocations,
      role: "site",
      purpose: "client",
    });
    if (!verified.ok) {
      const { code, message } = verified.error;
      throw invalid(`the certificate of site ${entry.site} does not verify (${code}, ${message})`);
    }
    if (verified.value.id !== entry.site)
      throw invalid(`the certificate of site ${entry.site} names another site`);
    return {
      site: entry.site,
      signingKey: verified.value.signingKey,
      exchangeKey: entry.exchangeKey,
      joinSignature: entry.signature,
    };
  });
  const roster = unwrap(buildRoster(study, members));
  const own = roster.members.find((member) => member.site === self.site);
  const isOwn =
    own !== undefined &&
    Buffer.from(own.exchangeKey).equals(self.exchangeKey) &&
    Buffer.from(own.signingKey).equals(self.signingKey);
  if (!isOwn) throw invalid("the roster does not hold this site with its own keys");
  if (view.shownBefore !== null && view.shownBefore !== roster.hash)
    throw invalid("the roster is not the one shown before");
  return roster;
}

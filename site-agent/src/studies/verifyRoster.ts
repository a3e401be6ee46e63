import { unwrapSum } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256, SiteId, StudyId } from "@consilium/core/ids";
import { readSaid } from "@consilium/core/readSaid";
import { nameOf, sentences } from "@consilium/core/said";
import type { Plan } from "@consilium/core/study/plan";
import type { RevocationList } from "@consilium/runtime/identity/revoked";
import { verifyPeer } from "@consilium/runtime/identity/verify";
import { buildRoster, type Roster } from "@consilium/secure-sum/roster";
import type { AnySaid } from "@consilium/words/said";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";
import { type Trust, trustOf } from "../policy/members.js";
import type { Policy } from "../policy/policy.js";
import type { RosterEntry } from "../rpc/toDomain.js";

const fault = faults<SiteStudySays>();
const said = sentences<SiteStudySays>();

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
  /** Whom the study invites; undefined where it invites every enrolled site. */
  readonly invited: readonly SiteId[] | undefined;
  /** So many sites of the roster the hospital must know, itself included. */
  readonly trustedLeast: number;
  /** Signing keys that the hospital's policy pins. */
  readonly members: Policy["members"];
  /** Of the study's plan. */
  readonly masking: Plan["masking"];
}

/** A roster that this site has verified, and whom on it the hospital knows. */
interface VerifiedRoster extends Roster, Trust {}

/**
 * Verifies a roster for itself: every member is certified by the federation's root as a site and not expelled, has
 * signed its key for this study and was invited to it, this site is there with its own keys, and it is the roster of every task before.
 * Where the hospital pins members, as many of them must be on it as a sum's survivors are at least: anyone who holds the
 * issuing key could mint all the others. Where one site deals all masks, every site must be pinned: it could be any of them.
 * @throws ConsiliumError ROSTER_INVALID, ROSTER_TOO_SMALL, ROSTER_UNPINNED
 */
export function verifyRoster(entries: readonly RosterEntry[], view: RosterView): VerifiedRoster {
  const { study, self } = view;
  const invalid = (what: AnySaid) =>
    fault("ROSTER_INVALID", "work.roster-invalid", { study: study.id, what });
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
      const why = readSaid(message) ?? nameOf(message);
      throw invalid(said("work.certificate", { site: entry.site, code: nameOf(code), why }));
    }
    if (verified.value.id !== entry.site) throw invalid(said("work.certificate-other", { site: entry.site }));
    return {
      site: entry.site,
      signingKey: verified.value.signingKey,
      exchangeKey: entry.exchangeKey,
      joinSignature: entry.signature,
    };
  });
  const roster = unwrapSum(buildRoster(study, members));
  const own = roster.members.find((member) => member.site === self.site);
  const isOwn =
    own !== undefined &&
    Buffer.from(own.exchangeKey).equals(self.exchangeKey) &&
    Buffer.from(own.signingKey).equals(self.signingKey);
  if (!isOwn) throw invalid(said("work.not-itself", {}));
  if (view.shownBefore !== null && view.shownBefore !== roster.hash)
    throw invalid(said("work.roster-other", {}));
  const stranger = roster.members.find(({ site }) => view.invited?.includes(site) === false);
  if (stranger !== undefined) throw invalid(said("work.not-invited", { site: stranger.site }));
  const trust = trustOf(roster.members, self.site, view.members);
  const pinned = roster.members.length - trust.distrusted;
  const { distrusted } = trust;
  const params = { study: study.id, sites: roster.members.length };
  if (pinned < view.trustedLeast)
    throw fault("ROSTER_UNPINNED", "work.pinned-few", { ...params, pinned, minimum: view.trustedLeast });
  if (view.masking === "dealer" && distrusted > 0)
    throw fault("ROSTER_UNPINNED", "work.dealer-unpinned", { ...params, distrusted });
  return { ...roster, ...trust };
}

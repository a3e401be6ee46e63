import type { VerifiedRelease } from "@consilium/release/verify";
import type { RevocationList } from "../identity/revoked.js";

/** A site whose signing key, by which it countersigned, was expelled. */
export interface ExpelledSigner {
  readonly site: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Who of those that countersigned a verified release is on a list of expelled sites, before its certificate or since. */
export function expelledSigners(
  { sites, countersignatures }: VerifiedRelease["certificate"],
  { revocations }: RevocationList,
): ExpelledSigner[] {
  const expelledAt = new Map<string, number>(
    revocations.map((one) => [one.signingKeyFingerprint, one.revokedAt]),
  );
  const signers = new Set(countersignatures.map(({ site }) => site));
  return sites.roster.flatMap(({ id, signingKeyFingerprint }) => {
    const at = expelledAt.get(signingKeyFingerprint);
    return at === undefined || !signers.has(id) ? [] : [{ site: id, at: new Date(at).toISOString() }];
  });
}

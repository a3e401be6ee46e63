import type { Authority } from "./authority.js";
import { canonicalBytes, listSchema } from "./revocations.js";
import type { Revocation, RevocationList } from "./revoked.js";
import { signedLines } from "./signedLines.js";

/** The authority signs again within this time although nothing changed, so that the root key may stay away for a year. */
export const listLifetimeMs = 400 * 86_400_000;

/**
 * Signs the list that follows `previous` with some sites added, or none: then it is the dates that are new. A key that is
 * already there is not added twice.
 * @param previous - undefined for a federation's first list
 * @param now - milliseconds since 1970
 * @returns one line of canonical JSON and one line with the base64url ECDSA signature, as UTF-8
 * @throws RangeError if `previous` is of another federation
 */
export function issueRevocations(
  root: Authority,
  previous: RevocationList | undefined,
  added: readonly Revocation[],
  now = Date.now(),
): Uint8Array {
  if (previous && previous.federation !== root.federation)
    throw new RangeError("a list of another federation");
  const byKey = new Map<string, Revocation>();
  for (const revocation of [...(previous?.revocations ?? []), ...added]) {
    if (!byKey.has(revocation.signingKeyFingerprint)) byKey.set(revocation.signingKeyFingerprint, revocation);
  }
  const json = canonicalBytes({
    federation: root.federation,
    sequence: (previous?.sequence ?? 0) + 1,
    revocations: [...byKey.values()],
    dates: { issuedAt: now, nextUpdate: now + listLifetimeMs },
  });
  listSchema.parse(JSON.parse(json.toString("utf8")));
  return signedLines(json, root.privateKey);
}

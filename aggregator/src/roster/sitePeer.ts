import { X509Certificate } from "node:crypto";
import { lateRenewalMs } from "@consilium/core/identity/warnings";
import type { SiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { type PeerIdentity, verifyIssuer } from "@consilium/runtime/identity/verify";
import { type PeerTrust, peerChain, peerOf, type ServerCall } from "@consilium/runtime/tls/peer";
import type { DisplacedKeys } from "./displacedKeys.js";
import { identityReplaced, type SiteRegistry } from "./registry.js";

/** A calling site, as proven by its certificate. */
export interface SitePeer {
  readonly site: SiteId;
  readonly identity: PeerIdentity;
  readonly signingKey: Uint8Array;
  /** DER of the leaf and the issuing certificate: other sites verify them, too. */
  readonly chain: readonly Uint8Array[];
}

interface Roster {
  readonly registry: SiteRegistry;
  readonly displaced: DisplacedKeys;
}

/**
 * @param registry - a site that enrolled again with a new key is only authenticated by that key: the old one may be
 * lost or stolen
 * @param displaced - called for a replaced key
 * @throws ConsiliumError CERTIFICATE_MISSING, CERTIFICATE_INVALID, IDENTITY_REPLACED, SITE_EXPELLED or NOT_PERMITTED
 */
export function authoriseSite(call: ServerCall, trust: PeerTrust, { registry, displaced }: Roster): SitePeer {
  const identity = unwrap(peerOf(call, trust, { role: "site" }));
  const registered = registry.standing(identity.id)?.fingerprint ?? null;
  if (registered !== null && registered !== identity.fingerprint) {
    displaced.note(identity.id, identity.fingerprint, addressOf(call));
    throw identityReplaced(identity.id);
  }
  return {
    site: identity.id,
    identity,
    signingKey: identity.signingKey,
    chain: peerChain(call).slice(0, 2),
  };
}

/**
 * The same for a renewal, and for nothing else: the certificate may have ended up to `lateRenewalMs` ago where its key is
 * enrolled. That the caller holds its TLS key was proven by the handshake, whose signature covers this server's random bytes
 * and its certificate [RFC8446, section 4.4.3]; all but the date of the leaf is judged as of now.
 * @throws ConsiliumError as `authoriseSite`
 */
export function authoriseRenewal(call: ServerCall, trust: PeerTrust, roster: Roster): SitePeer {
  const now = trust.now();
  const endedAt = endOf(peerChain(call)[0]);
  if (!(endedAt < now && now - endedAt <= lateRenewalMs)) return authoriseSite(call, trust, roster);
  const peer = authoriseSite(call, { ...trust, now: () => endedAt }, roster);
  unwrap(verifyIssuer(peer.chain[1]!, { rootPem: trust.rootPem, now }));
  const isEnrolled = roster.registry.standing(peer.site)?.fingerprint === peer.identity.fingerprint;
  return isEnrolled ? peer : authoriseSite(call, trust, roster);
}

/** When a certificate ends, unproven; NaN for what is none. */
function endOf(der: Uint8Array | undefined): number {
  try {
    return der === undefined ? Number.NaN : Date.parse(new X509Certificate(der).validTo);
  } catch {
    return Number.NaN;
  }
}

/** The address of a call, without its port. */
export function addressOf(call: ServerCall): string {
  return call.getPeer().replace(/:\d+$/, "");
}

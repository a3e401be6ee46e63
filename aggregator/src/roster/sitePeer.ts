import type { SiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import type { PeerIdentity } from "@consilium/runtime/identity/verify";
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

/**
 * @param registry - a site that enrolled again with a new key is only authenticated by that key: the old one may be
 * lost or stolen
 * @param displaced - called for a replaced key
 * @throws ConsiliumError CERTIFICATE_MISSING, CERTIFICATE_INVALID, IDENTITY_REPLACED, SITE_EXPELLED or NOT_PERMITTED
 */
export function authoriseSite(
  call: ServerCall,
  trust: PeerTrust,
  { registry, displaced }: { readonly registry: SiteRegistry; readonly displaced: DisplacedKeys },
): SitePeer {
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

/** The address of a call, without its port. */
export function addressOf(call: ServerCall): string {
  return call.getPeer().replace(/:\d+$/, "");
}

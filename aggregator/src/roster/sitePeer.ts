import { ConsiliumError } from "@consilium/core/errors";
import type { SiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import type { PeerIdentity } from "@consilium/runtime/identity/verify";
import { type PeerTrust, peerChain, peerOf, type ServerCall } from "@consilium/runtime/tls/peer";
import type { SiteRegistry } from "./registry.js";

/** The site on the other end of a call, as its certificate proves it now. */
export interface SitePeer {
  readonly site: SiteId;
  readonly identity: PeerIdentity;
  readonly signingKey: Uint8Array;
  /** DER of the leaf and the issuing certificate: other sites verify them for themselves. */
  readonly chain: readonly Uint8Array[];
}

/**
 * @param registry - a site that has enrolled again with a new key is known by that key alone: the old one, perhaps
 *   lost or stolen, no longer speaks for it
 * @throws ConsiliumError CERTIFICATE_MISSING, CERTIFICATE_INVALID, SITE_EXPELLED or NOT_PERMITTED
 */
export function authoriseSite(call: ServerCall, trust: PeerTrust, registry: SiteRegistry): SitePeer {
  const identity = unwrap(peerOf(call, trust, { role: "site" }));
  const registered = registry.site(identity.id)?.fingerprint ?? null;
  if (registered !== null && registered !== identity.fingerprint) {
    throw new ConsiliumError(
      "CERTIFICATE_INVALID",
      `site ${identity.id} has enrolled again, with another key`,
    );
  }
  return {
    site: identity.id,
    identity,
    signingKey: identity.signingKey,
    chain: peerChain(call).slice(0, 2),
  };
}

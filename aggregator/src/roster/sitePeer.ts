import type { SiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import type { PeerIdentity } from "@consilium/runtime/identity/verify";
import { type PeerTrust, peerChain, peerOf, type ServerCall } from "@consilium/runtime/tls/peer";

/** The site on the other end of a call, as its certificate proves it now. */
export interface SitePeer {
  readonly site: SiteId;
  readonly identity: PeerIdentity;
  readonly signingKey: Uint8Array;
  /** DER of the leaf and the issuing certificate: other sites verify them for themselves. */
  readonly chain: readonly Uint8Array[];
}

/** @throws ConsiliumError CERTIFICATE_MISSING, CERTIFICATE_INVALID, SITE_EXPELLED or NOT_PERMITTED */
export function authoriseSite(call: ServerCall, trust: PeerTrust): SitePeer {
  const identity = unwrap(peerOf(call, trust, { role: "site" }));
  return {
    site: identity.id,
    identity,
    signingKey: identity.signingKey,
    chain: peerChain(call).slice(0, 2),
  };
}

import type { Sha256, SiteId } from "@consilium/core/ids";

export interface Revocation {
  readonly siteId: SiteId;
  /** SHA-256 of the site's Ed25519 public key: what is checked, so that a new name does not help. */
  readonly signingKeyFingerprint: Sha256;
  /** In the operator's words, at most 200 characters. */
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly revokedAt: number;
}

/** The expelled sites. Only `issueRevocations` and `verifyRevocations` create one. */
export interface RevocationList {
  readonly federation: string;
  /** Grows by one with every change; a list with a lower one than is known is refused. */
  readonly sequence: number;
  readonly revocations: readonly Revocation[];
  /** When the authority signed it, and until when it is to sign again: milliseconds since 1970. Version 1 has neither. */
  readonly dates: { readonly issuedAt: number; readonly nextUpdate: number } | null;
}

/** Whether a signing key has been expelled. */
export function isRevoked(list: RevocationList | undefined, signingKeyFingerprint: string): boolean {
  return list?.revocations.some((entry) => entry.signingKeyFingerprint === signingKeyFingerprint) ?? false;
}

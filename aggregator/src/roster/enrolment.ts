import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256, SiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { type Issuer, issueLeaf } from "@consilium/runtime/identity/authority";
import { secretHash } from "@consilium/runtime/identity/invitation";
import { signingKeyFingerprint } from "@consilium/runtime/identity/names";
import { type CertificateRequest, verifyRequest } from "@consilium/runtime/identity/request";
import { pemChainToDer } from "@consilium/runtime/identity/x509";
import type { SiteRegistry } from "./registry.js";
import type { SitePeer } from "./sitePeer.js";

/** Sites renew at half of this, so a certificate that leaked serves for weeks, not years. */
const siteCertificateLifetimeMs = 30 * 86_400_000;

export interface Enrolled {
  readonly site: SiteId;
  /** DER: leaf, then the issuing certificate. */
  readonly chain: readonly Uint8Array[];
}

/** Gives certificates to sites that hold an invitation, and new ones to sites that hold one already. */
export class Enrolment {
  readonly #issuer: Issuer;
  readonly #registry: SiteRegistry;
  readonly #isExpelled: (fingerprint: Sha256) => boolean;
  readonly #now: () => number;
  readonly #lifetimeMs: number;

  constructor(options: {
    readonly issuer: Issuer;
    readonly registry: SiteRegistry;
    /** Whether the signing key of this fingerprint is on the list of the expelled. */
    readonly isExpelled: (fingerprint: Sha256) => boolean;
    readonly now: () => number;
    readonly lifetimeMs?: number;
  }) {
    this.#issuer = options.issuer;
    this.#registry = options.registry;
    this.#isExpelled = options.isExpelled;
    this.#now = options.now;
    this.#lifetimeMs = options.lifetimeMs ?? siteCertificateLifetimeMs;
  }

  /**
   * First enrolment, with the secret of an invitation token.
   * @throws ConsiliumError TOKEN_INVALID, TOKEN_EXPIRED, TOKEN_USED, SITE_EXPELLED for a key that was expelled, or
   *   FIELD_INVALID for a bad request
   */
  async enrol(secret: Uint8Array, request: CertificateRequest, software: string): Promise<Enrolled> {
    const fingerprint = signingKeyFingerprint(request.signingKey);
    // The request is judged before the token is spent: a malformed one does not cost the hospital its invitation.
    const site = unwrap(this.#registry.peekToken(secretHash(secret)));
    unwrap(await verifyRequest(request, site));
    if (this.#isExpelled(fingerprint)) {
      throw new ConsiliumError("SITE_EXPELLED", `site ${site}: this signing key has been expelled`);
    }
    unwrap(this.#registry.useToken(secretHash(secret), fingerprint, this.#now()));
    return this.#issue(site, request, software);
  }

  /**
   * A new certificate under the present one. The signing key stays: it is the site's identity.
   * @throws ConsiliumError NOT_PERMITTED for another signing key, FIELD_INVALID for a bad request
   */
  async renew(peer: SitePeer, request: CertificateRequest, software: string): Promise<Enrolled> {
    if (!Buffer.from(peer.signingKey).equals(request.signingKey)) {
      throw new ConsiliumError("NOT_PERMITTED", `site ${peer.site}: a renewal keeps the signing key`);
    }
    return this.#issue(peer.site, request, software);
  }

  async #issue(site: SiteId, request: CertificateRequest, software: string): Promise<Enrolled> {
    const tlsPublicKey = unwrap(await verifyRequest(request, site));
    const now = this.#now();
    const chainPem = await issueLeaf(this.#issuer, {
      federation: this.#issuer.federation,
      role: "site",
      id: site,
      tlsPublicKey,
      signingKey: request.signingKey,
      lifetimeMs: this.#lifetimeMs,
      now,
    });
    const chain = pemChainToDer(chainPem).slice(0, 2);
    this.#registry.enrolled(
      site,
      {
        signingKey: request.signingKey,
        fingerprint: signingKeyFingerprint(request.signingKey),
        chain: JSON.stringify(chain.map((der) => Buffer.from(der).toString("base64"))),
        expiresAt: now + this.#lifetimeMs,
        software,
      },
      now,
    );
    return { site, chain };
  }
}

import { type KeyObject, X509Certificate } from "node:crypto";
import { type ErrorCode, toConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256, SiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { type Issuer, issueLeaf } from "@consilium/runtime/identity/authority";
import { secretHash } from "@consilium/runtime/identity/invitation";
import { signingKeyFingerprint } from "@consilium/runtime/identity/names";
import type { CertificateRequest } from "@consilium/runtime/identity/request";
import { verifyRequest } from "@consilium/runtime/identity/verifyRequest";
import { pemChainToDer } from "@consilium/runtime/identity/x509";
import type { AggregatorSays } from "@consilium/words/says/aggregator";
import type { EventSampler } from "./eventSampler.js";
import type { Invitations, RecordEvent } from "./invitations.js";
import type { NewIdentity, SiteRegistry } from "./registry.js";
import type { SitePeer } from "./sitePeer.js";

const fault = faults<AggregatorSays>();

/** Sites renew at half of this, so a leaked certificate is useful for weeks, not years. */
const siteCertificateLifetimeMs = 30 * 86_400_000;

interface Certified {
  readonly site: SiteId;
  /** DER: leaf, then the issuing certificate. */
  readonly chain: readonly Uint8Array[];
}

/** Issues certificates to invited sites, and new ones to enrolled sites. */
export class Enrolment {
  readonly #issuer: Issuer;
  readonly #registry: SiteRegistry;
  readonly #invitations: Invitations;
  readonly #refusals: EventSampler;
  readonly #replaced: (site: SiteId) => void;
  readonly #isExpelled: (fingerprint: Sha256) => boolean;
  readonly #record: RecordEvent;
  readonly #now: () => number;
  readonly #lifetimeMs: number;

  constructor(options: {
    readonly issuer: Issuer;
    readonly registry: SiteRegistry;
    readonly invitations: Invitations;
    /** Records refused enrolments. */
    readonly refusals: EventSampler;
    /** Called when another key is enrolled for a site: connections with the old key are no longer the site's. */
    readonly replaced: (site: SiteId) => void;
    /** Whether the signing key with this fingerprint is on the list of expelled sites. */
    readonly isExpelled: (fingerprint: Sha256) => boolean;
    /** Records certificates that were renewed after their end. */
    readonly record: RecordEvent;
    readonly now: () => number;
    readonly lifetimeMs?: number;
  }) {
    this.#issuer = options.issuer;
    this.#registry = options.registry;
    this.#invitations = options.invitations;
    this.#refusals = options.refusals;
    this.#replaced = options.replaced;
    this.#isExpelled = options.isExpelled;
    this.#record = options.record;
    this.#now = options.now;
    this.#lifetimeMs = options.lifetimeMs ?? siteCertificateLifetimeMs;
  }

  /**
   * Enrolment with the secret of an invitation token: the first one, one with the key that is enrolled, or one that
   * replaces it where the invitation says so.
   * @param from - the address that the call came from
   * @throws ConsiliumError TOKEN_INVALID, TOKEN_WITHDRAWN, TOKEN_EXPIRED, TOKEN_USED, SITE_ENROLLED for a key that the
   *   invitation does not admit, SITE_EXPELLED for one that was expelled, or FIELD_INVALID for a bad request
   */
  async enrol(
    secret: Uint8Array,
    request: CertificateRequest,
    { software, from }: { readonly software: string; readonly from: string },
  ): Promise<Certified> {
    const hash = secretHash(secret);
    try {
      const fingerprint = signingKeyFingerprint(request.signingKey);
      const site = unwrap(this.#invitations.peek(hash));
      // The request is validated before the token is used: a malformed one does not cost the hospital its invitation.
      const tlsKey = unwrap(await verifyRequest(request, site));
      if (this.#isExpelled(fingerprint)) throw fault("SITE_EXPELLED", "roster.key-expelled", { site });
      // Nothing is signed for a key that will not be enrolled. The check is repeated at enrolment.
      unwrap(this.#invitations.judge(hash, fingerprint, this.#now()));
      const { identity, chain } = await this.#certify(site, { ...request, tlsKey }, software);
      const { replaced } = unwrap(this.#invitations.enrol(hash, identity, { from, now: this.#now() }));
      if (replaced !== null) this.#replaced(site);
      return { site, chain };
    } catch (thrown) {
      this.#noteRefusal(hash, toConsiliumError(thrown).code, from);
      throw thrown;
    }
  }

  /** For an unknown token only its occurrence is recorded: strangers can send many. */
  #noteRefusal(hash: Sha256, code: ErrorCode, from: string): void {
    const known = this.#invitations.peek(hash);
    const site = known.ok ? known.value : this.#invitations.withdrawnSite(hash);
    if (site === null) this.#refusals.note("unknown token", { detail: `${code}, from ${from}` });
    else this.#refusals.note(`${site} ${code}`, { site, detail: `${code}, from ${from}` });
  }

  /**
   * Issues a new certificate to the holder of one that is valid or, where it is the newest that is known, has ended. The signing
   * key stays: it is the site's identity.
   * @throws ConsiliumError NOT_PERMITTED for another signing key, FIELD_INVALID for a bad request, CERTIFICATE_INVALID for a
   *   certificate that has ended and was renewed before
   */
  async renew(peer: SitePeer, request: CertificateRequest, software: string): Promise<Certified> {
    const { site, signingKey, identity: shown } = peer;
    if (!Buffer.from(signingKey).equals(request.signingKey)) {
      throw fault("NOT_PERMITTED", "roster.keep-key", { site });
    }
    const tlsKey = unwrap(await verifyRequest(request, site));
    const lateMs = this.#now() - shown.notAfter;
    if (lateMs > 0) this.#demandNewest(peer, tlsKey);
    const { identity, chain } = await this.#certify(site, { ...request, tlsKey }, software);
    const now = this.#now();
    this.#registry.renewed(site, identity, now);
    if (lateMs > 0) {
      const detail = new Date(shown.notAfter).toISOString();
      this.#record(now, "certificate renewed late", { site, detail });
    }
    return { site, chain };
  }

  /**
   * An old copy of a site's folder is not to outlive its certificate. The newest one is the one shown, or one for the very key
   * that is asked for, whose answer the site never had.
   */
  #demandNewest({ site, identity }: SitePeer, tlsKey: KeyObject): void {
    const known = this.#registry.site(site)?.chain ?? null;
    const newest = known === null ? undefined : (JSON.parse(known) as readonly string[])[0];
    if (newest === undefined) return;
    const { validFrom, publicKey } = new X509Certificate(Buffer.from(newest, "base64"));
    if (identity.notBefore >= Date.parse(validFrom) || publicKey.equals(tlsKey)) return;
    throw fault("CERTIFICATE_INVALID", "roster.expired-and-renewed", { site });
  }

  /** A certificate for a verified request; not yet in force. */
  async #certify(
    site: SiteId,
    { signingKey, tlsKey }: { readonly signingKey: Uint8Array; readonly tlsKey: KeyObject },
    software: string,
  ): Promise<{ readonly identity: NewIdentity; readonly chain: readonly Uint8Array[] }> {
    const now = this.#now();
    const chainPem = await issueLeaf(this.#issuer, {
      federation: this.#issuer.federation,
      role: "site",
      id: site,
      tlsPublicKey: tlsKey,
      signingKey,
      lifetimeMs: this.#lifetimeMs,
      now,
    });
    const chain = pemChainToDer(chainPem).slice(0, 2);
    const identity = {
      signingKey,
      fingerprint: signingKeyFingerprint(signingKey),
      chain: JSON.stringify(chain.map((der) => Buffer.from(der).toString("base64"))),
      expiresAt: now + this.#lifetimeMs,
      software,
    };
    return { identity, chain };
  }
}

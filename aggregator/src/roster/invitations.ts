import type { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256, SiteId } from "@consilium/core/ids";
import type { InvitationState } from "@consilium/core/operator/consoleViews";
import type { ExistingSite } from "@consilium/core/operator/views";
import { err, ok, type Result } from "@consilium/core/result";
import { nameOf, sentences } from "@consilium/core/said";
import type { Store } from "@consilium/runtime/store/store";
import type { AggregatorSays } from "@consilium/words/says/aggregator";
import type { NewIdentity, SiteRegistry } from "./registry.js";

const fault = faults<AggregatorSays>();
const said = sentences<AggregatorSays>();

/** Writes an event into the audit log, in the open transaction. */
export type RecordEvent = (
  at: number,
  kind: string,
  about: { readonly site: SiteId; readonly detail: string; readonly actor?: string | null },
) => void;

export interface InvitationRecord {
  readonly secretHash: Sha256;
  readonly site: SiteId;
  readonly expiresAt: number;
  readonly usedAt: number | null;
  readonly withdrawnAt: number | null;
  /** The enrolled key that the token may replace. */
  readonly replaces: Sha256 | null;
}

export interface Enrolled {
  readonly site: SiteId;
  /** The key that this enrolment replaced. */
  readonly replaced: Sha256 | null;
}

/** A new invitation, without its creator and time. */
interface NewInvitation {
  readonly site: SiteId;
  readonly secretHash: Sha256;
  readonly expiresAt: number;
  readonly existing: ExistingSite;
}

interface Row {
  readonly site: SiteId;
  readonly expiresAt: number;
  readonly usedBy: Sha256 | null;
  readonly replaces: Sha256 | null;
}

/** Hexadecimal digits that name a key in the audit log. */
const shownDigits = 16;

/**
 * Invitations and their use. A site has at most one open invitation, and an invitation replaces at most the key that
 * was enrolled when it was created. Every change and its event are one transaction.
 */
export class Invitations {
  readonly #store: Store;
  readonly #registry: SiteRegistry;
  readonly #isExpelled: (fingerprint: Sha256) => boolean;
  readonly #record: RecordEvent;

  constructor(options: {
    readonly store: Store;
    readonly registry: SiteRegistry;
    /** Whether the signing key of this fingerprint is on the list of expelled sites. */
    readonly isExpelled: (fingerprint: Sha256) => boolean;
    readonly record: RecordEvent;
  }) {
    this.#store = options.store;
    this.#registry = options.registry;
    this.#isExpelled = options.isExpelled;
    this.#record = options.record;
  }

  /**
   * @returns the enrolled key that the invitation may replace
   * @throws ConsiliumError SITE_ENROLLED, INVITATION_OPEN, or FIELD_INVALID for `same-key` of a site without a key
   */
  invite(invitation: NewInvitation, actor: string | null, now: number): Sha256 | null {
    const { site, secretHash, expiresAt, existing } = invitation;
    return this.#store.transaction(() => {
      this.expireUnused(now);
      this.#store.run("INSERT INTO sites (id) VALUES (?) ON CONFLICT DO NOTHING", site);
      const key = this.#registry.site(site)?.fingerprint ?? null;
      if (existing === "same-key" && key === null) {
        const remedy = said("roster.without-same-key", {});
        throw fault("FIELD_INVALID", "roster.no-key", { site }, { remedy });
      }
      // An expelled key is never accepted again, so replacing it is harmless.
      if (existing === "refuse" && key !== null && !this.#isExpelled(key))
        throw fault("SITE_ENROLLED", "roster.enrolled", { site, key: nameOf(short(key)) });
      const open = this.#open(site, now);
      if (open.length > 0 && existing !== "replace") {
        const until = nameOf(new Date(open[0]!.expiresAt).toISOString());
        throw fault("INVITATION_OPEN", "roster.invited", { site, until });
      }
      for (const { secretHash } of open) {
        this.#remove(secretHash, now);
        this.#record(now, "invitation replaced", { site, detail: named(secretHash), actor });
      }
      const replaces = existing === "same-key" ? null : key;
      this.#store.run(
        "INSERT INTO invitations (secret_hash, site, expires_at, replaces) VALUES (?, ?, ?, ?)",
        secretHash,
        site,
        expiresAt,
        replaces,
      );
      const power =
        existing === "same-key"
          ? ", for the enrolled key only"
          : replaces === null
            ? ""
            : `, may replace key ${short(replaces)}`;
      const detail = `${named(secretHash)}, until ${new Date(expiresAt).toISOString()}${power}`;
      this.#record(now, "invited", { site, detail, actor });
      return replaces;
    });
  }

  /** Sorted by expiry, latest first. */
  list(): InvitationRecord[] {
    return this.#store.all(
      `SELECT secret_hash AS secretHash, site, expires_at AS expiresAt, used_at AS usedAt,
         NULL AS withdrawnAt, replaces FROM invitations
       UNION ALL
       SELECT secret_hash, site, expires_at, NULL, withdrawn_at, NULL FROM withdrawn_invitations
       ORDER BY 3 DESC, 2`,
    ) as unknown as InvitationRecord[];
  }

  /**
   * Withdraws an unused invitation, and removes a site without other data.
   * @returns whether there was one
   */
  withdraw(secretHash: Sha256, actor: string | null, now: number): boolean {
    return this.#store.transaction(() => {
      const row = this.#row(secretHash);
      if (row === null || row.usedBy !== null) return false;
      const { site } = row;
      this.#remove(secretHash, now);
      this.#store.run(
        `DELETE FROM sites WHERE id = ? AND enrolled_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM invitations WHERE invitations.site = sites.id)`,
        site,
      );
      this.#record(now, "invitation withdrawn", { site, detail: named(secretHash), actor });
      return true;
    });
  }

  /** Records the invitations that expired unused since the last call. */
  expireUnused(now: number): void {
    const expired = this.#store.all(
      `SELECT secret_hash AS secretHash, site, expires_at AS expiresAt FROM invitations
       WHERE used_at IS NULL AND expiry_noted = 0 AND expires_at <= ?`,
      now,
    ) as unknown as { secretHash: Sha256; site: SiteId; expiresAt: number }[];
    if (expired.length === 0) return;
    this.#store.transaction(() => {
      for (const { secretHash, site, expiresAt } of expired) {
        this.#store.run("UPDATE invitations SET expiry_noted = 1 WHERE secret_hash = ?", secretHash);
        const detail = `${named(secretHash)}, unused at ${new Date(expiresAt).toISOString()}`;
        this.#record(now, "invitation expired", { site, detail });
      }
    });
  }

  /** Which site a token is for, without using it: TOKEN_INVALID or TOKEN_WITHDRAWN. */
  peek(secretHash: Sha256): Result<SiteId, ConsiliumError> {
    const row = this.#row(secretHash);
    if (row !== null) return ok(row.site);
    const withdrawn = this.withdrawnSite(secretHash);
    return withdrawn === null
      ? err(fault("TOKEN_INVALID", "roster.token-unknown", {}))
      : err(fault("TOKEN_WITHDRAWN", "roster.token-withdrawn", { site: withdrawn }));
  }

  /** The site of a withdrawn token. */
  withdrawnSite(secretHash: Sha256): SiteId | null {
    const row = this.#store.get("SELECT site FROM withdrawn_invitations WHERE secret_hash = ?", secretHash) as
      | { site: SiteId }
      | undefined;
    return row?.site ?? null;
  }

  /**
   * Whether a key may use a token now. The same key may present it again until it expires, because the first response
   * may have been lost; but not once another key is enrolled.
   * @returns TOKEN_INVALID, TOKEN_WITHDRAWN, TOKEN_EXPIRED, TOKEN_USED, or SITE_ENROLLED if another key is enrolled
   * that this invitation may not replace
   */
  judge(secretHash: Sha256, key: Sha256, now: number): Result<Enrolled, ConsiliumError> {
    const row = this.#row(secretHash);
    if (row === null) return this.peek(secretHash) as Result<never, ConsiliumError>;
    const { site, expiresAt, usedBy, replaces } = row;
    if (usedBy !== null && usedBy !== key) return err(fault("TOKEN_USED", "roster.token-used", { site }));
    if (expiresAt <= now) {
      const at = nameOf(new Date(expiresAt).toISOString());
      return err(fault("TOKEN_EXPIRED", "roster.token-expired", { site, at }));
    }
    const enrolled = this.#registry.site(site)?.fingerprint ?? null;
    if (enrolled === null || enrolled === key) return ok({ site, replaced: null });
    if (usedBy === null && replaces === enrolled) return ok({ site, replaced: enrolled });
    const params = { site, key: nameOf(short(enrolled)) };
    return err(fault("SITE_ENROLLED", "roster.enrolled-otherwise", params));
  }

  /**
   * Uses a token and activates the key, in one transaction: no other key can be enrolled between check and change.
   * @param from - the address that the call came from
   */
  enrol(
    secretHash: Sha256,
    identity: NewIdentity,
    { from, now }: { readonly from: string; readonly now: number },
  ): Result<Enrolled, ConsiliumError> {
    const { fingerprint } = identity;
    return this.#store.transaction(() => {
      const judged = this.judge(secretHash, fingerprint, now);
      if (!judged.ok) return judged;
      const { site, replaced } = judged.value;
      const isKnown = this.#registry.site(site)?.fingerprint === fingerprint;
      this.#store.run(
        "UPDATE invitations SET used_at = coalesce(used_at, ?), used_by = ? WHERE secret_hash = ?",
        now,
        fingerprint,
        secretHash,
      );
      this.#registry.enrolled(site, identity, now);
      const kind = replaced !== null ? "key replaced" : isKnown ? "enrolled again" : "enrolled";
      const instead = replaced === null ? "" : ` in place of ${short(replaced)}`;
      this.#record(now, kind, { site, detail: `key ${short(fingerprint)}${instead}, from ${from}` });
      return judged;
    });
  }

  #open(site: SiteId, now: number): { secretHash: Sha256; expiresAt: number }[] {
    return this.#store.all(
      `SELECT secret_hash AS secretHash, expires_at AS expiresAt FROM invitations
       WHERE site = ? AND used_at IS NULL AND expires_at > ? ORDER BY expires_at DESC`,
      site,
      now,
    ) as unknown as { secretHash: Sha256; expiresAt: number }[];
  }

  #row(secretHash: Sha256): Row | null {
    const row = this.#store.get(
      `SELECT site, expires_at AS expiresAt, used_by AS usedBy, replaces FROM invitations
       WHERE secret_hash = ?`,
      secretHash,
    );
    return (row as unknown as Row | undefined) ?? null;
  }

  #remove(secretHash: Sha256, now: number): void {
    const { site, expiresAt } = this.#row(secretHash)!;
    this.#store.run(
      "INSERT INTO withdrawn_invitations (secret_hash, site, expires_at, withdrawn_at) VALUES (?, ?, ?, ?)",
      secretHash,
      site,
      expiresAt,
      now,
    );
    this.#store.run("DELETE FROM invitations WHERE secret_hash = ?", secretHash);
  }
}

/** Hexadecimal digits of a token's hash that identify its invitation for the operator and in the audit log. */
export const invitationIdLength = 16;

const named = (secretHash: Sha256): string => `invitation ${secretHash.slice(0, invitationIdLength)}`;

/** A key's fingerprint as shown in the audit log and messages. */
export const short = (fingerprint: string): string => fingerprint.slice(0, shownDigits);

export function invitationState(
  { usedAt, expiresAt, withdrawnAt }: InvitationRecord,
  now: number,
): InvitationState {
  if (withdrawnAt !== null) return "withdrawn";
  if (usedAt !== null) return "used";
  return expiresAt <= now ? "expired" : "open";
}

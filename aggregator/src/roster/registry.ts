import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256, SiteId } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import type { Store } from "@consilium/runtime/store/store";

/** The sites that were invited or enrolled, and the invitations that are out. */
interface SiteRecord {
  readonly id: SiteId;
  readonly enrolledAt: number | null;
  readonly signingKey: Uint8Array | null;
  readonly fingerprint: Sha256 | null;
  readonly chain: string | null;
  readonly certificateExpiresAt: number | null;
  readonly software: string | null;
  readonly tables: readonly string[];
  readonly clockSkewMs: number | null;
  readonly lastSeenAt: number | null;
}

const columns = `id, enrolled_at AS enrolledAt, signing_key AS signingKey, fingerprint, chain,
  certificate_expires_at AS certificateExpiresAt, software, tables, clock_skew_ms AS clockSkewMs,
  last_seen_at AS lastSeenAt`;

/** The newest head of a site's ledger that was seen, as the site signed it. */
export interface LedgerHeadRecord {
  readonly head: string;
  readonly signature: Uint8Array;
  readonly sequence: number;
}

export interface InvitationRecord {
  readonly secretHash: Sha256;
  readonly site: SiteId;
  readonly expiresAt: number;
  readonly usedAt: number | null;
}

export class SiteRegistry {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  invite(site: SiteId, secretHash: Sha256, expiresAt: number): void {
    this.#store.transaction(() => {
      this.#store.run("INSERT INTO sites (id) VALUES (?) ON CONFLICT DO NOTHING", site);
      this.#store.run(
        "INSERT INTO invitations (secret_hash, site, expires_at) VALUES (?, ?, ?)",
        secretHash,
        site,
        expiresAt,
      );
    });
  }

  /** Ordered by expiry, the last to expire first. */
  invitations(): InvitationRecord[] {
    return this.#store.all(
      `SELECT secret_hash AS secretHash, site, expires_at AS expiresAt, used_at AS usedAt FROM invitations
       ORDER BY expires_at DESC, site`,
    ) as unknown as InvitationRecord[];
  }

  /**
   * Takes back an invitation that nobody has used, and the site with it if that was all there was of it.
   * @returns whether there was one
   */
  withdraw(secretHash: Sha256): boolean {
    return this.#store.transaction(() => {
      const row = this.#store.get(
        "SELECT site FROM invitations WHERE secret_hash = ? AND used_at IS NULL",
        secretHash,
      ) as { site: SiteId } | undefined;
      if (row === undefined) return false;
      this.#store.run("DELETE FROM invitations WHERE secret_hash = ?", secretHash);
      this.#store.run(
        `DELETE FROM sites WHERE id = ? AND enrolled_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM invitations WHERE invitations.site = sites.id)`,
        row.site,
      );
      return true;
    });
  }

  /** Which site a token is for, without using it; TOKEN_INVALID when none is. */
  peekToken(secretHash: Sha256): Result<SiteId, ConsiliumError> {
    const row = this.#store.get("SELECT site FROM invitations WHERE secret_hash = ?", secretHash) as
      | { site: SiteId }
      | undefined;
    return row === undefined
      ? err(new ConsiliumError("TOKEN_INVALID", "no invitation has this token"))
      : ok(row.site);
  }

  /**
   * Uses a token once. Until it expires the same signing key may use it again: the answer to its first call may have
   * been lost.
   * @returns the site that the token is for; TOKEN_INVALID, TOKEN_EXPIRED or TOKEN_USED
   */
  useToken(secretHash: Sha256, signingKeyFingerprint: Sha256, now: number): Result<SiteId, ConsiliumError> {
    return this.#store.transaction(() => {
      const row = this.#store.get(
        "SELECT site, expires_at AS expiresAt, used_by AS usedBy FROM invitations WHERE secret_hash = ?",
        secretHash,
      ) as { site: SiteId; expiresAt: number; usedBy: string | null } | undefined;
      if (row === undefined) return err(new ConsiliumError("TOKEN_INVALID", "no invitation has this token"));
      if (row.usedBy !== null && row.usedBy !== signingKeyFingerprint) {
        return err(
          new ConsiliumError("TOKEN_USED", `the invitation of site ${row.site} has been used already`),
        );
      }
      if (row.expiresAt <= now) {
        const when = new Date(row.expiresAt).toISOString();
        return err(
          new ConsiliumError("TOKEN_EXPIRED", `the invitation of site ${row.site} expired at ${when}`),
        );
      }
      if (row.usedBy !== null) return ok(row.site);
      this.#store.run(
        "UPDATE invitations SET used_at = ?, used_by = ? WHERE secret_hash = ?",
        now,
        signingKeyFingerprint,
        secretHash,
      );
      return ok(row.site);
    });
  }

  enrolled(
    site: SiteId,
    identity: {
      signingKey: Uint8Array;
      fingerprint: Sha256;
      chain: string;
      expiresAt: number;
      software: string;
    },
    now: number,
  ): void {
    this.#store.run(
      `UPDATE sites SET enrolled_at = coalesce(enrolled_at, ?), signing_key = ?, fingerprint = ?, chain = ?,
         certificate_expires_at = ?, software = ? WHERE id = ?`,
      now,
      identity.signingKey,
      identity.fingerprint,
      identity.chain,
      identity.expiresAt,
      identity.software,
      site,
    );
  }

  greeted(
    site: SiteId,
    hello: { software: string; tables: readonly string[]; clockSkewMs: number },
    now: number,
  ): void {
    this.#store.run(
      "UPDATE sites SET software = ?, tables = ?, clock_skew_ms = ?, last_seen_at = ? WHERE id = ?",
      hello.software,
      JSON.stringify(hello.tables),
      hello.clockSkewMs,
      now,
      site,
    );
  }

  seen(site: SiteId, now: number): void {
    this.#store.run("UPDATE sites SET last_seen_at = ? WHERE id = ?", now, site);
  }

  ledgerHead(site: SiteId): LedgerHeadRecord | null {
    const row = this.#store.get(
      `SELECT ledger_head AS head, ledger_head_signature AS signature, ledger_sequence AS sequence
       FROM sites WHERE id = ? AND ledger_head IS NOT NULL`,
      site,
    );
    return (row as unknown as LedgerHeadRecord | undefined) ?? null;
  }

  /** A ledger only grows: an older head than the one that is known changes nothing. */
  keepLedgerHead(site: SiteId, { head, signature, sequence }: LedgerHeadRecord): void {
    this.#store.run(
      `UPDATE sites SET ledger_head = ?, ledger_head_signature = ?, ledger_sequence = ?
       WHERE id = ? AND (ledger_sequence IS NULL OR ledger_sequence < ?)`,
      head,
      signature,
      sequence,
      site,
      sequence,
    );
  }

  site(id: SiteId): SiteRecord | null {
    const row = this.#store.get(`SELECT ${columns} FROM sites WHERE id = ?`, id);
    return row === undefined ? null : readSite(row as Record<string, unknown>);
  }

  /** Ordered by id. */
  sites(): SiteRecord[] {
    return (this.#store.all(`SELECT ${columns} FROM sites ORDER BY id`) as Record<string, unknown>[]).map(
      readSite,
    );
  }
}

function readSite(row: Record<string, unknown>): SiteRecord {
  return { ...row, tables: JSON.parse(row.tables as string) } as SiteRecord;
}

import type { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256, SiteId } from "@consilium/core/ids";
import type { AdmitsView, SiteTableView } from "@consilium/core/operator/tableViews";
import type { Store } from "@consilium/runtime/store/store";
import type { AggregatorSays } from "@consilium/words/says/aggregator";
import type { Speaks } from "./spoken.js";

const fault = faults<AggregatorSays>();

/** A site that was invited or has enrolled. */
interface SiteRecord {
  readonly id: SiteId;
  readonly enrolledAt: number | null;
  readonly signingKey: Uint8Array | null;
  readonly fingerprint: Sha256 | null;
  readonly chain: string | null;
  readonly certificateExpiresAt: number | null;
  readonly software: string | null;
  /** Null where its software does not say. */
  readonly speaks: Speaks | null;
  /** Null where the hospital does not say. */
  readonly admits: AdmitsView | null;
  readonly tables: readonly string[];
  readonly clockSkewMs: number | null;
  readonly lastSeenAt: number | null;
  /** When the current key was enrolled. */
  readonly keySince: number | null;
  readonly replacedFingerprint: Sha256 | null;
  readonly replacedAt: number | null;
}

const columns = `id, enrolled_at AS enrolledAt, signing_key AS signingKey, fingerprint, chain,
  certificate_expires_at AS certificateExpiresAt, software, speaks, admits, tables, clock_skew_ms AS clockSkewMs,
  last_seen_at AS lastSeenAt, key_since AS keySince, replaced_fingerprint AS replacedFingerprint,
  replaced_at AS replacedAt`;

/** What every frame of a site is held against, and every view of it. */
export type SiteStanding = Pick<SiteRecord, "enrolledAt" | "fingerprint">;

/** The newest known head of a site's ledger, with the site's signature. */
export interface LedgerHeadRecord {
  readonly head: string;
  readonly signature: Uint8Array;
  readonly sequence: number;
}

/** A key with its certificate, to be activated. */
export interface NewIdentity {
  readonly signingKey: Uint8Array;
  readonly fingerprint: Sha256;
  /** JSON: base64 of the DER of the leaf and the issuing certificate. */
  readonly chain: string;
  readonly expiresAt: number;
  readonly software: string;
}

/** A heartbeat: when it came, and how far the site's clock was before this one's. */
export interface SeenNote {
  readonly at: number;
  readonly clockSkewMs: number;
}

export class SiteRegistry {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Activates a key. Only called by an enrolment, in its transaction. */
  enrolled(site: SiteId, identity: NewIdentity, now: number): void {
    const before = this.site(site);
    if (before !== null && before.fingerprint !== identity.fingerprint) {
      this.#store.run(
        "UPDATE sites SET key_since = ?, replaced_fingerprint = ?, replaced_at = ? WHERE id = ?",
        now,
        before.fingerprint,
        before.fingerprint === null ? null : now,
        site,
      );
    }
    this.#write(site, identity, now);
  }

  /**
   * Stores a new certificate for the current key.
   * @throws ConsiliumError IDENTITY_REPLACED if another key was enrolled since the renewal was requested
   */
  renewed(site: SiteId, identity: NewIdentity, now: number): void {
    this.#store.transaction(() => {
      const enrolled = this.site(site)?.fingerprint ?? null;
      if (enrolled !== null && enrolled !== identity.fingerprint) throw identityReplaced(site);
      // No stored key: this aggregator was restored from a copy made before the site enrolled.
      this.enrolled(site, identity, now);
    });
  }

  #write(site: SiteId, identity: NewIdentity, now: number): void {
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
    hello: {
      software: string;
      speaks: Speaks | null;
      admits: AdmitsView | null;
      tables: readonly SiteTableView[];
      clockSkewMs: number;
    },
    now: number,
  ): void {
    // Of a name that comes twice, the last.
    const tables = new Map(hello.tables.map((table) => [table.name, table]));
    this.#store.transaction(() => {
      this.#store.run(
        "UPDATE sites SET software = ?, speaks = ?, admits = ?, tables = ?, clock_skew_ms = ?, last_seen_at = ? WHERE id = ?",
        hello.software,
        hello.speaks === null ? null : JSON.stringify(hello.speaks),
        hello.admits === null ? null : JSON.stringify(hello.admits),
        JSON.stringify([...tables.keys()]),
        hello.clockSkewMs,
        now,
        site,
      );
      this.#store.run("DELETE FROM site_tables WHERE site = ?", site);
      for (const [name, { columns: shared, budget }] of tables) {
        if (shared.length === 0 && budget === null) continue;
        this.#store.run(
          "INSERT INTO site_tables (site, name, columns, budget) VALUES (?, ?, ?, ?)",
          site,
          name,
          JSON.stringify(shared),
          budget === null ? null : JSON.stringify(budget),
        );
      }
    });
  }

  /** The columns of a table that a site shared; none where it shares none. Apart from `site`, for they may be many. */
  columnsOf(site: SiteId, table: string): SiteTableView["columns"] {
    const row = this.#store.get("SELECT columns FROM site_tables WHERE site = ? AND name = ?", site, table);
    return row === undefined ? [] : JSON.parse((row as { columns: string }).columns);
  }

  /** Left of a table's budget, where the hospital says it. */
  budgetOf(site: SiteId, table: string): SiteTableView["budget"] {
    const row = this.#store.get("SELECT budget FROM site_tables WHERE site = ? AND name = ?", site, table);
    const { budget } = (row ?? { budget: null }) as { budget: string | null };
    return budget === null ? null : JSON.parse(budget);
  }

  seen(site: SiteId, { at, clockSkewMs }: SeenNote): void {
    this.#store.run(
      "UPDATE sites SET last_seen_at = ?, clock_skew_ms = ? WHERE id = ?",
      at,
      clockSkewMs,
      site,
    );
  }

  /** For the current key. */
  ledgerHead(site: SiteId): LedgerHeadRecord | null {
    const row = this.#store.get(
      `SELECT ledger_heads.head, ledger_heads.signature, ledger_heads.sequence FROM ledger_heads JOIN sites
       ON sites.id = ledger_heads.site AND coalesce(sites.fingerprint, '') = ledger_heads.fingerprint
       WHERE sites.id = ?`,
      site,
    );
    return (row as unknown as LedgerHeadRecord | undefined) ?? null;
  }

  /** A ledger only grows: older heads are ignored. */
  keepLedgerHead(site: SiteId, { head, signature, sequence }: LedgerHeadRecord): void {
    this.#store.run(
      `INSERT INTO ledger_heads (site, fingerprint, head, signature, sequence) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (site, fingerprint) DO UPDATE SET head = excluded.head, signature = excluded.signature,
         sequence = excluded.sequence WHERE ledger_heads.sequence < excluded.sequence`,
      site,
      this.standing(site)?.fingerprint ?? "",
      head,
      signature,
      sequence,
    );
  }

  site(id: SiteId): SiteRecord | null {
    const row = this.#store.get(`SELECT ${columns} FROM sites WHERE id = ?`, id);
    return row === undefined ? null : readSite(row as Record<string, unknown>);
  }

  /** The same in short: a row has a dozen columns, and certificates among them. */
  standing(id: SiteId): SiteStanding | null {
    const row = this.#store.get("SELECT enrolled_at AS enrolledAt, fingerprint FROM sites WHERE id = ?", id);
    return (row as unknown as SiteStanding | undefined) ?? null;
  }

  standings(): ReadonlyMap<SiteId, SiteStanding> {
    const rows = this.#store.all("SELECT id, enrolled_at AS enrolledAt, fingerprint FROM sites");
    return new Map(
      (rows as unknown as (SiteStanding & { readonly id: SiteId })[]).map((row) => [row.id, row]),
    );
  }

  /** Ordered by id. */
  sites(): SiteRecord[] {
    return (this.#store.all(`SELECT ${columns} FROM sites ORDER BY id`) as Record<string, unknown>[]).map(
      readSite,
    );
  }
}

export function identityReplaced(site: SiteId): ConsiliumError {
  return fault("IDENTITY_REPLACED", "roster.replaced", { site });
}

function readSite(row: Record<string, unknown>): SiteRecord {
  const { tables, speaks, admits } = row as { tables: string; speaks: string | null; admits: string | null };
  return {
    ...row,
    tables: JSON.parse(tables),
    speaks: speaks === null ? null : JSON.parse(speaks),
    admits: admits === null ? null : JSON.parse(admits),
  } as SiteRecord;
}

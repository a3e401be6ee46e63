import type { AuditPage, AuditRow } from "@consilium/runtime/http/access/audit";
import type { TrailEvent } from "@consilium/runtime/http/access/gate";
import type { Store } from "@consilium/runtime/store/store";

/** Who did what at this site's console, or by its command line. It stays at the site. */
export class Trail {
  readonly #store: Store;
  readonly #now: () => number;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  record({ actor, kind, study, detail }: TrailEvent): void {
    this.#store.run(
      "INSERT INTO trail (at, actor, kind, study, detail) VALUES (?, ?, ?, ?, ?)",
      this.#now(),
      actor,
      kind,
      study ?? null,
      detail,
    );
  }

  /** Newest first. */
  page({ before, limit }: AuditPage): AuditRow[] {
    return this.#store.all(
      `SELECT id, at, actor, kind, study, NULL AS site, detail FROM trail
       WHERE id < ? ORDER BY id DESC LIMIT ?`,
      before ?? Number.MAX_SAFE_INTEGER,
      limit,
    ) as unknown as AuditRow[];
  }
}

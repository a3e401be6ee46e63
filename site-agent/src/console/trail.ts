import { type AuditPage, type AuditRow, auditCondition } from "@consilium/runtime/http/access/audit";
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

  /** How many events there are. */
  count(): number {
    return Number(this.#store.get("SELECT count(*) AS events FROM trail")?.events);
  }

  /** Newest first. */
  page(page: AuditPage): AuditRow[] {
    const { sql, values } = auditCondition({ ...page, site: undefined });
    return this.#store.all(
      `SELECT id, at, actor, kind, study, NULL AS site, detail FROM trail
       WHERE ${sql} ORDER BY id DESC LIMIT ?`,
      ...values,
      page.limit,
    ) as unknown as AuditRow[];
  }
}

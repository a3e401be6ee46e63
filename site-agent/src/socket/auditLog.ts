import type { AgentAuditRow } from "@consilium/core/hospital/agentApi";
import type { Store } from "@consilium/runtime/store/store";

/** What a person did through the agent's socket. */
interface AuditEvent {
  /** The account's name, as the console gives it, or the user of the command line. */
  readonly actor: string;
  readonly kind: string;
  readonly study?: string;
  readonly detail?: string;
}

/**
 * What people have changed through the agent: at its console, or by the command line. The console copies it into its own
 * audit log, which has sign-ins and accounts as well. It stays at the site.
 */
export class AuditLog {
  readonly #store: Store;
  readonly #now: () => number;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  record({ actor, kind, study, detail }: AuditEvent): void {
    this.#store.run(
      "INSERT INTO trail (at, actor, kind, study, detail) VALUES (?, ?, ?, ?, ?)",
      this.#now(),
      actor,
      kind,
      study ?? null,
      detail ?? "",
    );
  }

  /** How many events there are. */
  count(): number {
    return Number(this.#store.get("SELECT count(*) AS events FROM trail")?.events);
  }

  /** Oldest first, those after an id. */
  after(id: number, limit: number): AgentAuditRow[] {
    return this.#store.all(
      "SELECT id, at, actor, kind, study, detail FROM trail WHERE id > ? ORDER BY id LIMIT ?",
      id,
      limit,
    ) as unknown as AgentAuditRow[];
  }
}

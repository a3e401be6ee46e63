import { ConsiliumError } from "@consilium/core/errors";
import type { AgentAuditRow } from "@consilium/core/hospital/agentApi";
import type { HospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import { type AuditPage, type AuditRow, auditCondition } from "@consilium/runtime/http/access/audit";
import type { TrailEvent } from "@consilium/runtime/http/access/gate";
import type { Logger } from "@consilium/runtime/log";
import { logAudited } from "@consilium/runtime/logging/audited";
import type { Store } from "@consilium/runtime/store/store";

interface AuditLogContext {
  readonly store: Store;
  readonly agent: Pick<HospitalAgent, "audit">;
  readonly now: () => number;
  readonly log: Logger;
}

/** Lines of the agent that are copied at once. */
const copiedAtOnce = 1_000;

/**
 * The site's audit log. The agent itself logs actions on studies, policy and ledger, including those by the command
 * line; its lines are copied here, so that one log has all events in order.
 */
export class AuditLog {
  readonly #context: AuditLogContext;
  readonly #audited: ReturnType<typeof logAudited>;
  #copying: Promise<void> | null = null;

  constructor(context: AuditLogContext) {
    this.#context = context;
    this.#audited = logAudited(context.log.child("audit"));
  }

  /** Of the console itself: a sign-in, a change of an account. */
  record({ actor, kind, study, detail }: TrailEvent): void {
    const { store, now } = this.#context;
    this.#audited({ actor, kind, study, detail });
    store.run(
      "INSERT INTO audit (at, actor, kind, study, detail) VALUES (?, ?, ?, ?, ?)",
      now(),
      actor,
      kind,
      study ?? null,
      detail,
    );
  }

  /** Takes the agent's new lines. While the agent does not answer they stay there, and come later. */
  copyFromAgent(): Promise<void> {
    this.#copying ??= this.#copy().finally(() => {
      this.#copying = null;
    });
    return this.#copying;
  }

  /** Newest first. */
  page(page: AuditPage): AuditRow[] {
    const { sql, values } = auditCondition({ ...page, site: undefined });
    return this.#context.store.all(
      `SELECT id, at, actor, kind, study, NULL AS site, detail FROM audit
       WHERE ${sql} ORDER BY id DESC LIMIT ?`,
      ...values,
      page.limit,
    ) as unknown as AuditRow[];
  }

  async #copy(): Promise<void> {
    const { agent, log } = this.#context;
    try {
      // From the line that was copied last on, to see that it is still there.
      const last = this.#lastCopied();
      let lines = await agent.audit({ after: (last?.id ?? 1) - 1, limit: copiedAtOnce });
      // An older copy of the agent's store has come back: its lines begin anew after that copy.
      if (last !== null && lines[0]?.at !== last.at)
        lines = await agent.audit({ after: 0, limit: copiedAtOnce });
      for (;;) {
        this.#keep(lines);
        if (lines.length < copiedAtOnce) return;
        lines = await agent.audit({ after: lines.at(-1)!.id, limit: copiedAtOnce });
      }
    } catch (thrown) {
      if (thrown instanceof ConsiliumError && thrown.code === "UNREACHABLE") return;
      log.error("cannot copy the agent's audit log", {}, thrown);
    }
  }

  #lastCopied(): { readonly id: number; readonly at: number } | null {
    const row = this.#context.store.get(
      "SELECT agent_id AS id, at FROM audit WHERE agent_id IS NOT NULL ORDER BY audit.id DESC LIMIT 1",
    );
    return row === undefined ? null : { id: Number(row.id), at: Number(row.at) };
  }

  /** Those that are not here yet. */
  #keep(lines: readonly AgentAuditRow[]): void {
    const { store } = this.#context;
    store.transaction(() => {
      for (const { id, at, actor, kind, study, detail } of lines) {
        const isNew = store.run(
          `INSERT INTO audit (at, actor, kind, study, detail, agent_id) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (agent_id, at) DO NOTHING`,
          at,
          actor,
          kind,
          study,
          detail,
          id,
        );
        if (isNew > 0) this.#audited({ actor, kind, study, detail });
      }
    });
  }
}

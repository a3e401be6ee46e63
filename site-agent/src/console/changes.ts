import { createHash } from "node:crypto";
import type { SiteEventView } from "@consilium/core/hospital/eventViews";
import type { Ledger } from "../ledger/ledger.js";
import type { EgressLog } from "../outbox/egressLog.js";
import type { PolicyFile } from "../policy/policyFile.js";
import type { SiteRecords } from "../studies/records.js";

/** What the pages are told about. */
interface ChangesContext {
  readonly records: Pick<SiteRecords, "standing">;
  readonly egress: Pick<EgressLog, "studyMessages">;
  readonly ledger: Pick<Ledger, "totals" | "head">;
  readonly policy: Pick<PolicyFile, "status">;
  readonly connection: { readonly status: { readonly connected: boolean; readonly lastFault: unknown } };
}

const lookEveryMs = 1_000;

/**
 * Tells pages that something is different. It looks once a second while anybody watches, whatever made the difference:
 * the aggregator, a command in a terminal, or an editor that wrote the policy file.
 */
export class Changes {
  readonly #context: ChangesContext;
  readonly #watchers = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #seen = "";

  constructor(context: ChangesContext) {
    this.#context = context;
  }

  now(): SiteEventView {
    const { records, egress, ledger, policy, connection } = this.#context;
    const standing = records.standing();
    const { state, sha256, fault } = policy.status();
    const { sequence } = ledger.head();
    return {
      connected: connection.status.connected,
      waiting: standing.filter(({ status }) => status === "waiting for approval").length,
      studies: digest(standing),
      ledger: String(sequence),
      egress: String(egress.studyMessages()),
      policy: digest([state, sha256, fault]),
    };
  }

  /** @returns ends it */
  subscribe(changed: () => void): () => void {
    this.#watchers.add(changed);
    if (this.#timer === undefined) {
      this.#seen = JSON.stringify(this.now());
      this.#timer = setInterval(() => this.#look(), lookEveryMs);
      this.#timer.unref();
    }
    return () => {
      this.#watchers.delete(changed);
      if (this.#watchers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #look(): void {
    const now = JSON.stringify(this.now());
    if (now === this.#seen) return;
    this.#seen = now;
    for (const changed of [...this.#watchers]) changed();
  }
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}

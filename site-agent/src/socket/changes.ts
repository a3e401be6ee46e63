import { createHash } from "node:crypto";
import type { SiteEventView } from "@consilium/core/hospital/eventViews";
import type { EgressLog } from "../ledger/egressLog.js";
import type { Ledger } from "../ledger/ledger.js";
import type { PolicyFile } from "../policy/policyFile.js";
import type { SiteRecords } from "../studies/records.js";
import type { AuditLog } from "./auditLog.js";

/** What the pages are told about. */
export interface ChangesContext {
  readonly records: Pick<SiteRecords, "standing">;
  readonly egress: Pick<EgressLog, "studyMessages">;
  readonly ledger: Pick<Ledger, "totals" | "head">;
  readonly policy: Pick<PolicyFile, "status">;
  /** A first approval, a question and an answer leave no other trace in a study's standing. */
  readonly auditLog: Pick<AuditLog, "count">;
  readonly connection: { readonly status: { readonly connected: boolean; readonly lastFault: unknown } };
}

/** A text for each thing that the pages show, which differs whenever that does. */
export function changesNow({
  records,
  egress,
  ledger,
  policy,
  connection,
  auditLog,
}: ChangesContext): SiteEventView {
  const standing = records.standing();
  const { state, sha256, fault } = policy.status();
  const { sequence } = ledger.head();
  return {
    connected: connection.status.connected,
    waiting: standing.filter(({ status }) => status === "waiting for approval").length,
    studies: digest([standing, auditLog.count()]),
    ledger: String(sequence),
    egress: String(egress.studyMessages()),
    policy: digest([state, sha256, fault]),
  };
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}

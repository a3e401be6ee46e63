import type { Sha256, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import type { HttpServer } from "@consilium/runtime/http/server";
import type { Logger } from "@consilium/runtime/log";
import { z } from "zod";
import type { PolicyFile } from "../policy/policyFile.js";
import type { SiteRecords } from "../studies/records.js";
import type { Anchors } from "./anchors.js";
import { egressView } from "./egress.js";
import type { SignedEntry } from "./entry.js";
import { exportText } from "./exported.js";
import type { Ledger } from "./ledger.js";
import { type Kept, keptInFile, keptPositions, type LedgerReport, reportOn } from "./report.js";
import { ledgerView } from "./views.js";

/** What the hospital's tools ask the running agent about the ledger. */
export interface LedgerRoutesContext {
  readonly ledger: Ledger;
  readonly anchors: Anchors;
  readonly records: SiteRecords;
  readonly policy: PolicyFile;
  readonly stateFolder: string;
  /** Of the site's signing key. */
  readonly fingerprint: () => Sha256;
  readonly now: () => number;
  readonly log: Logger;
}

const abandonedReason = "it was under way when this site was set back to an older copy of its state";

const read = { config: { role: "approver" } } as const;
const position = z.string().max(200);
/** Positions that somebody kept, each `sequence:hash`. */
const verifyQuery = z.object({ anchor: z.union([position, z.array(position).max(100)]).default([]) });

/** The ledger and the log of what left, for the hospital's own tools. */
export function routeLedger(server: HttpServer, context: LedgerRoutesContext): void {
  const { ledger, policy, records } = context;
  server.get("/api/ledger", read, async () => ledgerView(ledger, unwrap(policy.read())));
  server.get("/api/egress", read, async () =>
    egressView(records.egress(), ledger.entries(), unwrap(policy.read())),
  );
  server.get("/api/ledger/verify", { ...read, schema: { querystring: verifyQuery } }, async ({ query }) =>
    verified(context, keptPositions([query.anchor].flat())),
  );
  server.get(
    "/api/ledger/export",
    { ...read, schema: { answerType: "application/jsonl" } },
    async (_, reply) =>
      reply
        .type("application/jsonl; charset=utf-8")
        .send(exportText({ entries: ledger.entries(), head: ledger.signedHead() })),
  );
  server.post("/api/ledger/reconcile", { config: { role: "administrator" } }, async () =>
    reconciled(context),
  );
}

/** Of the entries as they lie in the store, not as they are in memory. */
function verified(context: LedgerRoutesContext, positions: readonly Kept[]): LedgerReport {
  const { ledger, stateFolder, fingerprint } = context;
  unwrap(ledger.verify());
  const kept = [...keptInFile(stateFolder), ...positions];
  const report = unwrap(reportOn(ledger.entries(), { fingerprint: fingerprint(), kept }));
  const { behind } = ledger;
  if (behind === null || report.anchors.some(({ hash }) => hash === behind.hash)) return report;
  const { sequence, hash } = behind;
  return {
    ...report,
    anchors: [...report.anchors, { from: "the aggregator", sequence, hash, state: "missing" }],
  };
}

/**
 * Charges what is missing. Studies that were under way on this copy end here: what this hospital has sent of them since
 * the copy was made is unknown to it, and keys that were used must not be used again.
 */
async function reconciled(context: LedgerRoutesContext) {
  const { ledger, anchors, records, policy, now, log } = context;
  const charged: SignedEntry[] = [];
  const abandoned: StudyId[] = [];
  records.transaction(() => {
    for (let entry = ledger.reconcile(); entry !== null; entry = ledger.reconcile()) charged.push(entry);
    if (charged.length === 0) return;
    abandoned.push(...records.abandonAll(abandonedReason, now()));
    for (const id of abandoned) ledger.release(id);
  });
  if (charged.length > 0) {
    await anchors.keep(ledger);
    log.warn("the ledger was reconciled", { entries: charged.length, studiesAbandoned: abandoned.length });
  }
  const entries = charged.map(({ entry }) => entry.sequence);
  return { entries, abandoned, ledger: ledgerView(ledger, unwrap(policy.read())) };
}

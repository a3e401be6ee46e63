import {
  egressSchema,
  ledgerReportSchema,
  ledgerSchema,
  ledgerSeriesSchema,
  reconcileBody,
  reconciledSchema,
} from "@consilium/core/hospital/ledgerViews";
import type { Sha256, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import type { HttpServer } from "@consilium/runtime/http/server";
import type { Logger } from "@consilium/runtime/log";
import { z } from "zod";
import type { KnownTables } from "../data/tableSources.js";
import type { EgressLog } from "../outbox/egressLog.js";
import type { PolicyFile } from "../policy/policyFile.js";
import type { SiteRecords } from "../studies/records.js";
import type { Anchors } from "./anchors.js";
import { declared } from "./declared.js";
import { egressView } from "./egress.js";
import { egressCsv } from "./egressCsv.js";
import type { SignedEntry } from "./entry.js";
import { exportText } from "./exported.js";
import type { Ledger } from "./ledger.js";
import { type Kept, keptInFile, keptPositions, type LedgerReport, reportOn } from "./report.js";
import { ledgerSeries } from "./series.js";
import { ledgerView } from "./views.js";

/** What the hospital's tools ask the running agent about the ledger. */
export interface LedgerRoutesContext {
  readonly ledger: Ledger;
  readonly anchors: Anchors;
  readonly records: SiteRecords;
  readonly egress: EgressLog;
  readonly policy: PolicyFile;
  readonly knownTables: KnownTables;
  readonly stateFolder: string;
  /** Of the site's signing key. */
  readonly fingerprint: () => Sha256;
  readonly now: () => number;
  readonly log: Logger;
}

const abandonedReason = "it was under way when this site was set back to an older copy of its state";

const config = { role: "approver" } as const;
const position = z.string().max(200);
/** Positions that somebody kept, each `sequence:hash`. */
const verifyQuery = z.object({ anchor: z.union([position, z.array(position).max(100)]).default([]) });

/** The ledger and the log of what left, for the hospital's own tools. */
export function routeLedger(server: HttpServer, context: LedgerRoutesContext): void {
  const { ledger, policy, knownTables } = context;
  server.get(
    "/api/ledger",
    { config, schema: { summary: "The ledger", response: { 200: ledgerSchema } } },
    async () => ledgerView(ledger, unwrap(policy.read()), knownTables),
  );
  server.get(
    "/api/ledger/series",
    {
      config,
      schema: {
        summary: "Each population's spending over time",
        response: { 200: z.array(ledgerSeriesSchema) },
      },
    },
    async () => ledgerSeries(ledger.entries(), unwrap(policy.read()), knownTables),
  );
  server.get(
    "/api/ledger/verify",
    {
      config,
      schema: {
        summary: "Whether the ledger holds: its chain, its signatures, and what was kept of it elsewhere",
        querystring: verifyQuery,
        response: { 200: ledgerReportSchema },
      },
    },
    async ({ query }) => verified(context, keptPositions([query.anchor].flat())),
  );
  server.get(
    "/api/ledger/export",
    {
      config,
      schema: {
        summary: "The signed entries, one per line",
        description: "`consilium ledger verify` checks such a file, offline.",
        answerType: "application/jsonl",
      },
    },
    async (_, reply) =>
      reply
        .type("application/jsonl; charset=utf-8")
        .header("content-disposition", 'attachment; filename="ledger.jsonl"')
        .send(exportText({ entries: ledger.entries(), head: ledger.signedHead() })),
  );
  server.post(
    "/api/ledger/reconcile",
    {
      config: { role: "administrator", does: "reconciled the ledger" },
      schema: {
        summary: "Charges what an old copy of the ledger has lost",
        description:
          "For an agent that was restored from an old backup. Until then nothing is spent. Where this hospital has kept only the place of a head, the body has to say what is charged.",
        body: reconcileBody.nullish(),
        response: { 200: reconciledSchema },
      },
    },
    async ({ body }) => reconciled(context, body?.charge ?? null),
  );
  routeEgress(server, context);
}

function routeEgress(server: HttpServer, { ledger, policy, egress }: LedgerRoutesContext): void {
  const log = () => egressView(egress.entries(), ledger.entries(), unwrap(policy.read()));
  server.get(
    "/api/egress",
    { config, schema: { summary: "Everything that was sent", response: { 200: z.array(egressSchema) } } },
    async () => log(),
  );
  server.get(
    "/api/egress/export",
    { config, schema: { summary: "Everything that was sent, as CSV", answerType: "text/csv" } },
    async (_, reply) =>
      reply
        .type("text/csv; charset=utf-8; header=present")
        .header("content-disposition", 'attachment; filename="egress.csv"')
        .send(egressCsv(log())),
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
async function reconciled(context: LedgerRoutesContext, charge: number | null) {
  const { ledger, anchors, records, policy, knownTables, now, log } = context;
  const present = unwrap(policy.read());
  const declare = charge === null ? null : declared(charge, { ledger, policy: present, tables: knownTables });
  const charged: SignedEntry[] = [];
  const abandoned: StudyId[] = [];
  records.transaction(() => {
    const next = () => ledger.reconcile(declare);
    for (let entry = next(); entry !== null; entry = next()) charged.push(entry);
    if (charged.length === 0) return;
    abandoned.push(...records.abandonAll(abandonedReason, now()));
    for (const id of abandoned) ledger.release(id);
  });
  if (charged.length > 0) {
    await anchors.keep(ledger);
    log.warn("the ledger was reconciled", { entries: charged.length, studiesAbandoned: abandoned.length });
  }
  const entries = charged.map(({ entry }) => entry.sequence);
  return { entries, abandoned, ledger: ledgerView(ledger, present, knownTables) };
}

import type { ApprovalRecordsView } from "@consilium/core/hospital/approvalRecords";
import type {
  CompactedView,
  EgressView,
  LedgerSeriesView,
  LedgerView,
  ReconciledView,
} from "@consilium/core/hospital/ledgerViews";
import type { Sha256, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { lines } from "@consilium/core/said";
import type { Logger } from "@consilium/runtime/log";
import type { Store } from "@consilium/runtime/store/store";
import type { StudySays } from "@consilium/words/says/studies";
import type { PolicyFile } from "../policy/policyFile.js";
import type { SiteRecords } from "../studies/records.js";
import type { KnownTables } from "../tables/knownTables.js";
import type { Anchors } from "./anchors.js";
import { archivedOf } from "./archived.js";
import { egressView } from "./egress.js";
import type { EgressLog } from "./egressLog.js";
import type { SignedEntry } from "./entry.js";
import type { Ledger } from "./ledger.js";
import { ledgerView } from "./ledgerView.js";
import type { LedgerReport } from "./report.js";

/** What answers about the ledger are made from. */
export interface LedgerContext {
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

const abandonedReason = lines<StudySays>()("study.older-copy", {});

export function ledgerNow({ ledger, policy, knownTables }: LedgerContext): LedgerView {
  return ledgerView(ledger, unwrap(policy.read()), knownTables);
}

/** Each population's spending over time. */
export async function seriesNow({ ledger, policy, knownTables }: LedgerContext): Promise<LedgerSeriesView[]> {
  const { ledgerSeries } = await import("./series.js");
  return ledgerSeries(ledger.entries(), unwrap(policy.read()), knownTables);
}

/** The signed entries, one per line; `consilium ledger verify` checks such a file, offline. */
export async function exportNow({ ledger }: LedgerContext): Promise<string> {
  const { exportText } = await import("./exportText.js");
  return exportText({ entries: ledger.entries(), head: ledger.signedHead() });
}

/** What is kept of a study's approvals, after the ledger was verified. @throws as `approvalRecords`; LEDGER_BROKEN */
export async function approvalsNow(
  { ledger, stateFolder }: LedgerContext,
  store: Store,
  given: string,
): Promise<ApprovalRecordsView> {
  unwrap(ledger.verify());
  const { approvalRecords } = await import("./approvalRecords.js");
  return approvalRecords(store, (await joined(ledger.entries(), stateFolder)).entries, given);
}

/** Everything that was sent, with what it cost; of archived charges as far as the archives are in the state folder. */
export async function egressNow(context: LedgerContext): Promise<EgressView[]> {
  const { ledger, policy, egress, stateFolder } = context;
  const live = ledger.entries();
  const entries = archivedOf(live) === null ? live : (await joined(live, stateFolder)).entries;
  return egressView(egress.entries(), entries, unwrap(policy.read()));
}

async function joined(live: readonly SignedEntry[], stateFolder: string) {
  const { joinArchives } = await import("./archives.js");
  return joinArchives(live, { stateFolder, given: [] });
}

/**
 * Of the entries as they lie in the store, not as they are in memory, and of those in archives in the state folder.
 * @param anchors - positions that somebody kept, each `sequence:hash`
 */
export async function verified(context: LedgerContext, anchors: readonly string[]): Promise<LedgerReport> {
  const { keptInFile, keptPositions, reportOn } = await import("./report.js");
  const positions = keptPositions(anchors);
  const { ledger, stateFolder, fingerprint } = context;
  unwrap(ledger.verify());
  const kept = [...keptInFile(stateFolder), ...positions];
  const { entries, archives } = await joined(ledger.entries(), stateFolder);
  const report = unwrap(reportOn(entries, { fingerprint: fingerprint(), kept, archives }));
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
export async function reconciled(context: LedgerContext, charge: number | null): Promise<ReconciledView> {
  const { ledger, anchors, records, policy, knownTables, now, log } = context;
  const { declared } = await import("./declared.js");
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

/** Moves old entries into an archive. */
export async function compactedNow(
  context: LedgerContext,
  asked: { readonly before: number; readonly dryRun: boolean },
): Promise<CompactedView> {
  const { compacted } = await import("./compaction.js");
  return compacted(context, asked);
}

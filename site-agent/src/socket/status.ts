import { statfs } from "node:fs/promises";
import { errorTable, isErrorCode } from "@consilium/core/errors";
import type { SiteStatusView } from "@consilium/core/hospital/statusViews";
import type { SiteStudyStatus } from "@consilium/core/hospital/studyViews";
import { isFew } from "@consilium/core/hospital/usableRows";
import type { StudyId } from "@consilium/core/ids";
import { softwareVersion } from "@consilium/core/version";
import { counted } from "@consilium/core/words";
import type { FoundTable } from "../data/snapshot.js";
import type { TableUnit } from "../data/tableUnit.js";
import { budgetUses, unprovenStudies } from "../ledger/budgetUse.js";
import type { Ledger } from "../ledger/ledger.js";
import type { PolicyFile } from "../policy/policyFile.js";
import type { Connection } from "../rpc/connection.js";
import type { Greeting } from "../rpc/greeting.js";
import type { Approvals } from "../studies/approvals.js";
import type { ExpelledList } from "../studies/expelledList.js";
import type { SiteRecords, StudySummary } from "../studies/records.js";
import { zerosOf } from "../studies/zeros.js";
import { isReadApart } from "../tables/apart.js";
import type { KnownTables } from "../tables/knownTables.js";
import type { Tables } from "../tables/tables.js";

export interface StatusContext {
  readonly connection: Connection;
  readonly records: SiteRecords;
  readonly tables: Pick<Tables, "names">;
  readonly knownTables: KnownTables;
  readonly approvals: Pick<Approvals, "of">;
  readonly policy: PolicyFile;
  readonly ledger: Ledger;
  readonly expelledList: Pick<ExpelledList, "view">;
  readonly greeting: Pick<Greeting, "leftOut">;
  readonly stateFolder: string;
  /** `host:port` that the agent dials. */
  readonly aggregator: string;
  readonly startedAt: number;
  /** Socket of the door of another user, who reads the tables; null where there is none. */
  readonly tablesDoor: string | null;
}

/** Of studies the status shows so many, the newest; `studies` answers with all of them, page by page. */
const shownStudies = 100;

/** How the site stands, for its own hospital. */
export async function statusView(context: StatusContext): Promise<SiteStatusView> {
  const { connection, records, tables, policy, ledger } = context;
  const { status, identity } = connection;
  const policyNow = policy.read();
  return {
    site: identity.id,
    federation: identity.federation,
    software: softwareVersion,
    startedAt: iso(context.startedAt),
    aggregator: context.aggregator,
    connected: status.connected,
    connectedSince: status.since === null ? null : iso(status.since),
    lastFault: status.lastFault === null ? null : faultView(status.lastFault),
    aggregatorSoftware: status.aggregatorSoftware,
    certificateExpiresAt: iso(identity.notAfter),
    certificateRenewsAt: iso(identity.renewAtMs),
    signingKeyFingerprint: identity.fingerprint,
    expelledList: context.expelledList.view(),
    tables: [...tables.names],
    tablesApart: await isReadApart(context.tablesDoor),
    leftOut: context.greeting.leftOut.map(({ table, fault: { code, message, remedy } }) => ({
      table,
      code,
      message,
      remedy,
    })),
    units: Object.fromEntries(
      tables.names.map((table) => [table, unitWords(context.knownTables.unit(table))]),
    ),
    policy: policy.status(),
    ledger: { entries: ledger.head().sequence, behind: ledger.behind !== null },
    budgets: policyNow.ok ? budgetUses(ledger.totals, policyNow.value, context.knownTables, records) : [],
    unproven: unprovenStudies(ledger.entries(), (id) => runningState(records, id)),
    disk: await diskOf(context.stateFolder),
    studies: records.studies({ limit: shownStudies }).map((study) => ({
      id: study.id,
      name: study.name,
      status: study.status,
      firstSeenAt: iso(study.firstSeenAt),
      endedAt: study.endedAt === null ? null : iso(study.endedAt),
      code: study.localCode,
      reason: study.localReason,
      zeros: zerosOf(study),
      fewUsed: fewUsed(study, context),
    })),
  };
}

/** Of a study that no person approved. Its table was read once it was joined: before, a look would tell of records. */
function fewUsed(
  { id, tableFound, lookedAt }: StudySummary,
  { policy, approvals }: StatusContext,
): SiteStatusView["studies"][number]["fewUsed"] {
  const read = policy.read();
  if (tableFound === null || lookedAt !== null || !read.ok) return null;
  if (approvals.of(id)?.decision === "approved") return null;
  // An earlier version did not note how many rows are outside.
  const found: FoundTable = { outside: 0, ...JSON.parse(tableFound) };
  const { rows, used, malformed, outside, overBound, unsampled } = found;
  const meant = rows + malformed - outside - overBound - unsampled;
  return isFew(used, meant, read.value.minimumUsable) ? { used, meant } : null;
}

const isUnderWay: ReadonlySet<SiteStudyStatus> = new Set(["joined", "waiting"]);

function runningState(records: SiteRecords, id: string) {
  const study = records.study(id as StudyId);
  return study === null ? null : { name: study.name, isRunning: isUnderWay.has(study.status) };
}

function unitWords(unit: TableUnit): string {
  if (unit.kind === "patient") return `patient of at most ${counted(unit.maxRows, "row")}`;
  return unit.declared ? "row" : "row (not declared)";
}

function faultView({ code, message }: { readonly code: string; readonly message: string }) {
  const remedy = isErrorCode(code) ? errorTable[code].remedy : "run the doctor";
  return { code, message, remedy };
}

async function diskOf(folder: string): Promise<SiteStatusView["disk"]> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

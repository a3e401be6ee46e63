import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type { StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { studyDocument } from "@consilium/core/study/study";
import { nothingFound } from "@consilium/core/testing/nothingFound";
import { parseStudy } from "@consilium/methods/testing/studies";
import { createLogger } from "@consilium/runtime/log";
import { createMetrics } from "@consilium/runtime/metrics";
import { testDisk } from "@consilium/runtime/testing/store/disk";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { parse } from "yaml";
import { unresolvedTables } from "../../src/data/tableSources.js";
import { runningDoctor } from "../../src/doctor/running.js";
import { tablesNow } from "../../src/doctor/tablesNow.js";
import { Anchors } from "../../src/ledger/anchors.js";
import { EgressLog } from "../../src/ledger/egressLog.js";
import { PolicyEditor } from "../../src/policy/policyEditor.js";
import { PolicyFile } from "../../src/policy/policyFile.js";
import { SpokenProtocol } from "../../src/rpc/spokenProtocol.js";
import type { AgentContext } from "../../src/socket/agent.js";
import { AuditLog } from "../../src/socket/auditLog.js";
import { Approvals } from "../../src/studies/approvals.js";
import { SiteRecords } from "../../src/studies/records.js";
import { SiteMethods } from "../../src/studies/siteMethods.js";
import type { CheckedProfile } from "../../src/tables/tables.js";
import { testFacts } from "../dataProtection/facts.js";
import { testLedger } from "../ledger/ledger.js";

/** An agent of which only the ledger, the records of studies and the policy are real. For tests. */

export const testLog = createLogger({ service: "test", level: "error" });
export const policyText = "# ours\npopulations:\n  default: { epsilon: 2, delta: 1.0e-6 }\n";
export const offered = {
  id: "vitals-0123456789" as StudyId,
  name: "vitals",
  ...studyDocument(
    unwrap(
      parseStudy({
        name: "vitals",
        table: "visits",
        analysis: "pca",
        method: "dp-pca",
        variant: "sound",
        parameters: { components: 2 },
        privacy: { epsilon: 0.5, delta: 1e-6 },
        participation: { maxRowsPerSite: 1000, minimumSites: 3, tolerateColluding: 1 },
        features: [
          { name: "age", type: "numeric", min: 0, max: 120 },
          { name: "bmi", type: "numeric", min: 10, max: 60 },
        ],
      }),
    ),
  ),
};

const report: CheckedProfile = {
  check: nothingFound,
  table: "visits",
  study: "vitals",
  files: 1,
  rows: 3,
  used: 3,
  rejected: 0,
  outside: null,
  malformed: 0,
  unsampled: 0,
  maxRowsPerSite: 1000,
  patients: null,
  columns: [
    {
      name: "age",
      type: "numeric",
      unit: null,
      declared: { min: 0, max: 120 },
      missing: 0,
      rejectedRows: 0,
      constant: false,
      below: 1,
      above: 2,
      commonestBelow: { value: -9, rows: 1 },
      commonestAbove: { value: 999, rows: 2 },
      min: 33.25,
      mean: 44.25,
      max: 55.25,
      stdDev: 11.25,
    },
  ],
  label: null,
  problems: [],
};

/** @param folder - the state folder, into which the policy is written */
export async function testAgent(folder: string) {
  await writeFile(join(folder, "policy.yaml"), policyText);
  const { ledger, store, owner } = testLedger();
  const records = new SiteRecords(store);
  const egress = new EgressLog(store);
  const approvals = new Approvals(store);
  const policy = new PolicyFile(join(folder, "policy.yaml"));
  const status = {
    connected: false,
    since: null,
    lastFault: { code: "UNREACHABLE", message: "nobody answers", route: null },
    aggregatorSoftware: null,
  };
  const fingerprint = sha256(owner.signingPublicKey);
  const identity = {
    id: "st-mary",
    role: "site",
    federation: "test",
    fingerprint,
    notAfter: 2e12,
    renewAtMs: 1.9e12,
  };
  const connection = { status, identity } as unknown as AgentContext["connection"];
  const expelledList = {
    view: () => ({
      number: 3,
      sites: 1,
      issuedAt: "2026-01-01T00:00:00.000Z",
      nextUpdate: "2027-02-05T00:00:00.000Z",
      confirmedAt: "2026-03-01T00:00:00.000Z",
      fault: null,
    }),
  };
  const refused = new ConsiliumError("APPROVAL_LATE", "it was to be approved earlier");
  const now = () => 1_700_000_000_000;
  const auditLog = new AuditLog(store, now);
  const methods = new SiteMethods();
  const knownTables = unresolvedTables([{ name: "visits", unit: "rows" }]);
  const editor = new PolicyEditor({ path: policy.path, stateFolder: folder, now, tables: knownTables });
  const spokenProtocol = new SpokenProtocol(records, fingerprint);
  const context = {
    connection,
    spokenProtocol,
    records,
    egress,
    approvals,
    policy,
    methods,
    ledger,
    allowNoPrivacy: false,
    facts: async () => testFacts({ policy: parse(policyText) as object, ledger }),
    expelledList,
    greeting: { leftOut: [] },
    doctor: runningDoctor({
      greeting: { leftOut: [] },
      stateFolder: folder,
      tables: { examine: (studies, text) => tablesNow({ path: join(folder, "config.yaml"), text }, studies) },
      aggregator: "aggregator.example:7443",
      proxy: null,
      connection,
      expelledList,
      records,
      methods,
      policy,
      knownTables,
      tablesDoor: null,
      now: Date.now,
    }),
    tables: { names: ["visits"], profile: async () => report },
    knownTables,
    tablesDoor: null,
    joining: {
      approve: async () => Promise.reject(refused),
      refuse: (study: typeof offered.id, _by: string, _reason: string | null, kept: string) =>
        store.transaction(() => ledger.refuse(study, approvals.keepRecord(study, kept))),
    },
    disk: testDisk(),
    metrics: createMetrics({ service: "test", version: "0" }),
    ledgerMetrics: createMetrics({ service: "test", version: "0", processMetrics: false }),
    anchors: new Anchors(folder),
    stateFolder: folder,
    fingerprint: () => fingerprint,
    now,
    log: testLog,
    aggregator: "aggregator.example:7443",
    startedAt: 1_600_000_000_000,
    auditLog,
    questions: () => null,
    store,
    console: async () => ({ settings: {}, logs: undefined, logLevel: "info" }),
    configPath: join(folder, "config.yaml"),
    editor: async () => editor,
  } as unknown as AgentContext;
  return { context, ledger, store, egress, records, approvals, auditLog, spokenProtocol };
}

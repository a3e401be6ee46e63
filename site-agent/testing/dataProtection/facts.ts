import type { Sha256, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { siteConfigSchema } from "../../src/config.js";
import { unresolvedTables } from "../../src/data/tableSources.js";
import type { SiteFacts, StudyFacts } from "../../src/dataProtection/facts.js";
import type { EgressEntry } from "../../src/ledger/egressLog.js";
import { policySchema } from "../../src/policy/policy.js";
import type { Approval } from "../../src/studies/approvals.js";
import type { SiteStudy } from "../../src/studies/records.js";
import { testLedger } from "../ledger/ledger.js";

/** Facts of a hospital that exists in tests alone. */

/** What a test says of a site in the words of its files. */
interface FactsGiven extends Partial<Omit<SiteFacts, "config" | "policy">> {
  readonly config?: object;
  readonly policy?: object;
}

export function testFacts({ config = {}, policy = {}, ...given }: FactsGiven = {}): SiteFacts {
  const parsed = siteConfigSchema.parse({
    aggregator: "aggregator.example.org:7443",
    tables: { visits: { path: "/data/visits.csv" } },
    ...config,
  });
  return {
    at: Date.UTC(2026, 2, 1, 10, 30),
    software: "0.1.0",
    agent: { aggregatorSoftware: "0.1.0" },
    identity: {
      site: "st-mary",
      federation: "north-sea",
      rootFingerprint: "aa".repeat(32),
      signingKeyFingerprint: "bb".repeat(32),
      notAfter: Date.UTC(2026, 3, 1),
    },
    config: parsed,
    knownTables: unresolvedTables(parsed.tables),
    proxy: null,
    descriptions: [{ name: "visits", columns: ["age", "bmi", "nhs"].map((name) => ({ name, type: "any" })) }],
    policy: policySchema.parse(policy),
    hasPolicyFile: true,
    studies: [],
    withoutText: [],
    egress: [],
    ledger: testLedger().ledger,
    permissions: [
      { path: "", mode: 0o700 },
      { path: "state.db", mode: 0o600 },
    ],
    kept: { ledgerEntries: 3, trailEvents: 4, policyVersions: 1 },
    ...given,
  };
}

export function testStudy(changes: object = {}): Study {
  return unwrap(
    parseStudy({
      name: "vitals",
      table: "visits",
      analysis: "pca",
      method: "dp-pca",
      variant: "sound",
      parameters: { components: 2 },
      privacy: { epsilon: 0.5, delta: 1e-6 },
      participation: { maxRowsPerSite: 1000, minimumSites: 4, tolerateColluding: 1 },
      features: [
        { name: "age", type: "numeric", min: 0, max: 120 },
        { name: "bmi", type: "numeric", min: 10, max: 60 },
      ],
      ...changes,
    }),
  );
}

/** As its authors published it: what nobody proved. */
export const paperStudy = () => testStudy({ method: "elfed-pca", variant: "paper" });

export function studyFacts(
  study: Study,
  record: Partial<SiteStudy> = {},
  approval: Partial<Approval> | null = null,
): StudyFacts {
  const id = "vitals-0123456789" as StudyId;
  return {
    study,
    record: {
      id,
      name: study.name,
      ...studyDocument(study),
      table: study.table,
      analysis: study.analysis,
      method: study.method,
      variant: study.variant,
      privacy: study.privacy === "none" ? "none" : JSON.stringify(study.privacy),
      status: "joined",
      localCode: null,
      localReason: null,
      contentHash: null,
      rows: null,
      tableFound: null,
      zeros: null,
      lookedAt: null,
      exchangeKey: new Uint8Array(32),
      joinSignature: null,
      exchangeSecret: null,
      setup: null,
      rosterHash: null,
      planHash: null,
      planText: null,
      rosterFixedAt: null,
      roster: null,
      firstSeenAt: Date.UTC(2026, 1, 1),
      endedAt: null,
      ...record,
    },
    approval: approval && {
      study: id,
      deadlineAt: 0,
      decision: null,
      decidedAt: null,
      decidedBy: null,
      reason: null,
      first: null,
      ...approval,
    },
  };
}

/** A study that this hospital had no part in. */
export const notJoined = { exchangeKey: null } as const;

export function egressEntry(entry: Partial<EgressEntry> = {}): EgressEntry {
  return {
    at: Date.UTC(2026, 1, 2),
    lastAt: Date.UTC(2026, 1, 2),
    messages: 1,
    isChained: false,
    study: "vitals-0123456789" as StudyId,
    step: "covariance",
    what: "masked vector",
    whom: "the aggregator",
    bytes: 1_000,
    sha256: "cc".repeat(32) as Sha256,
    charge: null,
    ...entry,
  };
}

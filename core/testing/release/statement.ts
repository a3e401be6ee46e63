/** Studies, sites and countersignatures for tests of certificates. Not part of any process. */

import { parseStudy } from "@consilium/methods/testing/studies";
import type { StatementChecks } from "@consilium/release/verify";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { generateSigningKey, type SigningKey, type SigningKeyPair } from "@consilium/secure-sum/crypto/sign";
import { canonicalJson } from "../../src/canonicalJson.js";
import { ConsiliumError } from "../../src/errors.js";
import { parseSiteId, type Sha256, type SiteId, type StageId, type StudyId } from "../../src/ids.js";
import type { DistributedDiscreteGaussianEvent, PrivacyEvent } from "../../src/privacy/events.js";
import { accountFor, totalOf } from "../../src/release/accounting.js";
import type { StageAttempt } from "../../src/release/attempts.js";
import { type Certificate, type CertificateParts, certificateFrom } from "../../src/release/certificate.js";
import { type Countersignature, signStatement } from "../../src/release/countersignature.js";
import {
  type StatementInput,
  statementHash,
  statementOf,
  statementText,
} from "../../src/release/statement.js";
import { err, ok, unwrap } from "../../src/result.js";
import { broadcastsHash } from "../../src/study/broadcast.js";
import { type Plan, planStudy } from "../../src/study/plan.js";
import { type StudyDocument, studyDocument } from "../../src/study/study.js";

/** ELFedPCA on two columns, unless told otherwise; `participation` is merged. */
export function testStudy(overrides: Record<string, unknown> = {}): StudyDocument {
  const { participation, ...rest } = overrides as { participation?: object };
  const parsed = parseStudy({
    name: "sample",
    analysis: "pca",
    method: "elfed-pca",
    variant: "paper",
    table: "sample",
    features: ["age", "pressure"].map((name) => ({ name, type: "numeric", min: 0, max: 100 })),
    parameters: { components: 1 },
    privacy: { epsilon: 1, delta: 0.01 },
    participation: { maxRowsPerSite: 1000, ...participation },
    ...rest,
  });
  return studyDocument(unwrap(parsed));
}

export interface TestSite {
  readonly site: SiteId;
  readonly signingKey: Uint8Array;
  readonly privateKey: SigningKey;
}

/** Sites of these names, in order of ids. */
export function testSites(
  names: readonly string[] = ["north", "south", "west"],
  keyOf: (name: string) => SigningKeyPair = generateSigningKey,
): TestSite[] {
  return [...names].sort().map((name) => {
    const { publicKey, privateKey } = keyOf(name);
    return { site: unwrap(parseSiteId(name)), signingKey: publicKey, privateKey };
  });
}

/** One attempt at every stage, with everybody. */
function attemptsOf(plan: Plan, sites: readonly TestSite[]): StageAttempt[] {
  const survivors = sites.map((one) => one.site);
  return plan.stages.map((stage) => ({ stage: stage.id, attempt: 1, survivors }));
}

/** A result.json of a study that found nothing, and what a certificate lists of it. */
export const bareResult = canonicalJson({ columns: [], format: "consilium-result/1", rows: null });
export const bareResultFile = { name: "result.json", bytes: bareResult.length, sha256: sha256(bareResult) };

/** Stands for the root of an authority. */
export const testRoot = sha256("root");

/** A study that ran without any trouble. */
export function testRun(
  options: {
    document?: StudyDocument;
    sites?: readonly TestSite[];
    plan?: Plan;
    id?: string;
    federation?: StatementInput["federation"];
  } = {},
): StatementInput & { readonly document: StudyDocument; readonly sites: readonly TestSite[] } {
  const document = options.document ?? testStudy();
  const sites = options.sites ?? testSites();
  const plan = options.plan ?? planStudy(document.study);
  return {
    federation: options.federation ?? { name: "test-federation", root: testRoot },
    studyId: (options.id ?? "sample-0123456789") as StudyId,
    document,
    plan,
    roster: { hash: sha256("roster"), members: sites },
    attempts: attemptsOf(plan, sites),
    result: bareResultFile.sha256,
    broadcasts: broadcastsHash([]),
    sites,
  };
}

/** What these sites answer when they are asked to sign the statement. */
export function countersignaturesOf(
  statement: string,
  studyId: StudyId,
  sites: readonly TestSite[],
): Countersignature[] {
  return sites.map(({ site, privateKey }, index) => {
    const said = {
      site,
      ledgerHead: { sequence: 10 + index, hash: sha256(`head of ${site}`) },
      ledgerEntries: [sha256(`first entry of ${site}`), sha256(`second entry of ${site}`)] as Sha256[],
      software: "0.1.0",
    };
    const signature = signStatement(privateKey, { ...said, studyId, statement: statementHash(statement) });
    return { ...said, signature };
  });
}

/**
 * The certificate of a run, countersigned by all sites unless told otherwise. Chains are the site's name and its key: stand-
 * ins that `identifyTestSite` understands.
 */
export function testCertificate(
  run: ReturnType<typeof testRun>,
  overrides: Partial<CertificateParts> = {},
): Certificate {
  const statement = statementOf(run);
  return certificateFrom({
    statement,
    issuedAt: new Date("2026-01-02T03:04:05Z"),
    document: run.document,
    total: totalOf(run.plan, statement.attempts),
    chains: new Map(run.sites.map((one) => [one.site, [Buffer.from(one.site), one.signingKey]])),
    countersignatures: countersignaturesOf(statementText(statement), run.studyId, run.sites),
    files: [bareResultFile],
    ...overrides,
  });
}

/** Stands in for an authority that has certified what `testCertificate` gives as chains. */
export const identifyTestSite =
  (sites: readonly TestSite[]): StatementChecks["identifySite"] =>
  ([name, key]) => {
    const site = sites.find(
      (one) => Buffer.from(name!).toString() === one.site && Buffer.from(key!).equals(one.signingKey),
    );
    return site === undefined
      ? err(new ConsiliumError("CERTIFICATE_INVALID", "not certified"))
      : ok({ federation: "test-federation", role: "site", id: site.site, signingKey: site.signingKey });
  };

/** A plan of two proven sums under pairwise masks, which no study has: statements are checked against any plan. */
export function provedPlan(options: { readonly sites: number } = { sites: 5 }): Plan {
  const stageOf = (id: string, shareVariance: number): Plan["stages"][number] => {
    const event: DistributedDiscreteGaussianEvent = {
      kind: "distributed-discrete-gaussian",
      l2SensitivitySquared: 1_000_000,
      shareVariance,
      groups: [{ entries: 6, weight: 1 }],
      sites: options.sites,
      noiseShares: 2,
    };
    return {
      kind: "sum",
      id: id as StageId,
      broadcasts: [],
      length: 6,
      ringBits: 32,
      terms: { query: { kind: "vector", parts: 1, length: 6, limit: 1_000_000 }, scale: 1 },
      noise: { event, weights: { kind: "uniform" } },
      disclosure: {
        what: `the six sums of ${id}`,
        form: "masked sum",
        learns: "the aggregator: the noisy sum",
        mechanism: "distributed discrete Gaussian",
        normBound: 1000,
        sensitivity: 1000,
        cost: null,
        event,
      },
    };
  };
  const stages = [stageOf("first", 18_000_000), stageOf("second", 30_000_000)];
  const delta = 1e-5;
  const events: PrivacyEvent[] = stages.map((stage) => stage.disclosure.event);
  return {
    masking: "pairwise",
    setup: [],
    stages,
    claim: {
      verdict: "proved",
      epsilon: accountFor(events, delta).epsilon,
      delta,
      neighbouringRelation: "one record added or removed",
      unit: "one record of one site",
      proof: "docs/METHODS.md#none",
      reasons: [],
    },
    warnings: [],
  };
}

/** Certificates of format 2, as version 0.1 made them, for tests of what verifies them. Not part of any process. */

import type { Sha256, StudyId } from "@consilium/core/ids";
import type { StageAttempt } from "@consilium/core/release/attempts";
import { type Plan, planStudy } from "@consilium/core/study/plan";
import type { StudyDocument } from "@consilium/core/study/study";
import { type TestSite, testSites, testStudy } from "@consilium/core/testing/release/statement";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { type Certificate, type CertificateParts, certificateFrom } from "./certificate.js";
import { type Countersignature, signStatement } from "./countersignature.js";
import { type StatementInput, statementHash, statementOf, statementText } from "./statement.js";

export {
  identifyTestSite,
  provedPlan,
  type TestSite,
  testSites,
  testStudy,
} from "@consilium/core/testing/release/statement";

/** One attempt at every stage, with everybody. */
function attemptsOf(plan: Plan, sites: readonly TestSite[]): StageAttempt[] {
  const survivors = sites.map((one) => one.site);
  return plan.stages.map((stage) => ({ stage: stage.id, attempt: 1, survivors }));
}

/** A study that ran without any trouble. */
export function testRun(
  options: { document?: StudyDocument; sites?: readonly TestSite[]; plan?: Plan; id?: string } = {},
): StatementInput & { readonly document: StudyDocument; readonly sites: readonly TestSite[] } {
  const document = options.document ?? testStudy();
  const sites = options.sites ?? testSites();
  const plan = options.plan ?? planStudy(document.study);
  return {
    federation: "test-federation",
    studyId: (options.id ?? "sample-0123456789") as StudyId,
    document,
    plan,
    roster: { hash: sha256("roster"), members: sites },
    attempts: attemptsOf(plan, sites),
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
    facts: { scaling: "pooled" },
    chains: new Map(run.sites.map((one) => [one.site, [Buffer.from(one.site), one.signingKey]])),
    countersignatures: countersignaturesOf(statementText(statement), run.studyId, run.sites),
    software: { consilium: "0.1.0" },
    files: [],
    ...overrides,
  });
}

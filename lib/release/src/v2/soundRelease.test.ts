/** The certificates of the sound variant's own plan, as `verifyRelease` plans it. */

import { zcdpAccountant } from "@consilium/core/privacy/zcdp";
import { describe, expect, it } from "vitest";
import { readCertificate } from "../../testing/readCertificate.js";
import type { Certificate } from "../../testing/v2/certificate.js";
import {
  countersignaturesOf,
  identifyTestSite,
  testCertificate,
  testRun,
  testSites,
  testStudy,
} from "../../testing/v2/run.js";
import { statementOf, statementText } from "../../testing/v2/statement.js";
import { verifyStatement } from "./statement.js";

const sites = testSites(["a", "b", "c", "d", "e"]);
const sound = (overrides: Record<string, unknown> = {}) =>
  testStudy({
    method: "dp-pca",
    variant: "sound",
    privacy: { epsilon: 1, delta: 1e-3 },
    participation: { minimumSites: 4 },
    ...overrides,
  });
const verify = (certificate: Certificate) =>
  verifyStatement(readCertificate(certificate), { identifySite: identifyTestSite(sites) });

describe("a certificate of dp-pca", () => {
  it.each([
    ["in one round", {}],
    ["in two rounds", { parameters: { components: 1, form: "two-round" } }],
    ["with a ball that was chosen", { parameters: { components: 1, ball: "private" } }],
    ["for patients of up to 3 rows", { patient: { column: "patient", maxRows: 3 } }],
    ["for all rows of a patient", { patient: { column: "patient", maxRows: 3, weighting: "rows" } }],
  ])("%s is proven within what the study allows, by anybody's accounting", (_what, overrides) => {
    const run = testRun({ document: sound(overrides), sites });
    const certificate = testCertificate(run);
    const verified = verify(certificate);
    expect(verified).toMatchObject({ ok: true, value: { epsilon: certificate.privacy.epsilon } });
    expect(certificate.privacy).toMatchObject({ verdict: "proved", delta: 1e-3, reasons: [] });
    expect(certificate.privacy.epsilon).toBeGreaterThan(0.99);
    expect(certificate.privacy.epsilon).toBeLessThanOrEqual(1);
    // Without retries it is what the plan said before the study ran.
    expect(certificate.privacy.epsilon).toBe(run.plan.claim.epsilon);
    const accountant = zcdpAccountant({ neighbouringRelation: "add-remove" });
    for (const { event } of certificate.privacy.accounting.events) accountant.compose(event);
    expect(accountant.epsilon(1e-3)).toBe(certificate.privacy.epsilon);
    for (const { noise } of certificate.privacy.disclosures) {
      expect(noise).toMatchObject({ noiseShares: 3 });
      expect(noise!.guaranteedStdDev ** 2).toBeLessThanOrEqual(3 * noise!.shareVariance);
    }
  });

  it("says more than was asked once an attempt was given up", () => {
    const run = testRun({ document: sound(), sites });
    const [attempt] = run.attempts;
    const attempts = [
      { ...attempt!, survivors: null },
      { ...attempt!, attempt: 2 },
    ];
    const certificate = testCertificate({ ...run, attempts });
    expect(verify(certificate)).toMatchObject({ ok: true, value: { attemptsGivenUp: 1 } });
    expect(certificate.privacy.epsilon).toBeGreaterThan(1.3);
    const statement = statementText(statementOf(run));
    const concealed = {
      ...testCertificate(run),
      countersignatures: certificate.countersignatures,
    };
    expect(verify(concealed)).toMatchObject({ ok: false, error: { code: "COUNTERSIGNATURE_INVALID" } });
    // The control: sites that had signed that would have made it pass.
    const countersignatures = countersignaturesOf(statement, run.studyId, sites);
    expect(verify(testCertificate(run, { countersignatures })).ok).toBe(true);
  });

  it("without privacy has no bound", () => {
    const certificate = testCertificate(testRun({ document: sound({ privacy: "none" }), sites }));
    expect(verify(certificate)).toMatchObject({ ok: true, value: { epsilon: null, rho: null } });
    expect(certificate.privacy.verdict).toBe("no privacy");
  });
});

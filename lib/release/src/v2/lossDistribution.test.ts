import { unwrap } from "@consilium/core/result";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";
import { readCertificate } from "../../testing/readCertificate.js";
import type { Certificate } from "../../testing/v2/certificate.js";
import {
  countersignaturesOf,
  identifyTestSite,
  testCertificate,
  testRun,
  testSites,
} from "../../testing/v2/run.js";
import { checkStatement, statementOf, statementText } from "../../testing/v2/statement.js";
import { verifyStatement } from "./statement.js";

const names = ["east", "north", "south", "west"];
const sites = testSites(names);

function studyOf(overrides: Record<string, unknown> = {}) {
  return studyDocument(
    unwrap(
      parseStudy({
        name: "sample",
        analysis: "boosted-trees",
        table: "sample",
        features: ["age", "pressure"].map((name) => ({ name, type: "numeric", min: 0, max: 100 })),
        label: { name: "sick", levels: ["no", "yes"] },
        privacy: { epsilon: 1, delta: 1e-5 },
        participation: { sites: names, minimumSites: 4, maxRowsPerSite: 1000 },
        parameters: { trees: 2, depth: 1 },
        ...overrides,
      }),
    ),
  );
}

const run = testRun({ document: studyOf(), sites });
const planned = run.plan.claim.lossDistribution!;

const verified = (certificate: Certificate) =>
  verifyStatement(readCertificate(certificate), { identifySite: identifyTestSite(sites) });

/** A certificate that says something else of the loss, with every site's signature under it. */
function stating(lossDistribution: unknown, of = run): Certificate {
  const statement = statementOf(of);
  const { lossDistribution: _, ...accounting } = statement.privacy.accounting;
  const stated = {
    ...statement,
    privacy: {
      ...statement.privacy,
      accounting: {
        ...accounting,
        ...(lossDistribution === undefined ? {} : { lossDistribution: lossDistribution as typeof planned }),
      },
    },
  };
  return testCertificate(of, {
    statement: stated,
    countersignatures: countersignaturesOf(statementText(stated), of.studyId, sites),
  });
}

const faultOf = (certificate: Certificate): string => {
  const found = verified(certificate);
  return found.ok ? "accepted" : `${found.error.code} ${found.error.message}`;
};

describe("the exact ε on a certificate", () => {
  it("stands beside that of zCDP, smaller, and is computed again", () => {
    const certificate = testCertificate(run);
    const { accounting, epsilon } = certificate.privacy;
    expect(accounting.lossDistribution).toEqual(planned);
    expect(planned.epsilon).toBeLessThan(0.93);
    expect(epsilon).toBe(accounting.epsilon);
    expect(epsilon).toBeGreaterThan(0.999);
    const found = unwrap(verified(certificate));
    expect(found.lossEpsilon).toBe(planned.epsilon);
    expect(found.epsilon).toBe(epsilon);
  });

  it("is refused where it is smaller than what its entries compose to, no matter who signed it", () => {
    expect(faultOf(stating(planned))).toBe("accepted");
    expect(faultOf(stating({ ...planned, epsilon: planned.epsilon - 1e-6 }))).toMatch(
      /^CERTIFICATE_EPSILON .*its entries compose to/,
    );
    expect(faultOf(stating({ ...planned, epsilon: 0 }))).toMatch(/^CERTIFICATE_EPSILON/);
    // A bound that is less sharp is one too.
    expect(faultOf(stating({ ...planned, epsilon: planned.epsilon + 0.01 }))).toBe("accepted");
  });

  it("is refused over other entries than the plan's", () => {
    const [first, ...rest] = planned.entries;
    const louder = {
      ...planned,
      entries: [
        { ...first!, shift: { ...first!.shift, shareVariance: 2 * first!.shift.shareVariance } },
        ...rest,
      ],
    };
    const quieter = {
      ...planned,
      entries: [{ ...first!, shift: { ...first!.shift, noiseShares: 4 } }, ...rest],
    };
    for (const other of [louder, quieter, { ...planned, entries: rest }]) {
      expect(faultOf(stating(other))).toMatch(/^CERTIFICATE_EPSILON .*other entries/);
    }
  });

  it("may be missing, as on certificates of earlier versions", () => {
    const found = unwrap(verified(stating(undefined)));
    expect(found.lossEpsilon).toBeNull();
    expect(found.epsilon).toBe(run.plan.claim.epsilon);
  });

  it("is left out once a stage was attempted again, and refused there", () => {
    const [first] = run.attempts;
    const again = {
      ...run,
      attempts: [{ ...first!, survivors: null }, { ...first!, attempt: 2 }, ...run.attempts.slice(1)],
    };
    const honest = testCertificate(again);
    expect(honest.privacy.accounting.lossDistribution).toBeUndefined();
    expect(faultOf(honest)).toBe("accepted");
    expect(faultOf(stating(planned, again))).toMatch(/^CERTIFICATE_EPSILON .*attempted again/);
  });

  it("is the one that a calibrated study shows, unless a stage was attempted again", () => {
    const document = studyOf({ privacy: { epsilon: 1, delta: 1e-5, rho: 0.0352 } });
    const calibrated = testRun({ document, sites });
    const { claim } = calibrated.plan;
    expect(claim.isExact).toBe(true);
    const certificate = testCertificate(calibrated);
    expect(certificate.privacy.epsilon).toBe(claim.lossDistribution!.epsilon);
    expect(certificate.privacy.epsilon).toBeLessThan(1);
    expect(certificate.privacy.accounting.epsilon).toBeGreaterThan(1.05);
    expect(faultOf(certificate)).toBe("accepted");
    const lower = stating({ ...claim.lossDistribution, epsilon: claim.epsilon! - 0.01 }, calibrated);
    expect(faultOf(lower)).toMatch(/^CERTIFICATE_EPSILON/);

    const [first] = calibrated.attempts;
    const attempts = [
      { ...first!, survivors: null },
      { ...first!, attempt: 2 },
      ...calibrated.attempts.slice(1),
    ];
    const again = testCertificate({ ...calibrated, attempts });
    expect(again.privacy.epsilon).toBe(again.privacy.accounting.epsilon);
    expect(again.privacy.epsilon).toBeGreaterThan(certificate.privacy.accounting.epsilon!);
    expect(faultOf(again)).toBe("accepted");
  });

  it("is refused of a plan that has no dominating pair", () => {
    const document = studyOf({ analysis: "feature-selection", method: "felp-a", parameters: { select: 1 } });
    const felp = testRun({ document, sites });
    expect(statementOf(felp).privacy.accounting.lossDistribution).toBeUndefined();
    expect(faultOf(testCertificate(felp))).toBe("accepted");
    expect(faultOf(stating(planned, felp))).toMatch(/^CERTIFICATE_EPSILON .*other entries/);
  });

  it("is signed by a site only if it is the site's own, to the last bit", () => {
    const own = {
      ...run,
      site: sites[0]!.site,
      attempts: run.attempts.map((one) => ({
        ...one,
        event: run.plan.stages.find(({ id }) => id === one.stage)!.disclosure.event,
      })),
      signedBefore: null,
    };
    const text = statementText(statementOf(run));
    expect(checkStatement(text, own).ok).toBe(true);
    for (const other of [planned.epsilon * 0.9, planned.epsilon * 1.1]) {
      const changed = text.replace(`"epsilon":${planned.epsilon}`, `"epsilon":${other}`);
      expect(changed).not.toBe(text);
      expect(checkStatement(changed, own).ok).toBe(false);
    }
  });
});

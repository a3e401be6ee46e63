import { rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { zcdpAccountant } from "@consilium/core/privacy/zcdp";
import { unwrap } from "@consilium/core/result";
import { calibrate } from "@consilium/core/study/calibrate";
import { type Plan, planStudy } from "@consilium/core/study/plan";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";

const source = {
  name: "calibrated",
  table: "t",
  analysis: "boosted-trees",
  features: Array.from({ length: 6 }, (_, i) => ({ name: `x${i}`, type: "numeric", min: 0, max: 1 })),
  label: { name: "y", levels: ["no", "yes"] },
  privacy: { epsilon: 1, delta: 1e-5 },
  participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 100_000 },
  parameters: { trees: 3, depth: 2 },
};

const studyOf = (overrides: Record<string, unknown> = {}): Study =>
  unwrap(parseStudy({ ...source, ...overrides }));

const faultOf = (overrides: Record<string, unknown>): string => {
  const parsed = parseStudy({ ...source, ...overrides });
  return parsed.ok ? "valid" : english(parsed.error.message);
};

/** What a ledger charges for the plan, stage by stage. */
function chargedRho(plan: Plan): number {
  const accountant = zcdpAccountant({ neighbouringRelation: "add-remove" });
  for (const { disclosure } of plan.stages) accountant.compose(disclosure.event);
  return accountant.rho();
}

const variances = (plan: Plan): number[] =>
  plan.stages.map((stage) => (stage.kind === "sum" ? stage.noise!.event.shareVariance : Number.NaN));

describe("a calibrated study", () => {
  const plain = studyOf();
  const found = calibrate(plain)!;
  const study = studyOf({ privacy: { ...source.privacy, rho: found.rho } });
  const plan = planStudy(study);

  it("has less noise in every stage for the ε that was asked, and not a step more ρ would do", () => {
    expect(plan.claim.isExact).toBe(true);
    expect(plan.claim.epsilon).toBe(plan.claim.lossDistribution!.epsilon);
    expect(plan.claim.epsilon).toBe(found.epsilon);
    expect(plan.claim.epsilon).toBeLessThanOrEqual(1);
    expect(plan.claim.epsilon).toBeGreaterThan(0.999);
    const before = variances(planStudy(plain));
    for (const [stage, variance] of variances(plan).entries()) {
      const ratio = Math.sqrt(variance / before[stage]!);
      expect(ratio).toBeGreaterThan(0.91);
      expect(ratio).toBeLessThan(0.935);
    }
    const step = found.zcdpRho / 1024;
    expect(faultOf({ privacy: { ...source.privacy, rho: found.rho + 2 * step } })).toMatch(
      /^privacy\.rho: at rho .* the plan costs epsilon 1\.0\d+, the study allows 1; lower rho/,
    );
  });

  it("costs the ledger the ρ that its noise has, which is more than zCDP allows at that ε", () => {
    expect(chargedRho(plan) / found.rho).toBeGreaterThan(1 - 1e-9);
    expect(chargedRho(plan)).toBeLessThanOrEqual(found.rho);
    expect(chargedRho(plan)).toBeGreaterThan(1.1 * rhoFromEpsilon({ epsilon: 1, delta: 1e-5 }));
  });

  it("keeps its ρ in its text, where everybody reads the same", () => {
    expect(studyDocument(study).text).toContain(`"rho":${found.rho}`);
    expect(studyDocument(plain).text).not.toContain("rho");
  });

  it("is within its ε for other sites too", () => {
    for (const minimumSites of [3, 4, 7]) {
      const participation = { minimumSites, maxRowsPerSite: 100_000 };
      expect(faultOf({ participation, privacy: { ...source.privacy, rho: found.rho } })).toBe("valid");
    }
  });
});

describe("a study's own ρ", () => {
  const zcdp = rhoFromEpsilon({ epsilon: 1, delta: 1e-5 });
  const felp = { analysis: "feature-selection", method: "felp-a", parameters: { select: 2 } };

  it("may be less than zCDP's, and is then accounted for by zCDP", () => {
    const { claim } = planStudy(studyOf({ privacy: { ...source.privacy, rho: zcdp / 2 } }));
    expect(claim.isExact).toBeUndefined();
    expect(claim.epsilon).toBeLessThan(0.8);
  });

  it("is refused beyond zCDP's where no dominating pair is proven", () => {
    for (const other of [felp, { patient: { column: "id", maxRows: 2 } }]) {
      expect(calibrate(studyOf(other))).toBeNull();
      expect(faultOf({ ...other, privacy: { ...source.privacy, rho: zcdp } })).toBe("valid");
      expect(faultOf({ ...other, privacy: { ...source.privacy, rho: zcdp * 1.01 } })).toMatch(
        /^privacy\.rho: at rho .* by zCDP, and no exact accounting of it is proven/,
      );
    }
  });

  it("is for proven studies alone", () => {
    const paper = {
      analysis: "boosted-trees",
      method: "cart-dps-adaboost",
      variant: "paper",
      parameters: {},
    };
    expect(faultOf(paper)).toBe("valid");
    expect(faultOf({ ...paper, privacy: { ...source.privacy, rho: 0.01 } })).toMatch(
      /only for variant sound/,
    );
    expect(calibrate(studyOf(paper))).toBeNull();
    expect(calibrate(studyOf({ privacy: "none" }))).toBeNull();
    expect(faultOf({ privacy: { ...source.privacy, rho: 0 } })).toMatch(/rho: greater than 0/);
  });
});

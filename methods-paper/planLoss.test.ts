import { rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { pldAccountant } from "@consilium/core/privacy/pld";
import { unwrap } from "@consilium/core/result";
import { type Plan, planStudy } from "@consilium/core/study/plan";
import { parseStudy } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";

const features = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `x${i}`, type: "numeric", min: 0, max: 1 }));

function planOf(overrides: Record<string, unknown>): Plan {
  return planStudy(
    unwrap(
      parseStudy({
        name: "loss",
        table: "t",
        features: features(12),
        label: { name: "y", levels: ["no", "yes"] },
        privacy: { epsilon: 1, delta: 1e-5 },
        participation: { sites: ["a", "b", "c", "d", "e"], minimumSites: 5, maxRowsPerSite: 100_000 },
        ...overrides,
      }),
    ),
  );
}

const dpPcc = { analysis: "correlation-tree", method: "dp-pcc" };
const dpPccS = { analysis: "correlation-tree", method: "dp-pcc-s", parameters: { blocks: 5000, guard: 0 } };
const histBoost = { analysis: "boosted-trees" };
const dpKa = { analysis: "k-anonymous-selection", method: "dp-ka", parameters: { k: 2, maxCells: 64 } };

describe("the exact ε of a plan", () => {
  it.each([
    ["dp-pcc", { ...dpPcc, parameters: { depth: 1 } }, 1, 0.9153],
    ["dp-pcc", { ...dpPcc, parameters: { depth: 1 } }, 4, 3.698],
    ["dp-histboost", { ...histBoost, parameters: { trees: 10, depth: 1 } }, 1, 0.9154],
    ["dp-histboost", { ...histBoost, parameters: { trees: 10, depth: 1 } }, 4, 3.698],
    ["dp-histboost", histBoost, 1, 0.9166],
    ["dp-histboost", histBoost, 4, 3.7],
  ] as const)("of %s is what another program computed once: %o at %f is %f", (_, study, epsilon, exact) => {
    const { claim } = planOf({ ...study, privacy: { epsilon, delta: 1e-5 } });
    expect(claim.epsilon).toBeLessThanOrEqual(epsilon);
    expect(claim.epsilon).toBeGreaterThan(epsilon * 0.999999);
    expect(claim.lossDistribution!.epsilon / exact).toBeGreaterThan(0.998);
    expect(claim.lossDistribution!.epsilon / exact).toBeLessThan(1.002);
  });

  it("follows from the entries that it lists", () => {
    for (const study of [dpPcc, dpPccS, histBoost, dpKa]) {
      const { claim } = planOf(study);
      const { epsilon, entries } = claim.lossDistribution!;
      expect(epsilon).toBe(pldAccountant(entries).epsilon(1e-5));
      expect(epsilon).toBeLessThan(claim.epsilon!);
    }
  });

  it("counts every stage, skippable ones too, with at least the change that its Δ² stands for", () => {
    for (const study of [dpPcc, dpPccS, histBoost, dpKa]) {
      const plan = planOf(study);
      let entries = 0;
      for (const stage of plan.stages) {
        if (stage.kind !== "sum") throw new Error(stage.id);
        const { changes, event } = stage.noise!;
        expect(changes!.reduce((sum, one) => sum + one.entries * one.most ** 2, 0)).toBeGreaterThanOrEqual(
          event.l2SensitivitySquared,
        );
        entries += changes!.reduce((sum, one) => sum + one.entries, 0);
      }
      const listed = plan.claim.lossDistribution!.entries.reduce((sum, { count }) => sum + count, 0);
      expect(listed).toBe(entries);
    }
  });

  it("takes a gradient and a hessian to each feature of dp-ka's boosting, half as large", () => {
    const [stage] = planOf(dpKa).stages;
    if (stage?.kind !== "sum") throw new Error("no sum");
    const [gradient, hessian] = stage.noise!.changes!;
    expect(gradient!.entries).toBe(12);
    // In the first tree a record's gradient is ½, its hessian ¼.
    expect(hessian).toEqual({ entries: 12, most: gradient!.most / 2 });
  });

  it("is not stated where a stage has no dominating pair, or a patient several rows", () => {
    for (const study of [
      { analysis: "pca", label: undefined, parameters: { components: 2 } },
      { analysis: "feature-selection", method: "felp-a" },
      { analysis: "feature-selection", method: "felp-s" },
      { ...histBoost, patient: { column: "id", maxRows: 2 } },
    ]) {
      const { claim } = planOf(study);
      expect(claim.verdict).toBe("proved");
      expect(claim.lossDistribution).toBeUndefined();
    }
    expect(
      planOf({ ...histBoost, patient: { column: "id", maxRows: 1 } }).claim.lossDistribution,
    ).toBeDefined();
    expect(planOf({ ...histBoost, privacy: "none" }).claim.lossDistribution).toBeUndefined();
  });

  it("leaves ρ, which ledgers charge, what zCDP allows", () => {
    const { claim } = planOf(dpPcc);
    expect(claim.epsilon).toBeLessThanOrEqual(1);
    expect(rhoFromEpsilon({ epsilon: claim.lossDistribution!.epsilon, delta: 1e-5 })).toBeLessThan(
      rhoFromEpsilon({ epsilon: 1, delta: 1e-5 }),
    );
  });
});

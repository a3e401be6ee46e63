import { planStudy } from "@consilium/core/study/plan";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { drawnFeatures } from "../shared/trees/nodeFeatures.js";
import { testStudy, testStudySource } from "../testing/histBoost/study.js";
import { parseStudy } from "../testing/studies.js";
import { guardWeight, histBoostLayout, leastStdDev, planHistBoost } from "./study.js";

const privacy = { epsilon: 1, delta: 1e-5 };
/** Two shares of noise, and the sum of two sites without the colluding one. */
const participation = { minimumSites: 3, maxRowsPerSite: 5000 };
const wide = (count: number) => ({
  features: Array.from({ length: count }, (_, f) => ({ name: `f${f}`, type: "numeric", min: 0, max: 1 })),
});

function faults(change: Record<string, unknown>): string[] {
  const parsed = parseStudy({ ...testStudySource, ...change });
  return parsed.ok ? [] : parsed.error.issues.map(({ path, message }) => `${path}: ${english(message)}`);
}

describe("a study of dp-histboost", () => {
  it("is sound and complete without a parameter", () => {
    const parsed = parseStudy(testStudySource);
    expect(parsed.ok && parsed.value).toMatchObject({
      variant: "sound",
      method: "dp-histboost",
      parameters: {
        trees: 10,
        depth: 4,
        mode: "real",
        bins: 16,
        seed: "consilium",
        leafShare: 0.5,
        guard: 3,
      },
    });
  });

  it("has the stages of every tree, each of a length that the seed decides", () => {
    const study = testStudy({ trees: 2, depth: 2, evaluation: { heldOut: 0.2 } });
    const { stages } = planHistBoost(study);
    expect(stages.map(({ id }) => id)).toEqual([
      "tree-1-level-1",
      "tree-1-level-2",
      "tree-1-leaves",
      "tree-2-level-1",
      "tree-2-level-2",
      "tree-2-leaves",
      "evaluation",
    ]);
    const { features, stages: own } = histBoostLayout(study);
    for (const { histogram, length, level } of own) {
      if (histogram === null) expect(length).toBe(8);
      else {
        expect(histogram.nodeFeatures).toHaveLength(2 ** level);
        const bins = histogram.nodeFeatures.flat().map((f) => features[f]!.bins);
        expect(length).toBe(2 * bins.reduce((sum, count) => sum + count, 0));
      }
    }
    const other = histBoostLayout(testStudy({ trees: 9, seed: "other" }));
    const same = histBoostLayout(testStudy({ trees: 9 }));
    const drawn = (layout: typeof same) => layout.stages.map(({ histogram }) => histogram?.nodeFeatures);
    expect(drawn(same)).toEqual(drawn(histBoostLayout(testStudy({ trees: 9 }))));
    expect(drawn(same)).not.toEqual(drawn(other));
  });

  it("has σ_leaf = 18.09037 and σ_h = 70.06371 rows for T = 10, d = 3, k = 5 at ε = 1, δ = 1e-5", () => {
    const study = testStudy(
      { trees: 10, depth: 3, featuresPerNode: 5 },
      { privacy, participation: { ...participation, sites: ["a", "b", "c"] }, ...wide(6) },
    );
    const { stages } = histBoostLayout(study);
    // Three sites' shares, of which two alone carry σ.
    const guaranteed = (stage: number) => leastStdDev(study, stages[stage]!) / Math.sqrt(3 / 2);
    expect(guaranteed(0)).toBeCloseTo(70.06371, 4);
    expect(guaranteed(3)).toBeCloseTo(18.09037, 4);
  });

  it("costs no more than it asks for, and next to all of it", () => {
    for (const parameters of [{ evaluation: "none" }, { evaluation: { share: 0.2 }, leafShare: 0.3 }]) {
      const { claim } = planStudy(testStudy(parameters, { privacy, participation }));
      expect(claim).toMatchObject({ verdict: "proved", proof: "docs/METHODS.md#dp-histboost-proof" });
      expect(claim.epsilon).toBeLessThanOrEqual(1);
      expect(claim.epsilon).toBeGreaterThan(1 - 1e-9);
    }
  });

  it("says what a level and leaves disclose", () => {
    const { stages } = planHistBoost(testStudy({ featuresPerNode: 2 }, { privacy, participation }));
    const { disclosure } = stages[1]!;
    expect(disclosure).toMatchObject({ form: "masked sum", normBound: Math.SQRT2, sensitivity: Math.SQRT2 });
    expect(english(disclosure.what)).toBe(
      "the rows' weights (0 to 1, from the trees before) by value of 2 features in each of the 2 nodes of level 2 of a tree, separately for each value of sick, added up over all sites",
    );
    expect(stages[2]!.disclosure.normBound).toBe(1);
  });

  it("is refused with the fix", () => {
    const cases: [change: Record<string, unknown>, fault: string][] = [
      [
        { label: undefined },
        "label: missing: boosted trees learn to tell the two levels of a label apart; declare it",
      ],
      [
        { label: { name: "sick", levels: ["no", "yes", "maybe"] } },
        "label.levels: 3 levels; boosted trees tell exactly two apart: use correlation-tree, or make the label two levels",
      ],
      [{ label: { name: "sick", levels: ["no"] } }, "label.levels: declare at least two levels"],
      [
        { parameters: { featuresPerNode: 4 } },
        "parameters.featuresPerNode: 4 features for each node of 3 declared; ask at most 3",
      ],
      [{ parameters: { depth: 9 } }, "parameters.depth: at most 8"],
      [{ parameters: { trees: 300_000 } }, "parameters.trees: at most 200"],
      [
        { privacy, participation: { ...participation, maxRowsPerSite: 50 } },
        "parameters.trees: with 10 trees of depth 4 at this epsilon a node splits only with 158 rows or more, and the study has at most 150: ask fewer trees or less depth, lower guard, raise epsilon, or invite more sites",
      ],
    ];
    for (const [change, fault] of cases) expect(faults(change)).toEqual([fault]);
  });

  it("is warned of where the noise will drown deep nodes", () => {
    const warned = (rows: { maxRowsPerSite: number; expectedRows?: number }) =>
      planHistBoost(
        testStudy({ trees: 10, depth: 4 }, { privacy, participation: { ...participation, ...rows } }),
      ).warnings.map(english);
    const deep = (whose: string, level: number) =>
      `${whose} nodes below level ${level} of 4 will hardly ever split, because their rows drown in the noise: ask less depth or fewer trees, lower guard, raise epsilon, or invite more sites`;
    expect(warned({ maxRowsPerSite: 1000 })).toEqual([
      deep("with 1500 rows, half of the most that there may be,", 2),
    ]);
    expect(warned({ maxRowsPerSite: 3300 })).toEqual([]);
    // A cap says little of a table: with few rows expected below a large one the warning stays.
    expect(warned({ maxRowsPerSite: 3300, expectedRows: 1500 })).toEqual([
      deep("with the 1500 rows that the study expects", 2),
    ]);
    expect(warned({ maxRowsPerSite: 1000, expectedRows: 3000 })).toEqual(
      warned({ maxRowsPerSite: 2000 }).map((one) =>
        one
          .replace("rows, half of the most that there may be,", "rows that the study expects")
          .replace("with 3000", "with the 3000"),
      ),
    );
  });
});

describe("the guard of a split", () => {
  const guarded = (guard: number) => testStudy({ guard }, { privacy });

  it("is so many standard deviations, at most a quarter of the tree's weight, and one standard deviation at least", () => {
    expect(guardWeight(guarded(3), 10, 1000)).toBe(30);
    expect(guardWeight(guarded(3), 10, 100)).toBe(25);
    expect(guardWeight(guarded(3), 10, 12)).toBe(10);
    expect(guardWeight(guarded(3), 10, -50)).toBe(10);
    expect(guardWeight(guarded(0.5), 10, 12)).toBe(5);
    expect(guardWeight(guarded(3), 0, 1000)).toBe(0);
  });
});

describe("the features of a node", () => {
  it("are drawn without replacement, each as often as any other", () => {
    const seen = new Float64Array(7);
    for (let node = 0; node < 3000; node++) {
      const drawn = drawnFeatures(`node ${node}`, 3, 7);
      expect(drawn).toHaveLength(3);
      expect([...drawn].sort((a, b) => a - b)).toEqual(drawn);
      expect(new Set(drawn).size).toBe(3);
      for (const feature of drawn) seen[feature]!++;
    }
    // Each is drawn with probability 3/7: ±6 standard deviations.
    for (const times of seen)
      expect(Math.abs(times - 9000 / 7)).toBeLessThan(6 * Math.sqrt((3000 * 3 * 4) / 49));
    expect(drawnFeatures("all", 7, 7)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

import { planStudy } from "@consilium/core/study/plan";
import { asExpected, noiseStdDev, soundSum } from "@consilium/core/study/soundSums";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { parseStudy } from "../testing/studies.js";
import { syntheticSource, syntheticStudy } from "../testing/syntheticTable.js";
import { cellsMost, pairsShare, syntheticTableLayout } from "./study.js";

function faultOf(change: Record<string, unknown>): string {
  const parsed = parseStudy({ ...syntheticSource, ...change });
  return parsed.ok ? "none" : english(parsed.error.message);
}

const numbers = (count: number, edges: number) =>
  Array.from({ length: count }, (_, i) => ({
    name: `x${i}`,
    type: "numeric",
    min: 0,
    max: 1,
    missing: "reject-row",
    edges: Array.from({ length: edges }, (__, e) => (e + 1) / (edges + 1)),
  }));

describe("a study of synthetic rows", () => {
  it("is two sums, of coarse tables of all pairs and of the tables along a tree", () => {
    const study = syntheticStudy();
    const { columns, root, pairs, margins, joints, stage } = syntheticTableLayout(study);
    // Missing ages and sexes have a cell of their own.
    expect(columns.map(({ cells }) => cells)).toEqual([6, 3, 3, 6]);
    expect(columns.map(({ coarse }) => coarse)).toEqual([4, 3, 3, 4]);
    expect(root).toBe(0);
    expect(pairs!.tables.map(({ cells }) => cells)).toEqual([12, 12, 16, 9, 12, 12]);
    expect(margins.map(({ cells }) => cells)).toEqual([6, 3, 3, 6]);
    expect(joints.map((joint) => joint?.cells ?? null)).toEqual([null, 18, 18, 36]);
    const plan = planStudy(study);
    expect(plan.stages.map(({ id }) => id)).toEqual(["pairs", "tables"]);
    expect(plan.claim).toMatchObject({ verdict: "proved", proof: "docs/METHODS.md#synthetic-table-proof" });
    const [first, second] = [pairs!.stage, stage].map((one) => soundSum(study, one).noise!.event);
    const rhoOf = (event: typeof first) =>
      Number(event!.l2SensitivitySquared) / (2 * event!.shareVariance * event!.noiseShares);
    expect(rhoOf(first) / (rhoOf(first) + rhoOf(second))).toBeCloseTo(pairsShare, 6);
  });

  it("keeps missing values by themselves where others are counted together", () => {
    const { columns } = syntheticTableLayout(syntheticStudy());
    expect([...columns[0]!.coarseOf]).toEqual([0, 0, 1, 1, 2, 3]);
    expect([...columns[3]!.coarseOf]).toEqual([0, 0, 1, 2, 2, 3]);
  });

  it("of two columns is one sum with the whole budget, and no broadcast", () => {
    const study = syntheticStudy({ features: syntheticSource.features.slice(0, 2) });
    const { pairs, stage } = syntheticTableLayout(study);
    expect(pairs).toBeNull();
    expect(stage).toMatchObject({ share: 1, broadcasts: [] });
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      "a label",
      { label: { name: "died", levels: ["no", "yes"] } },
      /label: no column is a label here: remove it, and declare "died" in features/,
    ],
    [
      "one column",
      { features: syntheticSource.features.slice(0, 1) },
      /features: 1 column; declare at least 2: rows are drawn by pairs of columns/,
    ],
    [
      "a number without edges",
      { features: [...syntheticSource.features, { name: "pulse", type: "numeric", min: 0, max: 250 }] },
      /features\[4\]\.edges: numeric column "pulse" has no edges; declare them, or set parameters\.bins/,
    ],
    [
      "too many counts in the first sum",
      { features: numbers(130, 19), parameters: { coarse: 8 } },
      /features: a sum would have 536640 counts, at most 262144 are allowed; declare fewer columns, or lower parameters\.coarse/,
    ],
    [
      "too many counts in the second sum",
      { features: numbers(3, 400), parameters: {} },
      /features: a sum would have 322805 counts, at most 262144 are allowed; declare fewer columns, or fewer intervals/,
    ],
    [
      "noise beyond the ring",
      { privacy: { epsilon: 1e-17, delta: 1e-30 } },
      /privacy\.epsilon: noise of this size does not fit 64-bit numbers/,
    ],
    [
      "decimals of no column",
      { parameters: { decimals: [["weight", 0]] } },
      /parameters\.decimals\[0\]: column "weight" is not declared in features/,
    ],
    [
      "decimals of a category",
      { parameters: { decimals: [["ward", 0]] } },
      /parameters\.decimals\[0\]: column "ward" has levels, and no decimals/,
    ],
    [
      "decimals twice",
      {
        parameters: {
          decimals: [
            ["age", 0],
            ["age", 1],
          ],
        },
      },
      /parameters\.decimals\[1\]: column "age" is listed already/,
    ],
    [
      "decimals that an interval has no number of",
      {
        features: [
          ...syntheticSource.features,
          { name: "creatinine", type: "numeric", min: 0, max: 9, edges: [1.2, 1.8] },
        ],
        parameters: { decimals: [["creatinine", 0]] },
      },
      /no number with 0 decimals lies in the interval \[1\.2, 1\.8\) of column "creatinine"/,
    ],
    [
      "another variant",
      { variant: "paper" },
      /synthetic-table is `sound`: nobody published another variant|no method of synthetic-table/,
    ],
    [
      "names that differ in letter case",
      { features: [...syntheticSource.features, { name: "AGE", type: "categorical", levels: ["a", "b"] }] },
      /columns "age" and "AGE" differ in letter case alone/,
    ],
    ["more rows than a release has", { parameters: { rows: 1_000_001 } }, /at most 1000000/],
  ])("with %s is refused", (_, change, message) => {
    expect(faultOf(change)).toMatch(message);
    expect(faultOf({})).toBe("none");
  });

  it("fits the largest sums that are allowed", () => {
    expect(faultOf({ features: numbers(90, 19), parameters: { coarse: 8 } })).toBe("none");
    expect(cellsMost).toBe(262_144);
  });

  describe("that says how many rows it expects", () => {
    const studyOf = (expectedRows: number, change: Record<string, unknown> = {}) =>
      syntheticStudy({
        features: numbers(15, 31),
        parameters: {},
        ...change,
        participation: { minimumSites: 3, maxRowsPerSite: 1_000_000, expectedRows },
      });

    it("counts the more coarsely in the first sum, the larger the noise is beside its rows", () => {
      expect(studyOf(300).parameters.coarse).toBe(3);
      expect(studyOf(3_000_000).parameters.coarse).toBe(32);
      for (const rows of [5000, 30_000, 100_000]) {
        const study = studyOf(rows);
        const { coarse } = study.parameters;
        const { stage } = syntheticTableLayout(study).pairs!;
        // The average count is two standard deviations of the noise at least, and would not be with one cell more.
        const least = 2 * noiseStdDev(asExpected(study), stage, 3);
        expect(rows / coarse ** 2).toBeGreaterThanOrEqual(least);
        expect(rows / (coarse + 1) ** 2).toBeLessThan(least);
      }
    });

    it("is left as it is where it says so itself, and where there is no noise", () => {
      expect(studyOf(30_000, { parameters: { coarse: 17 } }).parameters.coarse).toBe(17);
      expect(studyOf(30_000, { privacy: "none" }).parameters.coarse).toBe(8);
    });
  });

  it("is warned of where noise hides the tables, the worst ones first", () => {
    const study = (expectedRows: number) =>
      syntheticStudy({
        participation: { ...syntheticSource.participation, expectedRows },
        parameters: { coarse: 4 },
      });
    const [tree, tables] = planStudy(study(150)).warnings.map(english);
    expect(tree).toMatch(
      /with the 150 rows that the study expects the noise hides most counts of the 6 coarse tables, so that the tree would be little better than chance/,
    );
    expect(tables).toMatch(
      /the noise hides most counts of a table of another column with sex \(about 18 counts/,
    );
    expect(planStudy(study(20_000)).warnings).toEqual([]);
  });
});

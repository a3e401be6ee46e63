import { zcdpAccountant } from "@consilium/core/privacy/zcdp";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { asCorrelationTree } from "../testing/families.js";
import { parseStudy } from "../testing/studies.js";
import { type DpPccStudy, dpPccLayout } from "./study.js";

const raw = {
  name: "tree",
  table: "t",
  analysis: "correlation-tree",
  features: [
    { name: "a", type: "numeric", min: 0, max: 1 },
    { name: "b", type: "numeric", min: 0, max: 1, edges: [0.25, 0.5] },
    { name: "c", type: "categorical", levels: ["x", "y"], missing: "own-level" },
  ],
  label: { name: "y", levels: ["no", "yes"] },
  privacy: { epsilon: 1, delta: 1e-6 },
  parameters: { evaluation: "none" },
  participation: { sites: ["p", "q", "r"], maxRowsPerSite: 5000 },
};
const parsed = (change: Record<string, unknown> = {}) => parseStudy({ ...raw, ...change });
const studyOf = (change: Record<string, unknown> = {}) =>
  asCorrelationTree(unwrap(parsed(change))) as DpPccStudy;
const fault = (change: Record<string, unknown>) => {
  const result = parsed(change);
  if (result.ok) throw new Error("the study has no fault");
  return english(result.error.message);
};

describe("a study of dp-pcc", () => {
  it("ends with an evaluation unless that is switched off, for which training pays", () => {
    const evaluated = studyOf({ parameters: undefined });
    const { stages, claim } = planStudy(evaluated);
    expect(stages.at(-1)).toMatchObject({
      id: "evaluation",
      broadcasts: [
        { name: "values", length: 16 },
        { name: "cuts", length: 19 },
      ],
    });
    const { levels, leaves } = dpPccLayout(evaluated);
    const shares = [...levels.map(({ stage }) => stage.share), leaves.share];
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(0.95, 12);
    expect(claim.epsilon).toBeGreaterThan(0.9999);
    expect(claim.epsilon).toBeLessThanOrEqual(1);
  });

  it("is sound by default, with every parameter filled in", () => {
    expect(studyOf()).toMatchObject({
      method: "dp-pcc",
      variant: "sound",
      parameters: { depth: 3, bins: 16, guard: 3, leafShare: 0.3 },
    });
  });

  it("has a stage for each level and one for the leaves, each level twice as long as the one above", () => {
    const { stages, claim } = planStudy(studyOf());
    expect(stages.map(({ id }) => id)).toEqual(["level-1", "level-2", "level-3", "leaves"]);
    const lengths = stages.map((stage) => (stage.kind === "sum" ? stage.length : 0));
    const all = (16 + 3 + 3) * 2;
    expect(lengths).toEqual([all, 2 * all, 4 * all, 16]);
    expect(stages.map(({ broadcasts }) => broadcasts.map(({ length }) => length))).toEqual([
      [],
      [2],
      [4],
      [8],
    ]);
    expect(claim).toMatchObject({ verdict: "proved", delta: 1e-6, proof: "docs/METHODS.md#dp-pcc-proof" });
  });

  it("has sensitivity √m at a level and 1 at the leaves, and spends the whole budget and no more", () => {
    const study = studyOf();
    const { stages, claim } = planStudy(study);
    expect(stages.map(({ disclosure }) => disclosure.sensitivity)).toEqual([3 ** 0.5, 3 ** 0.5, 3 ** 0.5, 1]);
    const accountant = zcdpAccountant({ neighbouringRelation: "add-remove" });
    for (const { disclosure } of stages) accountant.compose(disclosure.event);
    expect(accountant.epsilon(1e-6)).toBe(claim.epsilon);
    expect(claim.epsilon).toBeLessThanOrEqual(1);
    expect(claim.epsilon).toBeGreaterThan(0.9999);
    const { levels, leaves } = dpPccLayout(study);
    const shares = [...levels.map(({ stage }) => stage.share), leaves.share];
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    expect(leaves.share).toBe(0.3);
  });

  it("claims nothing without privacy", () => {
    const { claim, warnings } = planStudy(studyOf({ privacy: "none" }));
    expect(claim.verdict).toBe("no privacy");
    expect(warnings).toEqual([]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ label: undefined }, "label: missing"],
    [{ label: { name: "y", levels: ["no"] } }, "label.levels: declare at least two levels"],
    [{ method: "id3" }, "method: method of correlation-tree must be one of: dp-pcc, dp-pcc-s, pearson-tree"],
    [
      { variant: "paper", method: "dp-pcc" },
      "variant: dp-pcc and dp-pcc-s are `sound`; the method of `variant: paper` is pearson-tree",
    ],
    [
      { parameters: { depth: 4, evaluation: "none" } },
      "parameters.depth: 4 levels of 3 features, each asked once on a path; ask at most 3",
    ],
    [
      {
        parameters: { depth: 10, bins: 4096 },
        features: Array.from({ length: 40 }, (_, i) => ({ name: `f${i}`, type: "numeric", min: 0, max: 1 })),
      },
      "parameters.depth: a stage of 167772160 numbers is over the limit of 134217728; lower depth or bins, or declare fewer features",
    ],
    [
      { participation: { sites: ["p", "q", "r"], maxRowsPerSite: 20 } },
      "privacy.epsilon: each side of a cut must hold 104 rows to stand out of the noise, and there are at most 60 in all; raise epsilon, declare fewer features, or lower bins, guard or depth",
    ],
    [
      { participation: { sites: ["p", "q", "r"], tolerateColluding: 0, maxRowsPerSite: 5000 } },
      "participation.tolerateColluding: at least 1: every site knows its own share of the noise and must not count on it",
    ],
  ])("refuses %j", (change, message) => {
    expect(fault(change)).toContain(message);
  });

  it("warns where a level can hardly be split, and of a large delta", () => {
    const few = { sites: ["p", "q", "r"], maxRowsPerSite: 500, expectedRows: 750 };
    const stated = { depth: 3, bins: 16, evaluation: "none" };
    expect(planStudy(studyOf({ participation: few, parameters: stated })).warnings.map(english)).toEqual([
      expect.stringMatching(
        /^with the 750 rows that the study expects level 3 of 3 can hardly be split: a side/,
      ),
    ]);
    expect(
      planStudy(studyOf({ participation: few }))
        .warnings.map(english)
        .join(),
    ).not.toMatch(/hardly be split/);
    expect(planStudy(studyOf()).warnings).toEqual([]);
    const loose = studyOf({ privacy: { epsilon: 1, delta: 1e-3 } });
    expect(planStudy(loose).warnings.map(english).join()).toMatch(
      /^delta 0\.001 is too large for up to 15000 records; use 1e-6 or less/,
    );
  });
});

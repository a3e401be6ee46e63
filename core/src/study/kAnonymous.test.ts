import { describe, expect, it } from "vitest";
import { zcdpAccountant } from "../privacy/zcdp.js";
import { unwrap } from "../result.js";
import { binnedFeatures } from "./binning.js";
import { binLabels } from "./candidates.js";
import { asKAnonymous } from "./kAnonymous.js";
import { planStudy } from "./plan.js";
import { parseStudy, type Study } from "./study.js";

const features = [
  { name: "age", type: "numeric", min: 18, max: 90, edges: [30, 60] },
  { name: "sex", type: "categorical", levels: ["f", "m"] },
  { name: "ward", type: "categorical", levels: ["a", "b", "c"], missing: "own-level" },
];

const raw = (change: object = {}) => ({
  name: "select",
  table: "t",
  analysis: "k-anonymous-selection",
  features,
  label: { name: "ill", levels: ["no", "yes"] },
  privacy: { epsilon: 1, delta: 1e-6 },
  participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 10_000 },
  ...change,
});
const studyWith = (change: object = {}): Study => unwrap(parseStudy(raw(change)));
const issues = (change: object) => {
  const parsed = parseStudy(raw(change));
  return parsed.ok ? [] : parsed.error.issues.map(({ path, message }) => `${path}: ${message}`);
};

describe("a study of k-anonymous-selection", () => {
  it("is dp-ka unless it says otherwise, and xgb-ka as published", () => {
    expect(studyWith()).toMatchObject({ variant: "sound", method: "dp-ka" });
    expect(studyWith({ variant: "paper", privacy: "none" })).toMatchObject({ method: "xgb-ka" });
    expect(issues({ variant: "sound", method: "xgb-ka" })[0]).toContain("write that, or use dp-ka");
    expect(issues({ variant: "paper", method: "dp-ka" })[0]).toContain("dp-ka is `sound`");
    expect(() => asKAnonymous({ ...studyWith(), analysis: "pca" } as never)).toThrow(RangeError);
  });

  it("is refused with the fix where it cannot come to anything", () => {
    expect(issues({ label: undefined })).toEqual(["label: missing"]);
    const three = { name: "ill", levels: ["no", "perhaps", "yes"] };
    expect(issues({ label: three })[0]).toMatch(/one class of two, and these are 3; declare two/);
    expect(issues({ label: three, variant: "paper", privacy: "none" })).toEqual([]);
    expect(issues({ parameters: { treeMethod: "hist" } })[0]).toMatch(/treeMethod/);
    const many = { name: "ill", levels: Array.from({ length: 200 }, (_, c) => `level ${c}`) };
    const paper = { variant: "paper", privacy: "none", label: many };
    expect(issues({ ...paper, parameters: { trees: 1000, depth: 12 } })[0]).toMatch(/2400004 stages/);
    // Levels of three trees a round, 3 tests, the rows, and the stages for cuts.
    const several = { ...paper, label: three };
    expect(issues({ ...several, parameters: { trees: 66, depth: 2, treeMethod: "hist" } })[0]).toMatch(
      /401 stages/,
    );
    expect(issues({ ...several, parameters: { trees: 65, depth: 2, treeMethod: "hist" } })).toEqual([]);
    expect(issues({ ...several, parameters: { trees: 65, depth: 2, treeMethod: "approx" } })[0]).toMatch(
      /589 stages/,
    );
    expect(issues({ label: three, variant: "paper", method: "greedy-hamdist", privacy: "none" })).toEqual([]);
    expect(issues({ parameters: { k: 30_001 } })[0]).toMatch(/at most 30000 in all; lower k/);
    expect(issues({ variant: "paper" })[0]).toMatch(/K-anonymity bounds no epsilon; write `none`/);
    expect(issues({ parameters: { maxCells: 2 ** 23 } })[0]).toMatch(/maxCells: at most/);
    expect(issues({ features: [features[2]], parameters: { maxCells: 3 } })[0]).toMatch(/raise maxCells/);
    expect(issues({ privacy: { epsilon: 0.001, delta: 1e-6 } })[0]).toMatch(
      /epsilon: a group must show \d+ rows/,
    );
    expect(issues({ parameters: { trees: 500, depth: 1 } })[0]).toMatch(/506 stages.*over the limit of 400/);
    expect(issues({ parameters: { depth: 12, bins: 16, trees: 1 }, features: wide() })[0]).toMatch(
      /lower depth/,
    );
    expect(
      issues({ parameters: { budget: { importance: 0.5, count: 0.1, tests: 0.3, table: 0.3 } } })[0],
    ).toMatch(/more than the whole/);
    expect(issues({ features: [...features, { ...features[1], name: "SEX" }] })[0]).toMatch(/letter case/);
    expect(issues({ participation: { ...raw().participation, tolerateColluding: 0 } })[0]).toMatch(
      /tolerateColluding: at least 1/,
    );
  });

  it("of dp-ka lists trees, count, one test for each feature and the table, at all of its budget", () => {
    const study = studyWith({ parameters: { trees: 2, depth: 2, maxCells: 100 } });
    const { stages, claim, setup, masking } = planStudy(study);
    expect(
      stages.map((stage) => [stage.id, stage.kind === "sum" ? stage.length : 0, stage.mayBeSkipped]),
    ).toEqual([
      ["tree-1-level-1", 18, undefined],
      ["tree-1-level-2", 36, undefined],
      ["tree-2-level-1", 18, undefined],
      ["tree-2-level-2", 36, undefined],
      ["count", 1, undefined],
      ["test-1", 24, true],
      ["test-2", 24, true],
      ["test-3", 24, true],
      ["table", 48, true],
      ["evaluation", 40, undefined],
    ]);
    expect([setup, masking]).toEqual([[], "pairwise"]);
    expect(claim.verdict).toBe("proved");
    expect(claim.proof).toBe("docs/METHODS.md#dp-ka-proof");
    const accountant = zcdpAccountant({ neighbouringRelation: "add-remove" });
    for (const { disclosure } of stages) accountant.compose(disclosure.event);
    expect(accountant.epsilon(1e-6)).toBeLessThanOrEqual(1);
    expect(accountant.epsilon(1e-6)).toBeGreaterThan(0.9999);
    expect(accountant.epsilon(1e-6)).toBe(claim.epsilon);
  });

  it("divides ρ as it says", () => {
    const { stages } = planStudy(
      studyWith({ parameters: { trees: 1, depth: 1, evaluation: { share: 0.2 } } }),
    );
    const rho = (id: string) => {
      const accountant = zcdpAccountant({ neighbouringRelation: "add-remove" });
      accountant.compose(stages.find((stage) => stage.id === id)!.disclosure.event);
      return accountant.rho();
    };
    const whole = rho("tree-1-level-1") / 0.4;
    expect(rho("evaluation") / whole).toBeCloseTo(0.25, 9);
    for (const [id, share] of [
      ["count", 0.02],
      ["test-2", 0.28 / 3],
      ["table", 0.3],
    ] as const)
      expect(rho(id) / whole).toBeCloseTo(share, 9);
  });

  it("as published grows a tree for each of several classes, and asks for cuts where it takes quantiles", () => {
    const ids = (parameters: object, levels = ["no", "yes"]) =>
      planStudy(
        studyWith({
          ...{ variant: "paper", privacy: "none", label: { name: "ill", levels } },
          parameters: { trees: 1, depth: 1, ...parameters },
        }),
      )
        .stages.filter(({ kind }) => kind === "sum")
        .map(({ id }) => id);
    expect(ids({})).toEqual(["tree-1-level-1"]);
    const each = ["tree-1-level-1", "tree-2-level-1", "tree-3-level-1"];
    expect(ids({}, ["no", "perhaps", "yes"])).toEqual(each);
    expect(ids({ treeMethod: "hist" }, ["no", "perhaps", "yes"])).toEqual(["cuts", ...each]);
    expect(ids({ treeMethod: "approx", trees: 2 })).toEqual([
      "tree-1-cuts",
      "tree-1-level-1",
      "tree-2-cuts",
      "tree-2-level-1",
    ]);
  });

  it("as published has exact sums, a stage of tags for each feature and the rows, under a seed of the sites'", () => {
    const study = studyWith({ variant: "paper", privacy: "none", parameters: { trees: 1, depth: 2 } });
    const { stages, setup, masking, claim } = planStudy(study);
    expect(stages.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      "sum tree-1-level-1",
      "sum tree-1-level-2",
      "tags test-1",
      "tags test-2",
      "tags test-3",
      "rows rows",
    ]);
    expect([setup, masking]).toEqual([["commit", "reveal"], "pairwise"]);
    expect(claim.verdict).toBe("no privacy");
    expect(claim.reasons.length).toBeGreaterThan(4);
    for (const { disclosure, kind } of stages) {
      expect(disclosure.form).toBe(
        { sum: "masked sum", tags: "tag counts", rows: "rows in the clear" }[kind],
      );
      expect(disclosure.event.kind).toBe("no-bound");
    }
    const hamdist = studyWith({ variant: "paper", method: "greedy-hamdist", privacy: "none" });
    expect(planStudy(hamdist).stages[0]).toMatchObject({ id: "histogram", length: 18, ringBits: 32 });
  });

  it("warns where noise leaves little", () => {
    const participation = { ...raw().participation, maxRowsPerSite: 100 };
    const poor = planStudy(studyWith({ privacy: { epsilon: 0.5, delta: 1e-6 }, participation })).warnings;
    expect(poor.join("\n")).toMatch(/hardly two features/);
    expect(poor.join("\n")).toMatch(/order of the features is mostly that of their declaration/);
    expect(planStudy(studyWith({ privacy: { epsilon: 4, delta: 1e-6 } })).warnings).toEqual([]);
  });
});

function wide() {
  return Array.from({ length: 200 }, (_, i) => ({
    name: `c${i}`,
    type: "categorical",
    levels: Array.from({ length: 400 }, (_, l) => `l${l}`),
  }));
}

it("calls a bin by its interval or level", () => {
  const study = studyWith();
  const binned = binnedFeatures(study.features, 16);
  expect(study.features.map((feature, f) => binLabels(feature, binned[f]!))).toEqual([
    ["[18, 30)", "[30, 60)", "[60, 90]"],
    ["f", "m"],
    ["a", "b", "c", "(missing)"],
  ]);
});

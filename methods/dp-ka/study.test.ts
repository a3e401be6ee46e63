import { rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { zcdpAccountant } from "@consilium/core/privacy/zcdp";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { binnedFeatures } from "../shared/columns/binning.js";
import { binLabels } from "../shared/k-anonymous/candidates.js";
import { asKAnonymous } from "../testing/families.js";
import { parseStudy, type Study } from "../testing/studies.js";
import { boostingRowsNeeded } from "./order.js";
import { type DpKaStudy, dpKaLayout } from "./study.js";

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
  participation: { sites: ["berlin", "munich", "ulm"], minimumSites: 3, maxRowsPerSite: 10_000 },
  ...change,
});
const studyWith = (change: object = {}): Study => unwrap(parseStudy(raw(change)));
const issues = (change: object) => {
  const parsed = parseStudy(raw(change));
  return parsed.ok ? [] : parsed.error.issues.map(({ path, message }) => `${path}: ${english(message)}`);
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
    expect(issues({ label: three, parameters: { order: "boosting" } })[0]).toMatch(
      /two classes, and there are 3; declare two, or write order: histogram/,
    );
    expect(issues({ label: three })).toEqual([]);
    const large = {
      features: Array.from({ length: 350 }, (_, f) => ({ name: `x${f}`, type: "numeric", min: 0, max: 1 })),
      label: { name: "ill", levels: Array.from({ length: 100 }, (_, l) => `l${l}`) },
      parameters: { bins: 4096, evaluation: "none" },
    };
    expect(issues(large)[0]).toMatch(/a histogram of 143360000 numbers is over the limit of 134217728/);
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
    expect(issues({ parameters: { order: "boosting", trees: 500, depth: 1 } })[0]).toMatch(
      /506 stages.*over the limit of 400/,
    );
    expect(
      issues({ parameters: { order: "boosting", depth: 12, bins: 16, trees: 1 }, features: wide() })[0],
    ).toMatch(/lower depth/);
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
          variant: "paper",
          privacy: "none",
          label: { name: "ill", levels },
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
    const poor = planStudy(studyWith({ privacy: { epsilon: 0.5, delta: 1e-6 }, participation })).warnings.map(
      english,
    );
    expect(poor.join("\n")).toMatch(/hardly two features/);
    expect(poor.join("\n")).toMatch(/order of the features is mostly noise: even one that decides half/);
    const boosted = studyWith({
      privacy: { epsilon: 0.5, delta: 1e-6 },
      participation,
      parameters: { order: "boosting" },
    });
    expect(planStudy(boosted).warnings.map(english).join("\n")).toMatch(
      /order of the features is mostly that of their declaration.*write order: histogram/,
    );
    expect(planStudy(studyWith({ privacy: { epsilon: 4, delta: 1e-6 } })).warnings).toEqual([]);
  });
});

describe("what dp-ka orders features by", () => {
  const order = (change: object) => {
    const study = studyWith(change) as DpKaStudy;
    return { study, layout: dpKaLayout(study), stages: planStudy(study).stages };
  };
  const expecting = (expectedRows: number) => ({ participation: { ...raw().participation, expectedRows } });

  it("is boosting from 2^(d+5)·√(B/2)·√(m·T·d/2ρ) rows for training on, and one histogram below", () => {
    const { study, layout } = order({});
    // .4 of .95 of ρ is the importance's. Bins are 3, 2 and 4, their middle 3.
    const share = 0.4 * 0.95;
    const rho = share * rhoFromEpsilon({ epsilon: 1, delta: 1e-6 });
    const needed = 2 ** 7 * Math.sqrt(3 / 2) * Math.sqrt((3 * 10) / (2 * rho));
    expect(boostingRowsNeeded(study, layout.features, share) / needed).toBeCloseTo(1, 3);
    const rows = boostingRowsNeeded(study, layout.features, share) / 0.8;
    expect(order(expecting(Math.floor(rows) - 2)).layout).toMatchObject({
      ordering: { by: "histogram" },
      boosting: null,
    });
    expect(order(expecting(Math.ceil(rows) + 1)).layout).toMatchObject({
      ordering: { by: "boosting" },
      histogram: null,
    });
    // With less noise fewer rows do, with more features more rows are needed.
    const few = { ...expecting(Math.floor(rows) - 2), privacy: { epsilon: 4, delta: 1e-6 } };
    expect(order(few).layout.ordering.by).toBe("boosting");
    const more = Array.from({ length: 4 }, (_, f) => ({ ...features[0], name: `x${f}` }));
    const many = { ...expecting(Math.ceil(rows) + 1), features: [...features, ...more] };
    expect(order(many).layout.ordering.by).toBe("histogram");
  });

  it("is what the study says, boosting without noise, and a histogram of more than two classes", () => {
    expect(order({ parameters: { order: "histogram" } }).layout.ordering).toEqual({
      by: "histogram",
      reason: null,
    });
    const few = { ...expecting(100), parameters: { order: "boosting" } };
    expect(order(few).layout.ordering).toEqual({ by: "boosting", reason: null });
    expect(order({ ...expecting(100), privacy: "none" }).layout.ordering.by).toBe("boosting");
    const three = order({ label: { name: "ill", levels: ["no", "perhaps", "yes"] } });
    expect(three.layout.ordering.by).toBe("histogram");
    expect(three.stages.map((stage) => [stage.id, stage.kind === "sum" ? stage.length : 0])).toEqual([
      ["histogram", 3 * 9],
      ["count", 1],
      ["test-1", 24],
      ["test-2", 24],
      ["test-3", 24],
      ["table", 72],
      ["evaluation", 9],
    ]);
  });

  it("stands in the plan with its reason, at all of the budget", () => {
    const small = order(expecting(614));
    const [first] = small.stages;
    expect(english(first!.disclosure.what)).toMatch(
      /^counts of rows by the bins of each of the 3 features and by ill, to order the features in one round \(about 491 rows are expected for training, and boosting's splits need \d+ to stand out of the noise\), added up/,
    );
    expect(first!.disclosure.normBound).toBeCloseTo(Math.sqrt(3), 12);
    expect(planStudy(small.study).claim.epsilon).toBeGreaterThan(0.9999);
    const large = order(expecting(30_000));
    expect(english(large.stages[0]!.disclosure.what)).toMatch(
      /features \(about 24000 rows are expected for training/,
    );
    expect(english(large.stages[1]!.disclosure.what)).not.toMatch(/expected/);
    expect(english(order({ parameters: { order: "boosting" } }).stages[0]!.disclosure.what)).not.toMatch(
      /expected/,
    );
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

import type { LeavingView, StudyBudgetView } from "@consilium/core/hospital/studyViews";
import type { ClaimView } from "@consilium/core/study/planViews";
import { describe, expect, it } from "vitest";
import { budgetTexts, needsAcknowledgement, shown, shownDown, warningsOf } from "./privacyWords.js";

const claim = (change: Partial<ClaimView> = {}): ClaimView => ({
  verdict: "proved",
  epsilon: 0.5,
  delta: 1e-6,
  neighbouringRelation: "add-remove",
  unit: "one record",
  proof: "METHODS.md",
  reasons: [],
  ...change,
});
const leaving = (form: LeavingView["form"]): LeavingView => ({
  numbers: "1",
  name: "moments",
  stageIds: ["moments"],
  what: "a sum",
  form,
  formWords: "",
  noise: "",
  learns: "",
  bytes: 8,
  stages: 1,
});
const budget: StudyBudgetView = {
  population: "default",
  tables: ["visits"],
  delta: 1e-6,
  unit: "patient",
  factor: 1,
  limit: 2,
  before: 0.25,
  after: 0.7501,
  remainingBefore: 1.75,
  remainingAfter: 1.2499,
  fits: true,
  unprovedBefore: 0,
  unprovedHere: 0,
  charged: false,
};

describe("a cost", () => {
  it("rounds what is spent up and what remains down", () => {
    expect(shown(0.2001)).toBe("0.201");
    expect(shown(0.2)).toBe("0.2");
    expect(shownDown(0.2009)).toBe("0.2");
    expect(shownDown(0.3)).toBe("0.3");
  });
});

describe("the warnings before approval", () => {
  it("are none for masked sums with a proof", () => {
    expect(warningsOf(claim(), [leaving("masked sum")])).toEqual([]);
    expect(needsAcknowledgement(claim(), [leaving("masked sum")])).toBe(false);
  });

  it("say who reads rows that are released", () => {
    const learns = "learns.shuffled {}";
    const titles = warningsOf(claim(), [{ ...leaving("rows in the clear"), learns }]).map(
      ({ title }) => title,
    );
    expect(titles).toEqual([
      "Rows are sent unmasked: the aggregator can read each row, and so can everyone who reads the release.",
    ]);
  });

  it("say that nothing is proven, permanently, in an as-published variant", () => {
    const paper = claim({ verdict: "claimed by the authors, not verified" });
    const [warning] = warningsOf(paper, []);
    expect(warning!.title).toMatch(/^No proven privacy/);
    expect(warning!.texts.join(" ")).toContain("They claim that it protects patients with epsilon 0.5");
    expect(warning!.texts.join(" ")).toContain("permanently");
    expect(needsAcknowledgement(paper, [])).toBe(true);
  });

  it("say that there is no privacy, and which data are sent unmasked", () => {
    const none = claim({ verdict: "no privacy", epsilon: null });
    const titles = warningsOf(none, [leaving("rows in the clear"), leaving("tag counts")]).map(
      ({ title }) => title,
    );
    expect(titles).toHaveLength(3);
    expect(titles[0]).toMatch(/^No privacy:/);
    expect(titles[1]).toMatch(/^Rows are sent unmasked/);
    expect(titles[2]).toMatch(/^Counts of identical rows/);
  });
});

describe("a study's effect on the budget, in words", () => {
  it("states spent and remaining budget, before and after", () => {
    expect(budgetTexts(budget).join(" ")).toBe(
      "Of the population default (tables visits), epsilon 0.25 of 2 per patient at delta 1e-6 (1 in 1,000,000) is spent or reserved without this study, 0.751 with it. 1.75 remains before, 1.249 after.",
    );
  });

  it("says when there is no limit, not enough budget, and no bound", () => {
    const free = { ...budget, limit: null, remainingBefore: null, remainingAfter: null };
    expect(budgetTexts(free)).toHaveLength(1);
    expect(budgetTexts(free)[0]).toContain("has no limit");
    expect(budgetTexts({ ...budget, fits: false }).join(" ")).toContain("remaining budget is too small");
    expect(budgetTexts({ ...budget, factor: 25 }).join(" ")).toContain("charges 25 times the rho of one row");
    const unproved = budgetTexts({ ...budget, unprovedBefore: 1, unprovedHere: 2 }).join(" ");
    expect(unproved).toContain("data without a proof were sent once before");
    expect(unproved).toContain("This study sends data without a proof 2 times");
  });
});

import type { TablesFile } from "@consilium/core/release/views";
import { describe, expect, it } from "vitest";
import { findingsOf } from "./finding";

type Table = TablesFile["tables"][number];

function table(name: string, columns: readonly string[], rows: readonly (string | number | null)[][]): Table {
  return {
    name,
    title: name,
    description: name,
    isShown: true,
    columns: columns.map((column) => ({ name: column, type: "text" as const, description: column })),
    rows: rows.map((row) => [...row]),
  };
}

describe("what a release found", () => {
  it("is each count with its interval, of all sites", () => {
    const counts = table(
      "counts",
      ["condition", "meaning", "sites", "count", "count_low", "count_high"],
      [
        ["all", "any", "all sites", 569.4, 560.1, 578.2],
        ["all", "any", "north", 300, 290, 310],
      ],
    );
    expect(findingsOf({ tables: [counts] })).toEqual([
      { name: "all", value: "569", about: "95 % interval: 560 to 578." },
    ]);
  });

  const tableOne = table(
    "table-one",
    ["variable", "statistic", "overall", "arm: a", "arm: b"],
    [["patients", "n", "569", "300", "269"]],
  );
  const summaryOf = (low: number) =>
    table(
      "summary",
      ["variable", "group", "statistic", "estimate", "low", "high"],
      [
        ["age", "overall", "mean", 60, 59, 61],
        ["age", "overall", "standard deviation", 10, 9, 11],
        ["age", "a", "mean", 58, 57, 59],
        ["age", "b", "mean", 62, low, 63],
      ],
    );

  it("is of a table one how many there are, and what differs most between its groups", () => {
    const [count, difference] = findingsOf({ tables: [tableOne, summaryOf(61)] });
    expect(count).toEqual({ name: "Patients", value: "569", about: null });
    expect(difference).toEqual({
      name: "Largest difference: mean of age",
      value: "58 and 62",
      about: "Groups: a (57 to 59) and b (61 to 63). Their intervals of 95 % do not overlap.",
    });
    const shares = table(
      "histograms",
      ["variable", "group", "cell", "from", "share", "share_low", "share_high"],
      [
        ["sex", "overall", "female", null, 0.5, 0.4, 0.6],
        ["sex", "a", "female", null, 0.2, 0.15, 0.25],
        ["sex", "b", "female", null, 0.8, 0.75, 0.85],
      ],
    );
    const [, largest] = findingsOf({ tables: [tableOne, summaryOf(61), shares] });
    expect(largest).toEqual({
      name: "Largest difference: sex = female",
      value: "20.0 % and 80.0 %",
      about:
        "Groups: a (15.0 % to 25.0 %) and b (75.0 % to 85.0 %). Their intervals of 95 % do not overlap. The largest of 2 clear differences.",
    });
  });

  it("claims no difference where intervals overlap", () => {
    expect(findingsOf({ tables: [tableOne, summaryOf(58.5)] })).toEqual([
      { name: "Patients", value: "569", about: null },
      {
        name: "Between the groups",
        value: "no clear difference",
        about: "In every column the groups' intervals of 95 % overlap.",
      },
    ]);
  });

  it("gives the rows of a table one their interval", () => {
    const tidy = table(
      "table-one-tidy",
      ["variable", "statistic", "group", "estimate", "low", "high"],
      [
        ["patients", "n", "a", 300, 290, 310],
        ["patients", "n", "overall", 569, 560.4, 577.6],
      ],
    );
    const [count] = findingsOf({ tables: [tableOne, tidy] });
    expect(count).toEqual({ name: "Patients", value: "569", about: "95 % interval: 560 to 578." });
  });

  it("is of a selection what was selected, and how sure that is", () => {
    const columns = ["rank", "feature", "weight", "selected", "selected_again"];
    const rows = (share: number | null) => [
      [1, "a", 0.9, "yes", share],
      [2, "b", 0.5, "yes", share === null ? null : 0.6],
      [3, "c", 0.1, "no", share === null ? null : 0.4],
    ];
    const [ranked] = findingsOf({ tables: [table("weights", columns, rows(0.97))] });
    expect(ranked).toEqual({
      name: "Ranked first",
      value: "a, b",
      about: "With as much noise once more they would be selected in 97 %, 60 % of cases.",
    });
    expect(findingsOf({ tables: [table("weights", columns, rows(null))] })[0]!.about).toBeNull();
  });

  it("is of a table of groups its columns, and of synthetic rows how many and what not to do with them", () => {
    const bars = ["a (released)", "b", "c (released)"].map((label) => ({
      label,
      value: 1,
      low: null,
      high: null,
    }));
    const about = { name: "importance", title: "Worth", valueLabel: "gain", bars };
    expect(findingsOf({ figures: [{ kind: "bars", ...about }] })).toMatchObject([
      { name: "Columns released together", value: "a, c", about: expect.stringContaining("of 3 whose") },
    ]);
    expect(findingsOf({ syntheticRows: 2017 })[0]).toMatchObject({ name: "Synthetic rows", value: "2017" });
  });

  it("is of survival each group's median with its interval, and then whether the groups differ", () => {
    const model = (pValue: number) => ({
      analysis: "survival",
      time: { unit: "months" },
      groupedBy: "arm",
      groups: [
        { group: "standard", median: { value: 31.24, low: 28, high: 35.5 } },
        { group: "new", median: { value: null, low: null, high: null } },
      ],
      logRank: { pValue, until: 60 },
    });
    const [standard, other, test] = findingsOf({ model: model(1e-9) });
    expect(standard).toEqual({
      name: "Median survival: arm = standard",
      value: "31.2 months",
      about: "95 % interval: 28 months to 35.5 months.",
    });
    expect(other).toEqual({ name: "Median survival: arm = new", value: "beyond the curve", about: null });
    expect([test!.name, test!.value]).toEqual(["Difference between the groups: log-rank test", "p < 0.0001"]);
    expect(test!.about).toContain("up to 60 months");
    const [, , unclear] = findingsOf({ model: model(0.412) });
    expect([unclear!.value, unclear!.about]).toEqual([
      "p = 0.412",
      expect.stringMatching(/^Chance and noise explain .* not show that the groups are alike\.$/),
    ]);
    const imprecise = { ...model(0.049), logRank: { pValue: 0.049, until: 60, decision: "imprecise" } };
    expect(findingsOf({ model: imprecise })[2]).toMatchObject({
      value: "too imprecise to interpret",
      about: expect.stringContaining("up to 60 months"),
    });
  });

  const coefficients = (low: number, high = 2.46) =>
    table(
      "coefficients",
      [
        "term",
        "feature",
        "coefficient",
        "std_error",
        "ci_low",
        "ci_high",
        "odds_ratio",
        "odds_ratio_low",
        "odds_ratio_high",
        "imprecise",
      ],
      [
        ["(intercept)", null, -9, 0.1, -9.2, -8.8, null, null, null, null],
        ["age", "age", 0.02, 0.05, -0.08, 0.12, 1.02, 0.92, 1.13, null],
        ["smoker=yes", "smoker", 0.7, 0.1, low, 0.9, 2.01, 1.65, high, null],
        ["unit=burns", "unit", null, null, null, null, null, null, null, "few-events"],
      ],
    );

  it("is of a regression the clearest association, and says where none is", () => {
    expect(findingsOf({ tables: [coefficients(0.5)] })).toEqual([
      {
        name: "Clearest association: smoker=yes, odds ratio",
        value: "2.01",
        about: "95 % interval: 1.65 to 2.46. The clearest of 3: the interval does not allow for this choice.",
      },
    ]);
    expect(findingsOf({ tables: [coefficients(-0.1)] })).toEqual([
      { name: "Clearest association", value: "none is clear", about: null },
    ]);
  });

  it("says of a ratio over many powers of ten that it cannot be told", () => {
    expect(findingsOf({ tables: [coefficients(0.5, 2.47e27)] })).toEqual([
      {
        name: "Clearest association: smoker=yes, odds ratio",
        value: "cannot be told",
        about:
          "The interval covers 1.65 to 2.47e+27: only that it is above 1 is clear. The clearest of 3: the interval does not allow for this choice.",
      },
    ]);
  });

  it("is of components the share of variance they keep, and of a ranking what comes first", () => {
    expect(findingsOf({ model: { explainedVarianceRatio: [0.5, 0.25] } })).toEqual([
      {
        name: "Share of variance kept",
        value: "75.0 %",
        about: "By 2 components, of the sums that they were computed from, with their noise.",
      },
    ]);
    expect(findingsOf({ model: { explainedVarianceRatio: null } })).toEqual([]);
    const bars = ["a", "b", "c", "d"].map((label) => ({ label, value: 1, low: null, high: null }));
    const figure = {
      kind: "bars" as const,
      name: "importance",
      title: "Weights",
      valueLabel: "weight",
      bars,
    };
    expect(findingsOf({ figures: [figure] })).toEqual([
      { name: "Ranked first", value: "a, b, c", about: "Weights" },
    ]);
    expect(findingsOf({})).toEqual([]);
  });
});

import { omopPlanSchema } from "@consilium/core/omop/plan";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { declarationOf, declarationsOfPlan, openProposals, proposalOf, withVariables } from "./variables";

const shared = (name: string, type: string) => ({ name, types: [type], missingAt: [] });

describe("columns that sites share", () => {
  it("are declared with what is proposed, else with what a person has to say", () => {
    const pressure = shared("systolic_bp", "number");
    const [unit] = proposalOf(pressure)!.units;
    expect(declarationOf(pressure, unit!, [])).toMatchObject({ type: "numeric", min: 60, unit: "mmHg" });
    expect(declarationOf(shared("x1", "number"), null, [])).toMatchObject({ min: "TODO", max: "TODO" });
    expect(declarationOf(shared("ward", "text"), null, [])).toMatchObject({ levels: ["TODO"] });
  });

  it("get no proposal that their type does not fit", () => {
    expect(proposalOf(shared("sex", "number"))).toBeNull();
    expect(proposalOf(shared("age", "text"))).toBeNull();
    expect(proposalOf(shared("sex", "any"))?.levels).toEqual(["female", "male"]);
    expect(proposalOf(shared("age", "any"))?.units).toHaveLength(1);
    expect(proposalOf(shared("sex", "text"))?.levels).toEqual(["female", "male"]);
  });
});

it("proposes only where nobody has said anything", () => {
  const open = openProposals([
    { name: "age", type: "numeric", min: 0, max: 1 },
    { name: "bmi", type: "numeric", min: 15, max: 50 },
    { name: "sex", type: "categorical", levels: ["TODO"] },
    { name: "smoking", type: "categorical", levels: ["a", "b"] },
  ]);
  expect([...open.keys()]).toEqual([0, 2]);
  expect(open.get(0)).toMatchObject({ name: "age", min: 18, max: 100 });
});

it("declares what an OMOP plan makes", () => {
  const event = { domain: "measurement", concepts: "hba1c", days: [-365, 0] };
  const plan = omopPlanSchema.parse({
    cdm: "5.4",
    conceptSets: { hba1c: [{ concept: 3004410 }] },
    index: { domain: "measurement", concepts: "hba1c" },
    columns: [
      { name: "age", value: "age" },
      { name: "sex", value: "sex" },
      { name: "sugar", value: "last", unit: "any", ...event },
      { name: "tests", value: "count", ...event },
      { name: "tested", value: "any", ...event },
    ],
  });
  expect(declarationsOfPlan(plan, "tested")).toMatchObject([
    { name: "age", min: 18 },
    { name: "sex", levels: ["female", "male"] },
    { name: "sugar", min: 3, max: 18, unit: "%" },
    { name: "tests", min: 0 },
  ]);
});

describe("the draft's columns", () => {
  const text = `# A study.
name: a
features:
  - { name: age, type: numeric, min: 18, max: 90 } # theirs
  # a comment
  - name: ward
    type: categorical
    levels: [a, b]

label: { name: b, levels: [x, y] }
`;
  const bmi = { name: "bmi", type: "numeric", min: 10, max: 60 };

  it("are added to, and what is declared stays as it is", () => {
    const after = withVariables(text, [{ name: "age", type: "numeric", min: 0, max: 1 }, bmi], false);
    const { features, label } = parse(after) as { features: { name: string; min?: number }[]; label: object };
    expect(features.map(({ name, min }) => [name, min])).toEqual([
      ["age", 18],
      ["ward", undefined],
      ["bmi", 10],
    ]);
    expect(label).toEqual({ name: "b", levels: ["x", "y"] });
    expect(after).toContain("# theirs");
  });

  it("have the proposed step of a number in a regression, and in no other study", () => {
    const regression = `analysis: regression\n${text}`;
    expect(parse(withVariables(regression, [bmi], true))).toMatchObject({ features: [{ ...bmi, per: 5 }] });
    const open = { ...bmi, min: "TODO" };
    expect(parse(withVariables(regression, [open], true))).toMatchObject({ features: [open] });
    expect(parse(withVariables(text, [bmi], true)).features).toEqual([bmi]);
  });

  it("are replaced as a whole, or begun", () => {
    expect(parse(withVariables(text, [bmi], true))).toMatchObject({ name: "a", features: [bmi] });
    expect(parse(withVariables("name: a\n", [bmi], false))).toEqual({ name: "a", features: [bmi] });
    expect(withVariables("a: [", [bmi], true)).toBe("a: [");
  });
});

import { describe, expect, it } from "vitest";
import { hasSteps, openSteps, withFollowingStep } from "./coefficientSteps";
import { placeOf } from "./places";

const age = { name: "age", type: "numeric", min: 0, max: 110, per: 10 };

describe("steps of coefficients", () => {
  it("are for the predictors of a regression, and for no other column or analysis", () => {
    const features = [
      { ...age, per: undefined },
      { name: "sex", type: "categorical", levels: ["f", "m"] },
      { name: "days", type: "numeric", min: 0, max: 5000 },
      { name: "bmi", type: "numeric", min: 10, max: 60, per: 1 },
      { name: "open", type: "numeric", min: 0, max: "TODO" },
    ];
    const study = { analysis: "regression", features, parameters: { time: "days" } };
    expect([...openSteps(study)]).toEqual([[0, 10]]);
    expect([...openSteps({ ...study, parameters: {} })]).toEqual([
      [0, 10],
      [2, 500],
    ]);
    expect([0, 1, 2, 3, 4].map((at) => hasSteps(study, features[at]!))).toEqual([
      true,
      false,
      false,
      true,
      true,
    ]);
    expect([...openSteps({ ...study, analysis: "describe" })]).toEqual([]);
    expect(hasSteps({ ...study, analysis: "describe" }, features[0]!)).toBe(false);
  });

  it("follow a bound while they are the proposed ones, and never replace a person's", () => {
    expect(withFollowingStep(age, { ...age, max: 40 })).toEqual({ ...age, max: 40, per: 5 });
    expect(withFollowingStep(age, { ...age, max: undefined })).toEqual({ ...age, max: undefined });
    expect(withFollowingStep({ ...age, per: 7 }, { ...age, per: 7, max: 40 }).per).toBe(7);
    const without = { name: "age", type: "numeric", min: 0, max: 110 };
    expect(withFollowingStep(without, { ...without, max: 40 })).toEqual({ ...without, max: 40 });
  });

  it("have a field that a fault of them leads to", () => {
    const place = placeOf(["features", 0, "per"], { features: [age] }, null);
    expect(place).toMatchObject({ title: "Step", field: ["features", 0, "per"] });
  });
});

import { allMethods } from "@consilium/methods-paper/all";
import { describe, expect, it } from "vitest";
import { type FieldSpec, methodOf, studySpec } from "./schemaFields";

const spec = studySpec(allMethods.jsonSchema());

describe("studySpec", () => {
  it("has every method with its parameters", () => {
    expect(spec.methods).toHaveLength(23);
    const { parameters } = methodOf(spec.methods, { analysis: "pca" })!;
    expect(parameters.map(({ key }) => key)).toEqual([
      "components",
      "centre",
      "radius",
      "ball",
      "ballShare",
      "kappa",
      "form",
      "iterations",
    ]);
    expect(parameters[0]).toMatchObject({ isRequired: true, field: { kind: "number", isWhole: true } });
    expect(parameters[1]?.field.kind).toBe("numbers");
    expect(parameters[5]).toMatchObject({ usual: "0.5", range: "at least 0.05, at most 4" });
    expect(parameters[6]?.field).toEqual({
      kind: "choice",
      options: ["auto", "one-round", "two-round", "iteration"],
    });
  });

  it("has a form for every parameter of every method", () => {
    const kinds = (fields: readonly FieldSpec[]): string[] =>
      fields.flatMap(({ field }) => (field.kind === "group" ? kinds(field.fields) : [field.kind]));
    for (const { parameters } of spec.methods) expect(kinds(parameters)).not.toContain("other");
  });

  it("knows which parameters can be turned off", () => {
    const { parameters } = methodOf(spec.methods, { analysis: "correlation-tree" })!;
    const evaluation = parameters.find(({ key }) => key === "evaluation");
    expect(evaluation?.field).toMatchObject({ kind: "group", off: "none" });
  });

  it("describes each parameter", () => {
    const silent = spec.methods.flatMap(({ method, parameters }) =>
      parameters.filter(({ hint }) => hint === "").map(({ key }) => `${method} ${key}`),
    );
    expect(silent).toEqual([]);
  });
});

describe("methodOf", () => {
  it("fills in a study's defaults", () => {
    const nameOf = (study: Record<string, unknown>) => methodOf(spec.methods, study)?.method;
    expect(nameOf({ analysis: "feature-selection" })).toBe("felp-a");
    expect(nameOf({ analysis: "pca", variant: "paper" })).toBe("elfed-pca");
    expect(nameOf({ analysis: "pca", method: "dpdis-pca" })).toBe("dpdis-pca");
    expect(nameOf({ analysis: "pca", method: "felp" })).toBeUndefined();
    expect(nameOf({})).toBeUndefined();
  });
});

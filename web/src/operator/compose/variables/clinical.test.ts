import { featureSchema } from "@consilium/core/study/features";
import { describe, expect, it } from "vitest";
import { clinicalVariables, proposalFor } from "./clinical";

describe("the common clinical variables", () => {
  it("have bounds, edges and levels that a study takes", () => {
    for (const { names, units = [], levels = [] } of clinicalVariables) {
      const made =
        levels.length > 0
          ? [{ name: names[0], type: "categorical", levels }]
          : units.map((unit) => ({ name: names[0], type: "numeric", ...unit }));
      expect(made.length).toBeGreaterThan(0);
      for (const one of made) expect(featureSchema.safeParse(one).error?.issues, names[0]).toBeUndefined();
    }
  });

  it("have no name twice", () => {
    const names = clinicalVariables.flatMap((one) =>
      one.names.map((name) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")),
    );
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it.each([
    ["systolic_bp", "systolic blood pressure", "mmHg"],
    ["SysBP", "systolic blood pressure", "mmHg"],
    ["creatinine", "creatinine", "mg/dL"],
    ["creatinine_umol_l", "creatinine", "µmol/L"],
    ["creatinine_µmol_l", "creatinine", "µmol/L"],
    ["last_creatinine", "creatinine", "mg/dL"],
    ["hba1c (mmol/mol)", "hba1c", "mmol/mol"],
    ["NT-proBNP", "nt pro bnp", "pg/mL"],
    ["glucoseMean", "glucose", "mmol/L"],
    ["height_cm", "height", "cm"],
    ["radius_mean", null, null],
    ["patient_id", null, null],
  ])("%s: %s in %s", (column, name, unit) => {
    const proposal = proposalFor(column);
    expect(proposal?.name ?? null).toBe(name);
    expect(proposal?.units[0]?.unit ?? null).toBe(unit);
  });

  it("propose levels of a category", () =>
    expect(proposalFor("Smoking_Status")).toMatchObject({
      units: [],
      levels: ["never", "former", "current"],
    }));
});

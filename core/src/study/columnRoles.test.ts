import { expect, it } from "vitest";
import { declaredTypeOf, keyRoleOf } from "./columnRoles.js";

it("takes a column for a number where one hospital has numbers and another text", () => {
  expect(declaredTypeOf(["number", "text"])).toBe("numeric");
  expect(declaredTypeOf(["any", "number", "text"])).toBe("numeric");
  expect(declaredTypeOf(["text", "any"])).toBe("categorical");
  expect(declaredTypeOf(["number", "boolean"])).toBe("categorical");
  for (const types of [[], ["any"], ["number", "binary"]]) expect(declaredTypeOf(types)).toBeNull();
});

it("knows identifiers and indexes by their names, and no measurement", () => {
  for (const name of [
    "id",
    "pid",
    "patient_id",
    "patientId",
    "PatientID",
    "MRN",
    "subject",
    "encounter.uuid",
  ])
    expect(keyRoleOf(name), name).toBe("identifier");
  for (const name of ["__index_level_0__", "Unnamed: 0", "index", "rownames"])
    expect(keyRoleOf(name), name).toBe("index");
  for (const name of [
    "age",
    "uric_acid",
    "thyroid",
    "hybrid",
    "patient_weight",
    "bmi index",
    "case_mix",
    "ph",
  ])
    expect(keyRoleOf(name), name).toBeNull();
});

import { type OmopPlan, omopPlanSchema } from "@consilium/core/omop/plan";
import { syntheticConcepts as concepts } from "./syntheticCdm.js";

/** For tests: a feature plan over the made-up CDM, and a study of it. */

const { diabetes, heartFailure, units } = concepts;

/** Every kind of column and every domain. */
export const fullPlan = (more: Partial<OmopPlan["index"]> = {}): OmopPlan =>
  omopPlanSchema.parse({
    cdm: "5.4",
    conceptSets: {
      diabetes: [{ concept: diabetes.all }, { concept: diabetes.type1, excluded: true }],
      "type-2": [{ concept: diabetes.type2 }],
      "exactly-type-2": [{ concept: diabetes.type2, descendants: false }],
      "heart-failure": [{ concept: heartFailure.all }],
      metformin: [{ concept: concepts.metformin }],
      hba1c: [{ concept: concepts.hba1c }],
      systolic: [{ concept: concepts.systolic }],
      smoker: [{ concept: concepts.smoker }],
      "eye-exam": [{ concept: concepts.eyeExam }],
      inpatient: [{ concept: concepts.inpatient }],
    },
    index: { domain: "condition", concepts: "diabetes", ...more },
    columns: [
      { name: "age", value: "age" },
      { name: "sex", value: "sex" },
      {
        name: "hba1c",
        value: "last",
        domain: "measurement",
        concepts: "hba1c",
        unit: units.percent,
        days: [-400, 0],
      },
      {
        name: "hba1c any unit",
        value: "last",
        domain: "measurement",
        concepts: "hba1c",
        unit: "any",
        days: [-4000, 4000],
      },
      {
        name: "systolic",
        value: "last",
        domain: "measurement",
        concepts: "systolic",
        unit: units.mmHg,
        days: [-800, 800],
      },
      {
        name: "cigarettes",
        value: "last",
        domain: "observation",
        concepts: "smoker",
        unit: "any",
        days: [-4000, 4000],
      },
      { name: "metformin", value: "any", domain: "drug", concepts: "metformin", days: [0, 365] },
      { name: "visits", value: "count", domain: "visit", concepts: "inpatient", days: [-365, -1] },
      { name: "again", value: "count", domain: "condition", concepts: "type-2", days: [0, 3650] },
      { name: "exactly", value: "count", domain: "condition", concepts: "exactly-type-2", days: [0, 3650] },
      { name: "eyes", value: "any", domain: "procedure", concepts: "eye-exam", days: [-2000, 2000] },
      { name: "failure", value: "days-to", domain: "condition", concepts: "heart-failure", days: [1, 1500] },
    ],
  });

/** A study whose features are what a plan gives, with bounds that clip nothing. */
export const omopStudy = (plan: OmopPlan) => ({
  name: "omop",
  table: "cohort",
  analysis: "pca",
  features: plan.columns.map(({ name, value }) =>
    value === "sex"
      ? { name, type: "categorical", levels: ["female", "male"], missing: "own-level" }
      : { name, type: "numeric", min: -1e6, max: 1e6, missing: { constant: -999_999 } },
  ),
  omop: plan,
  privacy: { epsilon: 1, delta: 1e-6 },
  participation: { maxRowsPerSite: 100_000 },
  parameters: { components: 1 },
});

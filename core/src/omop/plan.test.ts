import { expect, test } from "vitest";
import { isIsoDay } from "./isoDay.js";
import { type OmopPlan, omopPlanSchema } from "./plan.js";
import { omopPlanIssues } from "./planIssues.js";
import { omopPlanWords } from "./words.js";

const written = {
  cdm: "5.4",
  conceptSets: {
    diabetes: [
      { concept: 201826, name: "Type 2 diabetes mellitus" },
      { concept: 4058243, excluded: true },
    ],
    hba1c: [{ concept: 3004410, descendants: false }],
    stay: [{ concept: 9201 }],
  },
  index: {
    domain: "condition",
    concepts: "diabetes",
    from: "2015-01-01",
    observed: { daysBefore: 365 },
  },
  columns: [
    { name: "age", value: "age" },
    { name: "sex", value: "sex" },
    { name: "hba1c", value: "last", domain: "measurement", concepts: "hba1c", unit: 8554, days: [-365, 0] },
    { name: "stays", value: "count", domain: "visit", concepts: "stay", days: [-365, -1] },
    { name: "wait", value: "days-to", domain: "visit", concepts: "stay", days: [1, 1] },
    { name: "readmitted", value: "any", domain: "visit", concepts: "stay", days: [1, 30] },
  ],
};
const plan = omopPlanSchema.parse(written);

const numeric = (name: string) => ({
  name,
  type: "numeric" as const,
  min: 0,
  max: 100,
  missing: "reject-row" as const,
});
const features = [
  numeric("age"),
  { name: "sex", type: "categorical" as const, levels: ["male", "female"], missing: "reject-row" as const },
  ...["hba1c", "stays", "wait"].map(numeric),
];
const label = { name: "readmitted", levels: ["0", "1"] };

const faults = (changed: OmopPlan, own: Parameters<typeof omopPlanIssues>[1] = { features, label }) =>
  omopPlanIssues(changed, own).map(([path, message]) => `${path.join(".")}: ${message}`);

test("a plan that gives every column of the study fits", () => {
  expect(faults(plan)).toEqual([]);
});

test("what does not fit the study is told by place", () => {
  expect(faults(plan, { features: features.slice(1), label })).toEqual([
    'columns.0.name: no feature or label of the study is called "age"',
  ]);
  expect(faults(plan, { features: [...features, numeric("weight")], label })).toEqual([
    'columns: column "weight" of the study has no plan',
  ]);
  const twice = { ...plan, columns: [...plan.columns, plan.columns[0]!] };
  expect(faults(twice)).toEqual(['columns.6.name: column "age" is planned twice']);
  const [age, ...others] = plan.columns;
  const person = { ...plan, columns: [{ ...age!, name: "person_id" }, ...others] };
  expect(faults(person, { features: [numeric("person_id"), ...features.slice(1)], label })).toEqual([
    "columns.0.name: person_id is whose row it is; call the feature otherwise",
  ]);
  const { stay: _, ...fewer } = plan.conceptSets;
  expect(faults({ ...plan, conceptSets: fewer })).toEqual(['conceptSets: there is no concept set "stay"']);
  const more = { ...plan.conceptSets, idle: plan.conceptSets.stay! };
  expect(faults({ ...plan, conceptSets: more })).toEqual([
    "conceptSets.idle: nothing uses this concept set; remove it",
  ]);
});

test("what a column gives has to be what the study declares of it", () => {
  const levels = {
    name: "age",
    type: "categorical" as const,
    levels: ["a", "b"],
    missing: "reject-row" as const,
  };
  expect(faults(plan, { features: [levels, ...features.slice(1)], label })).toEqual([
    'columns.0.value: gives numbers: declare "age" numeric',
  ]);
  const sex = { ...features[1]!, levels: ["F", "M"] };
  expect(
    faults(plan, { features: [features[0]!, sex as (typeof features)[number], ...features.slice(2)], label }),
  ).toEqual(['columns.1.value: declare "sex" with the levels female, male']);
  expect(faults(plan, { features, label: { ...label, levels: ["no", "yes"] } })).toEqual([
    'columns.5.value: declare "readmitted" numeric, or with the levels "0", "1"',
  ]);
  expect(faults(plan, { features: [...features, numeric("readmitted")] })).toEqual([]);
});

test("the schema refuses what no window, date, unit or concept can be", () => {
  const fault = (change: (raw: typeof written) => void) => {
    const raw = structuredClone(written);
    change(raw);
    const read = omopPlanSchema.safeParse(raw);
    return read.success ? null : read.error.issues.map(({ message }) => message).join("; ");
  };
  expect(fault(() => undefined)).toBeNull();
  expect(
    fault((raw) => {
      raw.columns[3]!.days = [1, 0];
    }),
  ).toMatch(/first day comes after the last/);
  expect(
    fault((raw) => {
      raw.index.from = "2015-02-29";
    }),
  ).toMatch(/a date as 2020-12-31/);
  expect(
    fault((raw) => {
      Object.assign(raw.index, { to: "2014-12-31" });
    }),
  ).toMatch(/lies before `from`/);
  expect(
    fault((raw) => {
      raw.columns[2]!.domain = "drug";
    }),
  ).toMatch(/no other has values/);
  expect(
    fault((raw) => {
      delete raw.columns[2]!.unit;
    }),
  ).toMatch(/a unit's concept number, or any/);
  expect(
    fault((raw) => {
      raw.conceptSets.stay[0]!.concept = 0;
    }),
  ).toMatch(/concept 0 means/);
  expect(
    fault((raw) => {
      raw.conceptSets.diabetes.shift();
    }),
  ).toMatch(/excludes every concept/);
  expect(
    fault((raw) => {
      raw.cdm = "6.0";
    }),
  ).toMatch(/5\.4/);
  expect(
    fault((raw) => {
      Object.assign(raw.columns[0]!, { sql: "SELECT 1" });
    }),
  ).toMatch(/sql/);
});

test("a day is one of the calendar", () => {
  const days = ["2020-02-29", "1900-01-01", "2199-12-31", "2000-02-29"];
  for (const day of days) expect(isIsoDay(day), day).toBe(true);
  const none = [
    "1900-02-29",
    "2021-02-29",
    "2021-04-31",
    "2021-00-01",
    "2021-13-01",
    "1899-12-31",
    "2021-1-1",
    "2021-01-01 ",
  ];
  for (const day of none) expect(isIsoDay(day), day).toBe(false);
});

test("in plain words", () => {
  expect(omopPlanWords(plan)).toEqual([
    "If the table is an OMOP database, this hospital computes the columns from it with SQL that its own software writes; the study brings no SQL. person_id is read to give each person one row and for nothing else.",
    "One row for each person with a condition of the concept set diabetes, from 2015-01-01. The index date is that of the first such event. Left out are persons whom no single observation period covers from 365 days before the index date to 0 days after it.",
    "age: age in whole years on the index date.",
    "sex: female or male by PERSON; any other entry is a missing value.",
    "hba1c: last value in the unit of concept 8554 of a measurement of the concept set hba1c from 365 days before the index date to the index date; missing if there is none.",
    "stays: number of visits of the concept set stay from 365 days before the index date to 1 day before the index date.",
    "wait: days from the index date to the first of the visits of the concept set stay on 1 day after the index date; missing if there is none.",
    "readmitted: 1 if there is a visit of the concept set stay from 1 day after the index date to 30 days after the index date, else 0.",
    "Concept set diabetes: 201826 (Type 2 diabetes mellitus) and its descendants, without 4058243 and its descendants.",
    "Concept set hba1c: 3004410.",
    "Concept set stay: 9201 and its descendants.",
  ]);
});

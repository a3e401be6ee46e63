import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { saidText } from "../said.js";
import { featureSchema, labelSchema, levelsOf, readColumns } from "./features.js";
import { columnsRead, recodingIssues } from "./recoding.js";
import { recodingWords } from "./recodingWords.js";
import type { Study } from "./study.js";

const age = { name: "age", type: "numeric", min: 0, max: 120 };
const years = { ...age, name: "years", from: "born", as: { "age-at": "admitted" } };
const group = {
  name: "group",
  type: "categorical",
  from: "age",
  map: [{ below: 18, level: "child" }, { below: 65, level: "adult" }, { level: "old" }],
  levels: ["child", "adult", "old"],
};
const label = {
  name: "readmitted",
  from: "back",
  map: { "<30": "yes", ">30": "no", NO: "no" },
  levels: ["no", "yes"],
};
const born = { name: "born", type: "date", format: "DD.MM.YYYY" };
const admitted = { name: "admitted", type: "date" };

interface Written {
  readonly features?: readonly object[];
  readonly label?: object;
  readonly columns?: readonly object[];
  readonly where?: string;
  readonly omop?: object;
}
const studyOf = ({ features = [age], label: own, columns, where, omop }: Written) =>
  ({
    features: features.map((one) => featureSchema.parse(one)),
    label: own === undefined ? undefined : labelSchema.parse(own),
    columns: readColumns.parse(columns),
    where,
    omop,
  }) as unknown as Study;
const issuesOf = (written: Written) =>
  recodingIssues(studyOf(written)).map(([path, said]) => `${path.join(".")}: ${english(saidText(said))}`);

const whole = {
  features: [
    years,
    group,
    { name: "stay", type: "numeric", from: "left", as: { "days-since": "admitted" }, min: 0, max: 60 },
  ],
  label,
  columns: [
    born,
    admitted,
    { name: "left", type: "date" },
    { name: "ward", type: "categorical", levels: ["A"] },
  ],
  where: 'years >= 18 and ward != "A" and admitted >= 2015-01-01',
};

describe("a recoding that fits", () => {
  it("has no issue, and reads each column of the table once", () => {
    expect(issuesOf(whole)).toEqual([]);
    expect(columnsRead(studyOf(whole))).toEqual(["born", "age", "left", "back", "admitted", "ward"]);
    expect(issuesOf({})).toEqual([]);
    expect(
      issuesOf({ features: [{ ...age, from: "born", as: { "days-since": "2015-01-31" } }], columns: [born] }),
    ).toEqual([]);
  });

  it("is put in words", () => {
    expect(recodingWords(studyOf({}))).toEqual([]);
    expect(recodingWords(studyOf(whole))).toEqual([
      'Only rows for which this is true count: years is at least 18, and ward is not "A", and admitted is at least 2015-01-01. All others, and those where a missing value leaves it open, are left out within the sums; their number stays at the hospital.',
      'In the study\'s language: years >= 18 and ward != "A" and admitted >= 2015-01-01',
      "years is the number of completed years from the date born (DD.MM.YYYY) to admitted.",
      "group is made of column age: below 18 is child, 18 to below 65 is adult, 65 and above is old.",
      "stay is the number of days from admitted to the date left.",
      'readmitted is made of column back: ">30", "NO" is no, "<30" is yes.',
      "Read for this alone, and part of no sum: born, admitted, left, ward.",
    ]);
    const plain = { name: "sex", type: "categorical", levels: ["f", "m"] };
    const words = (more: object) => recodingWords(studyOf({ features: [{ ...plain, ...more }] }));
    expect(words({ undeclared: "fault" })).toEqual([]);
    expect(words({ undeclared: "reject-row" })).toEqual(["Rows with any other sex are left out."]);
    expect(words({ from: "gender", undeclared: "other" })).toEqual([
      "sex is column gender. Every other gender counts as one level of its own.",
    ]);
    const year = { ...age, name: "year", from: "born", as: "year" };
    expect(recodingWords(studyOf({ features: [year], columns: [born] }))[0]).toBe(
      "year is the year of the date born (DD.MM.YYYY).",
    );
  });

  it("has levels of its own for undeclared values and for missing ones, in this order", () => {
    const own = (more: object) =>
      levelsOf(featureSchema.parse({ name: "x", type: "categorical", levels: ["a", "b"], ...more }) as never);
    expect(own({})).toEqual(["a", "b"]);
    expect(own({ undeclared: "other" })).toEqual(["a", "b", "(other)"]);
    expect(own({ undeclared: "other", missing: "own-level" })).toEqual(["a", "b", "(other)", "(missing)"]);
  });
});

it.each<[string, Written, string]>([
  [
    "a map to no level",
    { label: { ...label, levels: ["no", "ja"] } },
    'label.map: "yes" is not among the levels',
  ],
  [
    "a level that nothing becomes",
    { label: { ...label, levels: ["no", "yes", "dead"] } },
    'label.map: nothing becomes "dead"',
  ],
  [
    "a date that is not declared",
    { features: [years], columns: [{ ...born, name: "borm" }, admitted] },
    'features.0.from: columns declares no date "born"; did you mean borm?',
  ],
  [
    "a reference that is not declared",
    { features: [years], columns: [born] },
    'features.0.as: declare "admitted" under columns, with type: date',
  ],
  [
    "a reference that is spelt in another way",
    { features: [{ ...years, as: { "age-at": "31.01.2015" } }], columns: [born] },
    "features.0.as: 31.01.2015 is no date: a date is written 2015-01-31",
  ],
  [
    "a reference on no day",
    { features: [{ ...years, as: { "age-at": "2015-02-29" } }], columns: [born] },
    "features.0.as: 2015-02-29 is no day of the calendar",
  ],
  [
    "a date as a number",
    { features: [{ ...age, from: "born" }], columns: [born] },
    "features.0.as: born is a date: write as: year, days-since or age-at",
  ],
  ["a column that nothing reads", { columns: [born] }, 'columns.0.name: nothing reads "born"; remove it'],
  [
    "a column twice",
    { columns: [born, born], where: "born is missing" },
    'columns.1.name: "born" is declared already',
  ],
  [
    "a column that is a feature",
    { columns: [{ name: "age", type: "numeric" }], where: "age > 3" },
    'columns.0.name: "age" is declared already',
  ],
  [
    "a misspelt condition",
    { where: "agee > 3" },
    'where: line 1, column 1: the study declares no column "agee": did you mean age?',
  ],
  [
    "a level called as undeclared values are",
    { features: [{ name: "x", type: "categorical", levels: ["a", "(other)"], undeclared: "other" }] },
    "features.0.levels: (other) is what undeclared values count as",
  ],
  [
    "an OMOP plan beside it",
    { features: [{ ...age, from: "years" }], omop: {} },
    'features.0.from: an OMOP plan makes column "age" itself',
  ],
])("%s is refused", (_, written, expected) => {
  expect(issuesOf(written).join("\n")).toContain(expected);
});

it.each<[string, object]>([
  [
    "intervals that do not ascend",
    { ...group, map: [{ below: 65, level: "adult" }, { below: 18, level: "child" }, { level: "old" }] },
  ],
  [
    "an interval without an end that is not the last",
    { ...group, map: [{ level: "child" }, { below: 18, level: "adult" }] },
  ],
  ["one interval", { ...group, map: [{ level: "child" }] }],
  ["an entry that is no level", { ...group, map: { a: 1 } }],
  ["two ways to count a date", { ...years, as: { "age-at": "admitted", "days-since": "admitted" } }],
  ["an unknown rule", { ...group, undeclared: "guess" }],
  ["a map for a number", { ...age, map: { a: "b" } }],
])("%s is refused by the schema", (_, feature) => {
  expect(featureSchema.safeParse(feature).success).toBe(false);
});

it("names that JavaScript's objects have are texts like others; the one that the schema drops is in no reading of the study", () => {
  const map = JSON.parse('{"constructor": "no", "toString": "yes"}') as object;
  expect(issuesOf({ label: { ...label, map } })).toEqual([]);
  const proto = JSON.parse('{"__proto__": "no", "NO": "no", "<30": "yes"}') as object;
  const read = labelSchema.parse({ ...label, map: proto }).map!;
  expect(Object.entries(read)).toEqual([
    ["NO", "no"],
    ["<30", "yes"],
  ]);
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});

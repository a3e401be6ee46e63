import { join } from "node:path";
import { formatProfile } from "@consilium/core/hospital/profileText";
import { unwrap } from "@consilium/core/result";
import { describe, expect, it } from "vitest";
import { studyOver } from "../../testing/data/study.js";
import {
  formats,
  type TestValue,
  tableConfig,
  temporaryFolder,
  writeTable,
} from "../../testing/data/writeTable.js";
import { contentHash, TableSummer } from "./contentHash.js";
import type { TableFormat } from "./fileConfig.js";
import { openTable } from "./preflight.js";
import { profileTable } from "./profile.js";
import { processSecret, TableKeys } from "./rowHash.js";
import { type TableConfig, tableConfigSchema } from "./tableConfig.js";

const folder = temporaryFolder();
let tables = 0;

const names = ["who", "age", "sex", "born", "in", "out", "back", "ward", "dose"];
const rows: TestValue[][] = [
  ["p1", 40, "F", "1975-03-09", "9.3.2015", "2015-03-12", "<30", "A", 1],
  ["p1", 17, "F", "1998-01-01", "8.3.2015", "2015-03-09", "NO", "A", 2],
  ["p2", 65, "M", "1950-12-31", "30.12.2015", "2016-01-02", ">30", "B", -999],
  ["p2", 65, "unknown", "1950-12-31", "30.12.2015", "2016-01-02", ">30", "B", 4],
  ["p3", null, "M", "1950-12-31", "30.12.2015", "2016-01-02", "NO", "B", 5],
  ["p4", 66, "M", "1949-02-29", "30.12.2015", "2016-01-02", "NO", "C", 6],
  ["p5", 70, "M", null, "1.1.2016", "2016-01-01", "NO", null, 7],
  ["p6", 80, "M", "1936-02-29", "28.2.2015", "2015-02-28", "never", "A", 8],
];

const features = [
  { name: "stay", type: "numeric", from: "out", as: { "days-since": "in" }, min: 0, max: 10 },
  {
    name: "years",
    type: "numeric",
    from: "born",
    as: { "age-at": "in" },
    min: 0,
    max: 120,
    missing: { constant: 50 },
  },
  {
    name: "born in",
    type: "numeric",
    from: "born",
    as: "year",
    min: 1900,
    max: 2000,
    missing: { constant: 1900 },
  },
  {
    name: "group",
    type: "categorical",
    from: "age",
    map: [{ below: 18, level: "child" }, { below: 66, level: "adult" }, { level: "old" }],
    levels: ["adult", "child", "old"],
    missing: "own-level",
  },
  { name: "sex", type: "categorical", map: { F: "f", M: "m" }, levels: ["f", "m"], undeclared: "other" },
  { name: "age", type: "numeric", min: 0, max: 120, missing: { constant: 33 } },
  { name: "amount", type: "numeric", from: "dose", min: 0, max: 9, missing: { constant: 0 } },
];
const columns = [
  { name: "in", type: "date", format: "DD.MM.YYYY" },
  { name: "out", type: "date" },
  { name: "born", type: "date" },
];
const label = {
  name: "readmitted",
  from: "back",
  map: { "<30": "yes", ">30": "no", NO: "no" },
  levels: ["no", "yes"],
  undeclared: "reject-row",
};

async function tableIn(format: TableFormat, more: object = {}): Promise<TableConfig> {
  const path = await writeTable(format, join(folder, `t${tables++}`), { names, rows });
  return tableConfig({ path, nullValues: ["-999"], ...more });
}

async function read(config: TableConfig, study: ReturnType<typeof studyOver>) {
  const table = unwrap(await openTable(config, study));
  const found: number[][] = [];
  for await (const block of table.blocks())
    for (let r = 0; r < block.rows; r++)
      found.push([
        ...block.columns.map((column) => column[r]!),
        ...(block.labels === null ? [] : [block.labels[r]!]),
      ]);
  return found;
}

/** All but the row of an impossible date of birth. */
const withoutFault = 'ward != "C" or ward is missing';
const ward = { name: "ward", type: "categorical", levels: ["C"] };
const study = (more: object = {}) =>
  studyOver(features, { label, columns: [...columns, ward], where: withoutFault, ...more });

const expected = [
  [3, 40, 1975, 0, 0, 40, 1, 1],
  [1, 17, 1998, 1, 0, 17, 2, 0],
  [3, 64, 1950, 0, 1, 65, 0, 0],
  [3, 64, 1950, 0, 2, 65, 4, 0],
  [3, 64, 1950, 3, 1, 33, 5, 0],
  [0, 50, 1900, 2, 1, 70, 7, 0],
];

describe("a study's columns", () => {
  it.each(formats)("are made of the table's, the same in every format: %s", async (format) => {
    expect(await read(await tableIn(format), study())).toEqual(expected);
  });

  it("are made of a query's", async () => {
    const path = await writeTable("parquet", join(folder, `q${tables++}`), { names, rows });
    const config = tableConfigSchema.parse({
      name: "records",
      duckdb: { files: { visits: { path } }, query: "SELECT *, born::VARCHAR AS b FROM visits" },
      nullValues: ["-999"],
    });
    expect(await read(config, study())).toEqual(expected);
  });

  it("keep levels, faults and the cohort apart in the profile, which says nothing of rows outside", async () => {
    const report = unwrap(await profileTable(await tableIn("csv"), study()));
    expect(report).toMatchObject({
      rows: 8,
      used: 6,
      rejected: 1,
      outside: { rows: 1, open: 0 },
      problems: [],
    });
    expect(report.columns[4]).toMatchObject({
      undeclared: 1,
      levels: [
        { level: "f", rows: 2 },
        { level: "m", rows: 3 },
        { level: "(other)", rows: 1 },
      ],
    });
    expect(report.label).toMatchObject({
      undeclared: 1,
      rejectedRows: 1,
      levels: [{ rows: 5 }, { rows: 1 }],
    });
    expect(formatProfile(report)).toMatch(/Outside +1, left out by the study's where\n/);
    expect(formatProfile(report)).toMatch(/sex +f +2 +0 +1 +0/);
    const all = unwrap(await profileTable(await tableIn("csv"), study({ columns, where: undefined })));
    expect(all.outside).toBeNull();
    expect(all.problems).toMatchObject([
      { code: "COLUMN_TYPE", column: "years", count: 1 },
      { code: "COLUMN_TYPE", column: "born in", count: 1 },
    ]);
  });

  it("without a rule for undeclared levels have faults, as before", async () => {
    const plain = { name: "sex", type: "categorical", levels: ["F", "M"] };
    const problemsOf = async (feature: object) =>
      unwrap(await profileTable(await tableIn("csv"), studyOver([feature]))).problems;
    const fault = [{ code: "LEVEL_UNDECLARED", column: "sex", count: 1 }];
    expect(await problemsOf(plain)).toMatchObject(fault);
    expect(await problemsOf({ ...plain, undeclared: "fault" })).toMatchObject(fault);
    expect(await problemsOf({ ...plain, undeclared: "reject-row" })).toEqual([]);
    expect(await problemsOf({ ...plain, undeclared: "other" })).toEqual([]);
  });
});

describe("a cohort", () => {
  const ages = async (where: string, more: object = {}, format: TableFormat = "csv") =>
    (await read(await tableIn(format), studyOver([features[5]!], { where, ...more }))).map(([age]) => age);

  it.each<[string, number[]]>([
    ["age >= 18", [40, 65, 65, 66, 70, 80]],
    ["age >= 18 or age is missing", [40, 65, 65, 33, 66, 70, 80]],
    ["not age >= 18", [17]],
    ["age in (17, 80)", [17, 80]],
  ])(
    "is the rows for which its condition is true, missing ones before a constant stands for them: %s",
    async (where, kept) => {
      for (const format of formats) expect(await ages(where, {}, format)).toEqual(kept);
    },
  );

  it("may ask of dates, of numbers with a null value, and of levels that no feature has", async () => {
    const [ins] = columns;
    expect(await ages("`in` < 2015-06-01", { columns: [ins] })).toEqual([40, 17, 80]);
    const dose = { name: "dose", type: "numeric" };
    expect(await ages("dose is missing", { columns: [dose] })).toEqual([65]);
    expect(await ages("dose < 5", { columns: [dose] })).toEqual([40, 17, 65]);
    const levels = { name: "ward", type: "categorical", levels: ["A"] };
    expect(await ages('ward != "A"', { columns: [levels] })).toEqual([65, 65, 33, 66]);
  });

  it("is chosen before a patient's rows are: a row outside takes no other row's place", async () => {
    const patient = { column: "who", maxRows: 1 };
    expect((await ages("age < 18", { patient })).sort()).toEqual([17]);
    expect(await ages("age < 65 and age > 18", { patient })).toEqual([40]);
    const of = { ...tableConfigSchema.parse({ name: "records", path: "x.csv" }), ...(await tableIn("csv")) };
    const report = unwrap(await profileTable(of, studyOver([features[5]!], { where: "age > 18", patient })));
    expect(report).toMatchObject({
      used: 5,
      patients: { patients: 5, overBound: 1 },
      outside: { rows: 2, open: 1 },
    });
  });

  it("makes another table of what is approved: the key and what is hashed hold the condition", async () => {
    const keys = (where?: string) =>
      TableKeys.derive(processSecret, studyOver([features[5]!], where === undefined ? {} : { where }));
    expect(keys().schema).not.toContain("where");
    expect(keys().schema).not.toContain("columns");
    const hashes = [keys(), keys("age >= 0"), keys("age >= 1")].map((one) =>
      contentHash(new TableSummer(one).sum, one),
    );
    expect(new Set(hashes).size).toBe(3);
  });
});

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { profileRemarks } from "@consilium/core/hospital/profileRemarks";
import { formatProfile } from "@consilium/core/hospital/profileText";
import type { NumericProfile } from "@consilium/core/hospital/profileViews";
import { unwrap } from "@consilium/core/result";
import { sayLines } from "@consilium/core/sayLines";
import { sayEnglish } from "@consilium/words/english";
import { describe, expect, test } from "vitest";
import { studyOver } from "../../testing/data/study.js";
import { formats, tableConfig, temporaryFolder, writeTable } from "../../testing/data/writeTable.js";
import { tableCheck } from "../doctor/tableCheck.js";
import { openTable } from "./preflight.js";
import { profileTable } from "./profile.js";
import { describeTable } from "./schema.js";

const folder = temporaryFolder();

test("a profile counts what a study would use, clamp and reject, and lists every fault", async () => {
  const path = join(folder, "t");
  await writeTable("csv", join(path, "a"), {
    names: ["x", "c"],
    rows: [
      [1, "a"],
      [20, "b"],
      [null, "a"],
      ["oops", "a"],
    ],
  });
  await writeTable("csv", join(path, "b"), {
    names: ["x", "c"],
    rows: [
      [3, "z"],
      ["oops", "z"],
      ["nan", "a"],
      [-1, "b"],
    ],
  });
  const study = studyOver(
    [
      { name: "x", type: "numeric", min: 0, max: 10, unit: "mg/l" },
      { name: "c", type: "categorical", levels: ["a", "b"] },
    ],
    { maxRowsPerSite: 2 },
  );
  const report = unwrap(await profileTable(tableConfig({ path }), study));
  expect(report).toMatchObject({
    table: "records",
    study: "reading",
    files: 2,
    rows: 8,
    used: 3,
    rejected: 5,
  });
  expect(report.columns).toMatchObject([
    { missing: 1, rejectedRows: 1, below: 1, above: 1, min: 0, max: 10, mean: 11 / 3, constant: false },
    {
      missing: 0,
      levels: [
        { level: "a", rows: 1 },
        { level: "b", rows: 2 },
      ],
    },
  ]);
  expect(report.problems).toEqual([
    { code: "COLUMN_TYPE", column: "x", row: 4, file: "a.csv", count: 2 },
    { code: "LEVEL_UNDECLARED", column: "c", row: 1, file: "b.csv", count: 2 },
    { code: "VALUE_NOT_FINITE", column: "x", row: 3, file: "b.csv", count: 1 },
  ]);
  const text = formatProfile(report);
  expect(text).toMatch(/Used +3 \(37\.5 %\)/);
  expect(text).toMatch(/Allowed +2: TOO MANY ROWS/);
  expect(text).toMatch(/x \[mg\/l\] +0 to 10 +1 +1 +1 +1 +0 +3\.66667 +10/);
  expect(text).toMatch(/COLUMN_TYPE +x +2 +row 4 of a\.csv/);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
});

test("what a person should check is told of a hospital's own table: units, codes for missing, spellings, outcomes", async () => {
  const cases = Array.from({ length: 200 }, (_, r) => r);
  let tables = 0;
  const remarksOf = async (cells: (r: number) => readonly (string | number | null)[]) => {
    const path = await writeTable("csv", join(folder, `checked-${tables++}`), {
      names: ["x", "c"],
      rows: cases.map(cells),
    });
    const study = studyOver([
      { name: "x", type: "numeric", min: 0, max: 12, unit: "years" },
      { name: "c", type: "categorical", levels: ["0", "1"] },
    ]);
    const report = unwrap(await profileTable(tableConfig({ path }), study));
    const check = await tableCheck(tableConfig({ path }), { study });
    return profileRemarks({ ...report, check, minimumUsable: 80 }).map((remark) =>
      sayLines(remark, sayEnglish),
    );
  };
  expect(await remarksOf((r) => [r % 12, r % 2])).toEqual([]);
  // Follow-up in days, and the study in years.
  expect(await remarksOf((r) => [30 * r, r % 2])).toEqual([
    "x: 99% of the values are above the maximum of 12 years and count as it. Does this hospital use another unit, such as days for years?",
  ]);
  expect(await remarksOf((r) => [r % 5 === 0 ? -9 : 3, r % 2])).toEqual([
    "x: 40 rows have the value -9, below the minimum of 0. If it stands for a missing value, list it under nullValues of the table.",
  ]);
  // Truth values where the study writes digits: no row can be used.
  expect(await remarksOf((r) => [3, r % 2 === 0 ? "true" : "false"])).toEqual([
    "Of 200 rows the study can use none: this hospital would take part without data.",
    "c: none of the study's levels in 200 cells. Are they spelled differently here?",
  ]);
  expect(await remarksOf((r) => ["oops", r % 2])).toEqual([
    "Of 200 rows the study can use none: this hospital would take part without data.",
    "x: no number, or no date as the study writes dates, in 200 cells.",
  ]);
  expect(await remarksOf((r) => [r % 3 === 0 ? null : 3, 1])).toEqual([
    "The study can use 133 of 200 rows (67%).",
    "x excludes 67 rows: the value is missing, or the study refuses it.",
    "c: no row that is used has 0.",
  ]);
});

test("values below a minimum that refuses them leave their rows out, and are counted; others count as the minimum", async () => {
  const path = await writeTable("csv", join(folder, "followed"), {
    names: ["x"],
    rows: [[-1], [-0.001], [0], [7], [11], [null]],
  });
  const profiled = async (change: object) =>
    unwrap(
      await profileTable(
        tableConfig({ path }),
        studyOver([{ name: "x", type: "numeric", min: 0, max: 10, ...change }]),
      ),
    );
  const refusing = await profiled({ below: "reject-row" });
  expect(refusing).toMatchObject({ rows: 6, used: 3, rejected: 3 });
  expect(refusing.columns).toMatchObject([{ missing: 1, rejectedRows: 3, below: 0, above: 1, mean: 17 / 3 }]);
  // The control: without it they count as 0.
  const usual = await profiled({});
  expect(usual).toMatchObject({ rows: 6, used: 5, rejected: 1 });
  expect(usual.columns).toMatchObject([{ missing: 1, rejectedRows: 1, below: 2, above: 1, mean: 17 / 5 }]);
});

test("mean and standard deviation hold where the naive formula fails", async () => {
  const values = Array.from({ length: 20_001 }, (_, i) => 1e9 + ((i * 7919) % 1000) / 1000);
  const path = await writeTable("parquet", join(folder, "far"), {
    names: ["x"],
    rows: values.map((v) => [v]),
  });
  const study = studyOver([{ name: "x", type: "numeric", min: 0, max: 2e9 }]);
  const report = unwrap(await profileTable(tableConfig({ path }), study));
  const offsets = values.map((v) => v - 1e9);
  const mean = offsets.reduce((a, b) => a + b) / offsets.length;
  const squares = offsets.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  const column = report.columns[0] as NumericProfile;
  expect(column.mean! - 1e9).toBeCloseTo(mean, 6);
  expect(column.stdDev!).toBeCloseTo(Math.sqrt(squares / (values.length - 1)), 8);
});

test("no rows: a profile without figures", async () => {
  const path = await writeTable("csv", join(folder, "none"), { names: ["x"], rows: [] });
  const report = unwrap(
    await profileTable(tableConfig({ path }), studyOver([{ name: "x", type: "numeric", min: 0, max: 1 }])),
  );
  expect(report).toMatchObject({
    rows: 0,
    used: 0,
    columns: [{ min: null, mean: null, max: null, stdDev: null }],
  });
  expect(formatProfile(report)).toMatch(/Used +0\n/);
});

describe("a description holds names and types, and no data", () => {
  test.each(formats)("%s", async (format) => {
    const path = await writeTable(format, join(folder, "described"), {
      names: ["n", "t"],
      rows: [
        [987654.321, "SECRETLEVEL"],
        [2, "b"],
      ],
    });
    const description = unwrap(await describeTable(tableConfig({ path })));
    const types = format === "parquet" ? ["number", "text"] : ["any", "any"];
    expect(description).toEqual({
      name: "records",
      columns: [
        { name: "n", type: types[0] },
        { name: "t", type: types[1] },
      ],
    });
  });
});

const datasets = process.env.CONSILIUM_DATASETS;
const present = datasets !== undefined && existsSync(datasets);
if (!present) process.stderr.write("SKIPPED: CONSILIUM_DATASETS is not set, so real tables are not read\n");

describe.skipIf(!present)("real tables", () => {
  test("heart disease at four hospitals", async () => {
    const path = join(datasets!, "heart-disease-4sites", "heart_4sites.csv");
    const study = studyOver(
      [
        { name: "age", type: "numeric", min: 0, max: 120, unit: "years" },
        { name: "chol", type: "numeric", min: 50, max: 400, unit: "mg/dl" },
        { name: "sex", type: "categorical", levels: ["0", "1"] },
        { name: "thal", type: "categorical", levels: ["3", "6", "7"], missing: "own-level" },
        {
          name: "site",
          type: "categorical",
          levels: ["cleveland", "hungarian", "switzerland", "va_long_beach"],
        },
      ],
      { label: { name: "num", levels: ["0", "1", "2", "3", "4"] } },
    );
    const table = unwrap(await openTable(tableConfig({ path, nullValues: ["?"] }), study));
    // The file read by hand: what the study should see of it.
    const [names, ...lines] = readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => line.split(","));
    const at = (name: string) => names!.indexOf(name);
    const usable = lines.filter((line) => line[at("age")] && line[at("chol")] && line[at("sex")]);
    expect(table.report).toMatchObject({ rows: lines.length, used: usable.length, problems: [] });
    const chol = usable.map((line) => Number(line[at("chol")]));
    const clamped = chol.map((v) => Math.min(400, Math.max(50, v)));
    expect(table.report.columns[1]).toMatchObject({
      below: chol.filter((v) => v < 50).length,
      above: chol.filter((v) => v > 400).length,
    });
    expect((table.report.columns[1] as NumericProfile).mean).toBeCloseTo(
      clamped.reduce((a, b) => a + b) / clamped.length,
      9,
    );
    const sick = usable.filter((line) => line[at("num")] === "3").length;
    expect(table.report.label?.levels[3]).toEqual({ level: "3", rows: sick });
    expect(sick).toBeGreaterThan(0);
  });

  test("census incomes, gzipped, without a header, with blanks and question marks", async () => {
    const names =
      "age workclass fnlwgt education years marital occupation relationship race sex gain loss hours country income";
    const source = join(datasets!, "adult", "adult.data.gz");
    const lines = gunzipSync(readFileSync(source)).toString("utf8").trimEnd().split("\n");
    const path = join(folder, "adult.csv");
    writeFileSync(path, `${lines.join("\n")}\n`);
    const study = studyOver(
      [
        { name: "age", type: "numeric", min: 17, max: 80 },
        { name: "hours", type: "numeric", min: 0, max: 99 },
        { name: "sex", type: "categorical", levels: ["Female", "Male"] },
        {
          name: "workclass",
          type: "categorical",
          levels: [
            "Private",
            "Self-emp-not-inc",
            "Self-emp-inc",
            "Federal-gov",
            "Local-gov",
            "State-gov",
            "Without-pay",
            "Never-worked",
          ],
        },
      ],
      { label: { name: "income", levels: ["<=50K", ">50K"] } },
    );
    const entry = { nullValues: ["?"], format: "csv", csv: { header: false, names: names.split(" ") } };
    const plain = unwrap(await openTable(tableConfig({ path, ...entry }), study));
    const zipped = unwrap(await openTable(tableConfig({ path: source, ...entry }), study));
    expect(zipped.contentHash).toBe(plain.contentHash);
    const rows = lines.map((line) => line.split(",").map((field) => field.trim()));
    expect(plain.report.rows).toBe(rows.length);
    expect(plain.rows).toBe(rows.filter((row) => row[1] !== "?").length);
    expect(plain.report.columns[0]).toMatchObject({
      above: rows.filter((row) => row[1] !== "?" && Number(row[0]) > 80).length,
    });
    expect(plain.report.label?.levels[1]?.rows).toBe(
      rows.filter((row) => row[1] !== "?" && row[14] === ">50K").length,
    );
  });
});

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { sayEnglish } from "@consilium/words/english";
import { describe, expect, test } from "vitest";
import { tableConfig, temporaryFolder } from "../../testing/data/writeTable.js";
import { formatOfFile } from "./fileConfig.js";
import { findFiles } from "./files.js";
import { fileInTable, placeOf } from "./place.js";
import { resolveTableConfig, tableConfigSchema } from "./tableConfig.js";
import { unitOf } from "./tableUnit.js";

const folder = temporaryFolder();

function touch(...paths: string[]): string {
  const path = join(folder, ...paths);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "x\n1\n");
  return path;
}

describe("a table's entry in the site's configuration", () => {
  test("the shortest one", () => {
    expect(tableConfigSchema.parse({ name: "heart", path: "heart.csv" })).toEqual({
      name: "heart",
      path: "heart.csv",
      nullValues: [],
    });
  });

  test("whom an epsilon protects, or nothing of it", () => {
    const unitFor = (unit: object) => unitOf(tableConfigSchema.parse({ name: "t", path: "a.csv", ...unit }));
    expect(unitFor({})).toEqual({ kind: "row", declared: false });
    expect(unitFor({ unit: "rows" })).toEqual({ kind: "row", declared: true });
    expect(unitFor({ unit: { patient: { column: "who", maxRows: 5 } } })).toEqual({
      kind: "patient",
      declared: true,
      column: "who",
      maxRows: 5,
    });
  });

  test("has its rows in one place", () => {
    const query = { url: "postgres://reader@db.example/clinic", query: "SELECT 1" };
    const refused = (entry: object) =>
      tableConfigSchema.safeParse({ name: "t", ...entry }).error?.issues.map(({ message }) => message);
    const message =
      "a table has exactly one of: path, postgres, sqlserver, oracle, mariadb, duckdb, fhir, omop, spark";
    expect(refused({ postgres: query })).toBeUndefined();
    expect(refused({ omop: { files: "cdm" } })).toBeUndefined();
    expect(refused({})).toEqual([message]);
    expect(refused({ omop: { files: "cdm" }, postgres: query })).toEqual([message]);
  });

  test.each([
    [{ path: "a.csv" }, "name"],
    [{ name: "a b", path: "a.csv" }, "name"],
    [{ name: "t" }, "path"],
    [{ name: "t", path: "https://example.org/a.csv" }, "path"],
    [{ name: "t", path: "s3://bucket/a.parquet" }, "path"],
    [{ name: "t", path: "a.csv", format: "xlsx" }, "format"],
    [{ name: "t", path: "a.csv", unit: "row" }, "unit"],
    [{ name: "t", path: "a.csv", unit: { patient: { column: "who" } } }, "unit"],
    [{ name: "t", path: "a.csv", unit: { patient: { column: "who", maxRows: 0 } } }, "unit.patient.maxRows"],
    [{ name: "t", path: "a.csv", table: "t" }, "table"],
    [{ name: "t", path: "a.parquet", csv: {} }, "csv"],
    [{ name: "t", path: "a.csv", csv: { header: false } }, "csv.names"],
    [{ name: "t", path: "a.csv", csv: { names: ["a"] } }, "csv.names"],
    [{ name: "t", path: "a.csv", csv: { header: false, names: ["a", "a"] } }, "csv.names"],
    [{ name: "t", path: "a.csv", csv: { delimiter: "::" } }, "csv.delimiter"],
    [{ name: "t", path: "a.csv", csv: { delimiter: '"' } }, "csv.delimiter"],
    [{ name: "t", path: "a.csv", csv: { delimiter: ",", decimal: "," } }, "csv.delimiter"],
  ])("%j is refused at %s", (entry, path) => {
    const parsed = tableConfigSchema.safeParse(entry);
    expect(parsed.error?.issues.map((issue) => issue.path.join("."))).toContain(path);
  });

  test("unknown keys are refused", () => {
    expect(tableConfigSchema.safeParse({ name: "t", path: "a.csv", delimiter: ";" }).success).toBe(false);
  });

  test("paths are relative to the configuration file", () => {
    const entry = tableConfig({ path: "data/a.csv" });
    expect(resolveTableConfig(entry, "/etc/site").path).toBe("/etc/site/data/a.csv");
    expect(resolveTableConfig(tableConfig({ path: "/data/a.csv" }), "/etc/site").path).toBe("/data/a.csv");
  });

  test("formats by ending", () => {
    expect(["a.CSV", "a.tsv.gz", "a.pq", "a.ndjson", "a.db", "a.gz", "csv"].map(formatOfFile)).toEqual([
      "csv",
      "csv",
      "parquet",
      "jsonl",
      "sqlite",
      null,
      null,
    ]);
  });
});

describe("the files of a table", () => {
  test("a folder: by path, hidden and underscored names left out, links followed", async () => {
    for (const name of [
      "b.csv",
      "a.csv",
      "B.csv",
      "sub/a.csv",
      "_SUCCESS",
      ".a.csv.crc",
      "_old/x.csv",
      "read.me",
    ]) {
      touch("set", name);
    }
    symlinkSync(touch("elsewhere", "z.csv"), join(folder, "set", "c.csv"));
    const config = tableConfig({ path: join(folder, "set") });
    const { format, files } = await findFiles(config);
    expect(format).toBe("csv");
    expect(files.map((file) => relative(config.path, file))).toEqual([
      "B.csv",
      "a.csv",
      "b.csv",
      "c.csv",
      "sub/a.csv",
    ]);
    expect(sayEnglish(placeOf(config, files[4]!))).toBe('table "records", file "sub/a.csv"');
  });

  test("a pattern", async () => {
    for (const name of ["2020/q1.csv", "2020/q2.csv", "2021/q1.csv", "2021/x1.csv", "2021/q10.csv"]) {
      touch("years", name);
    }
    const config = tableConfig({ path: join(folder, "years", "20??", "q?.csv") });
    const { files } = await findFiles(config);
    expect(files.map((file) => fileInTable(config, file))).toEqual([
      "2020/q1.csv",
      "2020/q2.csv",
      "2021/q1.csv",
    ]);
    await expect(findFiles(tableConfig({ path: join(folder, "years", "19*") }))).rejects.toMatchObject({
      code: "TABLE_AWAY",
    });
  });

  test("one file has no name of its own in messages", async () => {
    const config = tableConfig({ path: touch("one.csv") });
    expect((await findFiles(config)).files).toEqual([config.path]);
    expect(sayEnglish(placeOf(config, config.path))).toBe('table "records"');
  });

  test.each<[string, () => { path: string; format?: string }, string]>([
    ["nothing there", () => ({ path: join(folder, "none.csv") }), "TABLE_AWAY"],
    ["an unknown ending", () => ({ path: touch("table.dat") }), "CONFIG_INVALID"],
    [
      "two formats in a folder",
      () => ({ path: join(touch("two", "a.csv"), ".."), ...(touch("two", "b.parquet") && {}) }),
      "CONFIG_INVALID",
    ],
    ["no data in a folder", () => ({ path: join(touch("notes", "read.me"), "..") }), "TABLE_AWAY"],
    [
      "none of the format",
      () => ({ path: join(touch("csvs", "a.csv"), ".."), format: "parquet" }),
      "TABLE_AWAY",
    ],
  ])("%s", async (_, entry, code) => {
    await expect(findFiles(tableConfig(entry()))).rejects.toMatchObject({ code });
  });

  test("a stated format settles what a folder of two is", async () => {
    touch("both", "a.csv");
    touch("both", "b.parquet");
    const { files } = await findFiles(tableConfig({ path: join(folder, "both"), format: "csv" }));
    expect(files).toHaveLength(1);
  });

  test("a link that leads nowhere is an error, and a spreadsheet's lock file no part", async () => {
    touch("linked", "a.csv");
    touch("linked", "~$a.csv");
    const path = join(folder, "linked");
    expect((await findFiles(tableConfig({ path }))).files).toHaveLength(1);
    expect((await findFiles(tableConfig({ path: join(path, "*.csv") }))).files).toHaveLength(1);
    symlinkSync(join(folder, "nowhere.csv"), join(path, "b.csv"));
    for (const of of [path, join(path, "*.csv")])
      await expect(findFiles(tableConfig({ path: of }))).rejects.toMatchObject({ code: "TABLE_AWAY" });
  });
});

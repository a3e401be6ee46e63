import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatProfile } from "@consilium/core/hospital/profileText";
import { unwrap } from "@consilium/core/result";
import { english } from "@consilium/runtime/http/spoken";
import fc from "fast-check";
import Database from "libsql";
import { describe, expect, test } from "vitest";
import { studyOver } from "../../testing/data/study.js";
import {
  duckdb,
  formats,
  type TestValue,
  tableConfig,
  temporaryFolder,
  writeTable,
} from "../../testing/data/writeTable.js";
import { MissingValues } from "./cells.js";
import { PatientHash } from "./patientHash.js";
import { openTable, type TableSnapshot } from "./preflight.js";
import { profileTable } from "./profile.js";
import { refusals } from "./refusals.js";
import { type BlockOptions, reopen } from "./snapshot.js";
import type { TableConfig } from "./tableConfig.js";

/** The patient as the unit: of each at most so many rows, whatever the format, the order and the files. */

const folder = temporaryFolder();
let tables = 0;
const stem = () => join(folder, `t${tables++}`);

const x = { name: "x", type: "numeric", min: 0, max: 1000 };
const bounded = (maxRows: number, rest: object = {}) =>
  studyOver([x], { patient: { column: "who", maxRows }, ...rest });

async function valuesOf(table: TableSnapshot, options?: BlockOptions): Promise<number[]> {
  const values: number[] = [];
  for await (const block of table.blocks(options)) {
    expect(Object.keys(block).sort()).toEqual(["columns", "labels", "rows"]);
    values.push(...block.columns[0]!.subarray(0, block.rows));
  }
  return values;
}

/** The rows of a patient that are used are those with the least x. */
const byX = (config: TableConfig): TableConfig => ({
  ...config,
  unit: { patient: { column: "who", maxRows: 10, orderBy: "x" } },
});

async function used(config: TableConfig, maxRows: number): Promise<number[]> {
  return valuesOf(unwrap(await openTable(byX(config), bounded(maxRows))));
}

describe.each(formats)("%s", (format) => {
  test("the first usable rows of each patient are used, the others counted", async () => {
    const rows: TestValue[][] = [
      ["a", 1],
      ["b", 2],
      ["a", null], // rejected: it does not count towards the bound
      ["a", 3],
      [null, 4],
      ["a", 5], // over the bound
      [" a ", 6], // the same patient
      ["A", 7], // another one
      ["", 8],
      ["?", 9],
      [null, null],
      ["b", 10],
      ["b", 11],
    ];
    const path = await writeTable(format, stem(), { names: ["who", "x"], rows });
    const config = byX(tableConfig({ path, nullValues: ["?"] }));
    const table = unwrap(await openTable(config, bounded(2)));
    expect(await valuesOf(table)).toEqual([1, 2, 3, 7, 10]);
    expect(table.rows).toBe(5);
    expect(table.report).toMatchObject({
      rows: 13,
      used: 5,
      rejected: 5,
      patients: { column: "who", maxRows: 2, patients: 3, overBound: 3, withoutPatient: 4 },
      columns: [{ missing: 2, rejectedRows: 2 }],
    });
  });

  test("whole numbers are one patient with and without a zero fraction", async () => {
    const path = await writeTable(format, stem(), {
      names: ["who", "x"],
      rows: [
        ["17", 1],
        ["17.0", 2],
        [" 17.00", 3],
        ["017", 4],
        ["17.5", 5],
        ["-17", 6],
      ],
    });
    expect(await used(tableConfig({ path }), 1)).toEqual([1, 4, 5, 6]);
  });

  test("a study that names a column the table lacks is told so", async () => {
    const path = await writeTable(format, stem(), { names: ["Who_", "x"], rows: [["a", 1]] });
    const result = await openTable(tableConfig({ path }), bounded(1));
    expect(result).toMatchObject({ ok: false, error: { code: "COLUMN_MISSING" } });
    if (!result.ok) expect(english(result.error.message)).toMatch(/no column "who" \(nearest: "Who_"\)/);
  });
});

test("every format gives the same selection, counts and hash", async () => {
  const rows: TestValue[][] = Array.from({ length: 7001 }, (_, i) => [
    i % 97 === 0 ? null : (i * i) % 1009,
    i % 11 === 0 ? null : i % 1000,
  ]);
  const seen = [];
  for (const format of formats) {
    const path = await writeTable(format, stem(), { names: ["who", "x"], rows });
    const table = unwrap(await openTable(tableConfig({ path }), bounded(3)));
    seen.push({ hash: table.contentHash, report: table.report, values: await valuesOf(table) });
  }
  for (const other of seen.slice(1)) expect(other).toEqual(seen[0]);
  expect(seen[0]!.report.patients!.overBound).toBeGreaterThan(1000);
});

test("no patient has more rows than the bound, and none fewer than it could, in any order, files and blocks", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.boolean()), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.nat({ max: 60 }), { maxLength: 3 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(...formats),
      async (drawn, maxRows, cuts, blockRows, format) => {
        const rows = drawn.map(([patient, usable]): TestValue[] => [`p${patient}`, usable ? patient : null]);
        const parts = stem();
        const ends = [...cuts.sort((a, b) => a - b), rows.length];
        for (const [k, end] of ends.entries()) {
          const part = rows.slice(k === 0 ? 0 : ends[k - 1], end);
          if (part.length > 0 || k === 0)
            await writeTable(format, join(parts, String(k)), {
              names: ["who", "x"],
              rows: part,
            });
        }
        const whole = await writeTable(format, stem(), { names: ["who", "x"], rows });
        const study = bounded(maxRows);
        const one = unwrap(await openTable(tableConfig({ path: whole }), study));
        const many = unwrap(await openTable(tableConfig({ path: parts }), study));
        const values = await valuesOf(many, { blockRows });
        for (let patient = 0; patient <= 6; patient++) {
          const usable = drawn.filter(([who, ok]) => who === patient && ok).length;
          expect(values.filter((value) => value === patient)).toHaveLength(Math.min(usable, maxRows));
        }
        expect(many.report.patients!.overBound).toBe(
          drawn.filter(([, usable]) => usable).length - values.length,
        );
        expect(many.contentHash).toBe(one.contentHash);
        expect(await valuesOf(one, { reuseBlock: true })).toEqual(values);
      },
    ),
    { numRuns: 25, endOnFailure: true },
  );
});

test("a patient is one in files whose column types differ", async () => {
  const path = stem();
  mkdirSync(path);
  await duckdb([
    `COPY (SELECT 17::BIGINT AS who, 1.0::DOUBLE AS x) TO '${path}/a.parquet'`,
    `COPY (SELECT * FROM (VALUES (17.0::DOUBLE, 2.0::DOUBLE), ('nan'::DOUBLE, 3), (NULL, 4))
       AS t(who, x)) TO '${path}/b.parquet'`,
    `COPY (SELECT '17' AS who, 5.0::DOUBLE AS x) TO '${path}/c.parquet'`,
    `COPY (SELECT 17::DECIMAL(9, 2) AS who, 6.0::DOUBLE AS x) TO '${path}/d.parquet'`,
  ]);
  const config = tableConfig({ path, format: "parquet" });
  expect(await used(config, 10)).toEqual([1, 2, 5, 6]);
  expect(await used(config, 1)).toEqual([1]);
});

test.each([
  ["DATE", "DATE '1950-01-31'", "DATE '1950-02-01'"],
  ["BOOLEAN", "true", "false"],
  ["UUID", "'00000000-0000-0000-0000-000000000001'::UUID", "'00000000-0000-0000-0000-000000000002'::UUID"],
  ["BLOB", "'\\x00\\x01'::BLOB", "'\\x00\\x02'::BLOB"],
  ["BIGINT", "9007199254740992", "9007199254740993"],
  ["STRUCT", "{'a': 1}", "{'a': 2}"],
])("a Parquet column of type %s tells patients apart", async (_, one, other) => {
  const path = `${stem()}.parquet`;
  await duckdb([
    `COPY (SELECT * FROM (VALUES (${one}, 1.0::DOUBLE), (${other}, 2.0), (${one}, 3.0), (NULL, 4.0))
       AS t(who, x)) TO '${path}'`,
  ]);
  expect(await used(tableConfig({ path }), 1)).toEqual([1, 2]);
});

test("SQLite cells of every kind tell patients apart, whole numbers above 2^53 too", async () => {
  const path = `${stem()}.db`;
  const database = new Database(path);
  database.exec(`CREATE TABLE records (who, x);
    INSERT INTO records VALUES (9007199254740993, 1), (9007199254740992, 2), (9007199254740993, 3),
      (x'00ff', 4), (x'00fe', 5), (x'00ff', 6), (17, 7), (17.0, 8), ('17', 9), (17.5, 10), (NULL, 11), ('', 12)`);
  database.close();
  expect(await used(tableConfig({ path }), 1)).toEqual([1, 2, 4, 5, 7, 10]);
});

test("JSON lines: a key that a row lacks, a number, text, and keys that differ in case only", async () => {
  const path = `${stem()}.jsonl`;
  writeFileSync(
    path,
    '{"who": 17, "x": 1}\n{"who": "17", "x": 2}\n{"x": 3}\n{"who": null, "x": 4}\n{"who": "\\u0061", "x": 5}\n{"who": "a", "x": 6, "WHO": "b"}\n',
  );
  expect(await used(tableConfig({ path }), 1)).toEqual([1, 5]);
  const study = studyOver(
    [x, { name: "WHO", type: "categorical", levels: ["a", "b"], missing: "own-level" }],
    {
      patient: { column: "who", maxRows: 1 },
    },
  );
  expect(await valuesOf(unwrap(await openTable(byX(tableConfig({ path })), study)))).toEqual([1, 5]);
});

test("CSV that has to be read again as text keeps its selection", async () => {
  const rows = Array.from(
    { length: 9000 },
    (_, i) => `${i % 2 === 0 ? "a" : `b${i}`},${i === 8000 ? " 7 " : "3"}`,
  );
  const path = `${stem()}.csv`;
  writeFileSync(path, `who,x\n${rows.join("\n")}\n`);
  expect(await used(tableConfig({ path }), 5)).toHaveLength(4505);
});

describe("what follows from the bound", () => {
  const crowd: TestValue[][] = Array.from({ length: 10 }, (_, i) => ["a", i]);

  test("rows over the bound count neither against maxRowsPerSite nor towards the rows needed", async () => {
    const path = await writeTable("csv", stem(), { names: ["who", "x"], rows: crowd });
    const table = unwrap(await openTable(tableConfig({ path }), bounded(2, { maxRowsPerSite: 2 })));
    expect(table.rows).toBe(2);
    expect(refusals(table.report, { minimumRows: 3, refuseConstant: false })).toMatchObject([
      { code: "ROWS_TOO_FEW" },
    ]);
    expect(refusals(table.report, { minimumRows: 2, refuseConstant: false })).toEqual([]);
    const more = await openTable(tableConfig({ path }), bounded(3, { maxRowsPerSite: 2 }));
    expect(more).toMatchObject({ ok: false, error: { code: "ROWS_TOO_MANY" } });
  });

  test("the approved selection is hashed: the same rows of other patients are another table", async () => {
    const write = (path: string, who: string[]) =>
      writeFileSync(path, `who,x\n${who.map((patient, i) => `${patient},${i}`).join("\n")}\n`);
    const path = `${stem()}.csv`;
    const study = bounded(2);
    const config = tableConfig({ path });
    write(path, ["a", "a", "b"]);
    const approved = unwrap(await openTable(config, study));
    const again = async () => {
      const values: number[] = [];
      for await (const block of unwrap(await reopen(config, study, approved)).blocks())
        values.push(...block.columns[0]!.subarray(0, block.rows));
      return values;
    };
    expect(await again()).toEqual([0, 1, 2]);
    write(path, ["z", "z", "a"]); // the same grouping of other patients
    await expect(again()).rejects.toMatchObject({ code: "TABLE_CHANGED" });
    write(path, ["a", "b", "b"]);
    await expect(again()).rejects.toMatchObject({ code: "TABLE_CHANGED" });
    write(path, ["a", "a", "a"]);
    await expect(again()).rejects.toMatchObject({ code: "TABLE_CHANGED" });
    write(path, ["a", "a", ""]);
    await expect(again()).rejects.toMatchObject({ code: "TABLE_CHANGED" });
  });

  test("a profile shows patients, rows over the bound and rows without a patient", async () => {
    const path = await writeTable("csv", stem(), {
      names: ["who", "x"],
      rows: [...crowd, [null, 1], ["b", 2]],
    });
    const report = unwrap(await profileTable(tableConfig({ path }), bounded(4)));
    const text = formatProfile(report);
    expect(text).toMatch(/^Rejected {3}1, by missing values/m);
    expect(text).toMatch(/^Patients {3}2, by column "who"; at most 4 rows of each, by a keyed hash$/m);
    expect(text).toMatch(/^Over bound 6, left out$/m);
    expect(text).toMatch(/^No patient 1, rejected$/m);
    const without = unwrap(await profileTable(tableConfig({ path }), studyOver([x])));
    expect(without.patients).toBeNull();
    expect(formatProfile(without)).not.toMatch(/patient/i);
  });
});

describe("the counts", () => {
  test("are kept under all 128 bits of a keyed hash", () => {
    const missing = new MissingValues([]);
    const parts = new PatientHash(missing, "0".repeat(64)).parts("patient 1");
    expect(parts).toEqual(new PatientHash(missing, "0".repeat(64)).parts("patient 1"));
    const hex = parts.map((part, k) => part.toString(16).padStart([11, 11, 10][k]!, "0")).join("");
    expect(hex).toHaveLength(32);
    // sha256sum of 64 zeros and "patient 1"
    expect(hex).toBe("9fd934de462a3c28e10a723cddf56c69");
    expect(parts).not.toEqual(new PatientHash(missing, "1".repeat(64)).parts("patient 1"));
  });
});

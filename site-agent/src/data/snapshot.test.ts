import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import type { Study } from "@consilium/methods/testing/studies";
import { spokenError } from "@consilium/runtime/http/spoken";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { studyOver } from "../../testing/data/study.js";
import {
  type FileTableConfig,
  formats,
  type TestValue,
  tableConfig,
  temporaryFolder,
  writeTable,
} from "../../testing/data/writeTable.js";
import { openTable } from "./preflight.js";
import { refusals } from "./refusals.js";
import { type ApprovedTable, type BlockOptions, reopen } from "./snapshot.js";
import type { TableConfig } from "./tableConfig.js";

const folder = temporaryFolder();
let tables = 0;
const stem = () => join(folder, `t${tables++}`);

const x = { name: "x", type: "numeric", min: 0, max: 10 };
const c = { name: "c", type: "categorical", levels: ["a", "b"] };
const label = { name: "y", levels: ["no", "yes"] };

async function csv(names: string[], rows: TestValue[][]): Promise<FileTableConfig> {
  return tableConfig({ path: await writeTable("csv", stem(), { names, rows }) });
}

async function all(table: ApprovedTable, options?: BlockOptions): Promise<ColumnBlock[]> {
  const blocks: ColumnBlock[] = [];
  for await (const block of table.blocks(options)) blocks.push(block);
  return blocks;
}

function joined(blocks: readonly ColumnBlock[]): { columns: number[][]; labels: number[] } {
  const width = blocks[0]?.columns.length ?? 0;
  return {
    columns: Array.from({ length: width }, (_, k) =>
      blocks.flatMap((block) => [...block.columns[k]!.subarray(0, block.rows)]),
    ),
    labels: blocks.flatMap((block) => [...(block.labels?.subarray(0, block.rows) ?? [])]),
  };
}

async function fault(config: TableConfig, study: Study) {
  const result = await openTable(config, study);
  if (result.ok) throw new RangeError("the table was accepted");
  return spokenError(result.error);
}

describe("what a study sees", () => {
  test("bounds clamp, rules fill or reject, labels come as indices", async () => {
    const config = await csv(
      ["c", "x", "y", "z"],
      [
        ["a", -5, "yes", 1],
        ["b", 5, "no", null],
        [null, 6, "yes", 3],
        ["a", null, "yes", 3],
        ["b", 7, null, 3],
        ["b", 12, "no", 9],
      ],
    );
    const study = studyOver(
      [
        x,
        { ...c, missing: "own-level" },
        { name: "z", type: "numeric", min: 0, max: 8, missing: { constant: 4 } },
      ],
      { label },
    );
    const table = unwrap(await openTable(config, study));
    expect(table.rows).toBe(4);
    expect(joined(await all(table))).toEqual({
      columns: [
        [0, 5, 6, 10],
        [0, 1, 2, 1],
        [1, 4, 3, 8],
      ],
      labels: [1, 0, 1, 0],
    });
    expect(table.report).toMatchObject({ rows: 6, used: 4, rejected: 2, problems: [] });
    expect(table.report.columns).toMatchObject([
      { name: "x", missing: 1, rejectedRows: 1, below: 1, above: 1, min: 0, max: 10, mean: 5.25 },
      {
        name: "c",
        missing: 1,
        rejectedRows: 0,
        levels: [{ rows: 1 }, { rows: 2 }, { level: "(missing)", rows: 1 }],
      },
      { name: "z", missing: 1, rejectedRows: 0, below: 0, above: 1 },
    ]);
    expect(table.report.label).toMatchObject({
      missing: 1,
      rejectedRows: 1,
      levels: [{ rows: 2 }, { rows: 2 }],
    });
  });

  test("null values that are numbers stand for every spelling of the number", async () => {
    const path = await writeTable("csv", stem(), { names: ["x"], rows: [["-9"], ["-9.0"], ["3"]] });
    const table = unwrap(await openTable(tableConfig({ path, nullValues: ["-9"] }), studyOver([x])));
    expect(joined(await all(table)).columns).toEqual([[3]]);
    expect(table.report.columns[0]).toMatchObject({ missing: 2, below: 0 });
  });

  test("every format gives the same blocks and the same hash", async () => {
    const names = ["x", "c", "y"];
    const rows: TestValue[][] = Array.from({ length: 7001 }, (_, i) => [
      i % 11 === 0 ? null : i / 500,
      i % 13 === 0 ? null : i % 2 === 0 ? "a" : "b",
      i % 3 === 0 ? "yes" : "no",
    ]);
    const study = studyOver([x, { ...c, missing: "own-level" }], { label });
    const seen = [];
    for (const format of formats) {
      const path = await writeTable(format, stem(), { names, rows });
      const table = unwrap(await openTable(tableConfig({ path }), study));
      seen.push({ hash: table.contentHash, report: table.report, ...joined(await all(table)) });
    }
    for (const other of seen.slice(1)) expect(other).toEqual(seen[0]);
  });

  test("missing numbers that a study counts come as NaN, in every format and under one hash", async () => {
    const rows: TestValue[][] = Array.from({ length: 60 }, (_, i) => [
      i % 7 === 0 ? null : i % 12,
      i % 5 === 0 ? null : i % 2 === 0 ? "a" : "b",
    ]);
    const method = { analysis: "describe", parameters: { bins: 4 } };
    const study = studyOver([x, c], { method });
    const seen = [];
    for (const format of formats) {
      const path = await writeTable(format, stem(), { names: ["x", "c"], rows });
      const table = unwrap(await openTable(tableConfig({ path }), study));
      seen.push({ hash: table.contentHash, report: table.report, ...joined(await all(table)) });
    }
    const [first, ...others] = seen;
    for (const other of others) expect(other).toEqual(first);
    expect(first!.columns).toEqual([
      rows.map(([value]) => (value === null ? Number.NaN : Math.min(10, value as number))),
      rows.map(([, level]) => (level === null ? 2 : level === "a" ? 0 : 1)),
    ]);
    const present = rows.flatMap(([value]) => (value === null ? [] : [Math.min(10, value as number)]));
    expect(first!.report).toMatchObject({ used: 60, rejected: 0 });
    expect(first!.report.columns[0]).toMatchObject({
      missing: 9,
      rejectedRows: 0,
      min: 0,
      max: 10,
      mean: expect.closeTo(present.reduce((sum, value) => sum + value, 0) / present.length, 9),
    });
  });

  test("hash and rows do not depend on blocks or files", async () => {
    const study = studyOver([x, c], { label });
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.option(fc.double({ min: -2, max: 12, noNaN: true })),
            fc.constantFrom("a", "b", null),
            fc.constantFrom("no", "yes"),
          ),
          { minLength: 1, maxLength: 60 },
        ),
        fc.integer({ min: 1, max: 70 }),
        fc.nat({ max: 60 }),
        async (rows, blockRows, cut) => {
          const names = ["x", "c", "y"];
          const whole = tableConfig({
            path: await writeTable("parquet", stem(), { names, rows: [...rows] }),
          });
          const parts = stem();
          await writeTable("csv", join(parts, "0"), { names, rows: rows.slice(0, cut) });
          await writeTable("csv", join(parts, "1"), { names, rows: rows.slice(cut) });
          const one = unwrap(await openTable(whole, study));
          const two = unwrap(await openTable(tableConfig({ path: parts }), study));
          expect(two.contentHash).toBe(one.contentHash);
          const blocks = await all(two, { blockRows });
          expect(blocks.slice(0, -1).every((block) => block.rows === blockRows)).toBe(true);
          expect(joined(blocks)).toEqual(joined(await all(one)));
        },
      ),
      { numRuns: 15, endOnFailure: true },
    );
  });

  test("one changed bit of one value, one label, one row: another hash", async () => {
    const base: TestValue[][] = [
      [1, "no"],
      [2, "yes"],
      [3, "no"],
    ];
    const study = studyOver([x], { label });
    const hash = async (rows: TestValue[][]) =>
      unwrap(await openTable(await csv(["x", "y"], rows), study)).contentHash;
    const hashes = await Promise.all([
      hash(base),
      hash(base.with(0, [1.0000000000000002, "no"])),
      hash(base.with(1, [2, "no"])),
      hash(base.slice(0, 2)),
      hash([...base, [4, "no"]]),
      hash([...base, [3, "no"]]),
      hash([...base.slice(0, 2), [3, "yes"]]),
      hash([[1, "yes"], [2, "no"], base[2]!]),
    ]);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(await hash(base)).toBe(hashes[0]);
    expect(await hash(base.toReversed())).toBe(hashes[0]);
  });
});

describe("what preflight refuses", () => {
  test("missing columns, all of them, with the nearest names", async () => {
    const config = await csv(["Age", "weigth_kg", "x"], [[1, 2, 3]]);
    const study = studyOver([x, { ...x, name: "age" }, { ...x, name: "weight_kg" }, { ...x, name: "zzz" }]);
    const error = await fault(config, study);
    expect(error.code).toBe("COLUMN_MISSING");
    expect(error.message).toBe(
      'table "records": no column "age" (nearest: "Age"), "weight_kg" (nearest: "weigth_kg"), "zzz" among its 3',
    );
  });

  test("a column that is there twice", async () => {
    const error = await fault(await csv(["x", "x"], [[1, 2]]), studyOver([x]));
    expect(error.code).toBe("COLUMN_AMBIGUOUS");
  });

  test("text in a number names table, column, row, and how many more", async () => {
    const config = await csv(["x"], [[1], [2], ["oops"], [3], ["oops"]]);
    const error = await fault(config, studyOver([x]));
    expect(error.code).toBe("COLUMN_TYPE");
    expect(error.message).toContain('table "records", column "x", row 3: no number');
    expect(error.message).toContain("2 such values");
    expect(error.remedy).toContain("correct the row");
  });

  test("in a folder the file is named and rows count within it", async () => {
    const path = stem();
    await writeTable("csv", join(path, "a"), { names: ["x"], rows: [[1], [2]] });
    await writeTable("csv", join(path, "b"), { names: ["x"], rows: [[1], ["oops"]] });
    const error = await fault(tableConfig({ path }), studyOver([x]));
    expect(error.message).toContain('file "b.csv", column "x", row 2:');
  });

  test("the first fault in the table's order is named, whatever its column", async () => {
    const config = await csv(
      ["x", "c"],
      [
        [1, "a"],
        [2, "undeclared"],
        ["oops", "a"],
      ],
    );
    const error = await fault(config, studyOver([x, c]));
    expect(error.code).toBe("LEVEL_UNDECLARED");
    expect(error.message).toContain('column "c", row 2');
    expect(error.message).toContain("1 more fault");
  });

  test("NaN and infinite numbers", async () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, "inf"]) {
      const error = await fault(await csv(["x"], [[1], [bad]]), studyOver([x]));
      expect(error.code).toBe("VALUE_NOT_FINITE");
      expect(error.message).toContain("row 2");
    }
  });

  test("more rows than declared, counting those it would use", async () => {
    const config = await csv(["x"], [[1], [null], [2], [3]]);
    expect((await fault(config, studyOver([x], { maxRowsPerSite: 2 }))).code).toBe("ROWS_TOO_MANY");
    expect((await openTable(config, studyOver([x], { maxRowsPerSite: 3 }))).ok).toBe(true);
  });

  test("files that hold nothing", async () => {
    for (const ending of [".csv", ".jsonl", ".parquet"]) {
      const path = `${stem()}${ending}`;
      writeFileSync(path, "");
      const { code } = await fault(tableConfig({ path }), studyOver([x]));
      expect(code).toBe(ending === ".parquet" ? "TABLE_UNREADABLE" : "TABLE_EMPTY");
    }
    const path = `${stem()}.db`;
    writeFileSync(path, "");
    expect((await fault(tableConfig({ path }), studyOver([x]))).code).toBe("TABLE_EMPTY");
  });

  test("an empty day among files of JSON lines is no fault, an empty CSV part is", async () => {
    const path = stem();
    await writeTable("jsonl", join(path, "b"), { names: ["x"], rows: [[1]] });
    writeFileSync(join(path, "a.jsonl"), "");
    writeFileSync(join(path, "c.jsonl"), "");
    expect(unwrap(await openTable(tableConfig({ path }), studyOver([x]))).rows).toBe(1);
    const parts = stem();
    await writeTable("csv", join(parts, "b"), { names: ["x"], rows: [[1]] });
    writeFileSync(join(parts, "a.csv"), "");
    expect((await fault(tableConfig({ path: parts }), studyOver([x]))).code).toBe("TABLE_EMPTY");
  });

  test("levels that blanks alone tell apart", async () => {
    const error = await fault(await csv(["c"], [["a"]]), studyOver([{ ...c, levels: ["a", " a"] }]));
    expect(error.code).toBe("STUDY_INVALID");
  });

  test("an aborted call throws the reason", async () => {
    const signal = AbortSignal.abort(new Error("told to stop"));
    const config = await csv(["x"], [[1]]);
    await expect(openTable(config, studyOver([x]), { signal })).rejects.toThrow("told to stop");
  });
});

describe("what an analysis refuses", () => {
  const rules = { minimumRows: 2, refuseConstant: true };
  const refused = async (config: TableConfig, features: object[] = [x]) =>
    refusals(unwrap(await openTable(config, studyOver(features))).report, rules).map((error) => error.code);

  test("no rows, one row, one usable row", async () => {
    expect(await refused(await csv(["x"], []))).toEqual(["ROWS_TOO_FEW"]);
    expect(await refused(await csv(["x"], [[1]]))).toEqual(["ROWS_TOO_FEW"]);
    expect(await refused(await csv(["x"], [[1], [null]]))).toEqual(["ROWS_TOO_FEW"]);
    expect(await refused(await csv(["x"], [[1], [2]]))).toEqual([]);
  });

  test("constant columns, clamped ones and categories among them", async () => {
    expect(await refused(await csv(["x"], [[4], [4]]))).toEqual(["COLUMN_CONSTANT"]);
    expect(await refused(await csv(["x"], [[40], [50]]))).toEqual(["COLUMN_CONSTANT"]);
    expect(await refused(await csv(["c"], [["b"], ["b"]]), [c])).toEqual(["COLUMN_CONSTANT"]);
    const report = unwrap(await openTable(await csv(["x"], [[4], [4]]), studyOver([x]))).report;
    expect(refusals(report, { minimumRows: 0, refuseConstant: false })).toEqual([]);
  });
});

describe("a later stage", () => {
  const study = studyOver([x], { label });
  const rows: TestValue[][] = Array.from({ length: 5000 }, (_, i) => [
    (i % 100) / 10,
    i % 2 === 0 ? "no" : "yes",
  ]);
  const approve = async () => {
    const config = await csv(["x", "y"], rows);
    const { rows: used, contentHash } = unwrap(await openTable(config, study));
    return { config, approval: { rows: used, contentHash } };
  };

  test("reads the approved contents, again and again", async () => {
    const { config, approval } = await approve();
    const table = unwrap(await reopen(config, study, approval));
    expect(joined(await all(table)).columns[0]).toEqual(rows.map(([value]) => value));
    expect(joined(await all(table, { blockRows: 999 })).labels).toHaveLength(5000);
  });

  test.each<[string, (text: string) => string]>([
    ["a changed value", (text) => text.replace("\n0.1,yes", "\n0.2,yes")],
    ["a changed label", (text) => text.replace("\n0.1,yes", "\n0.1,no")],
    ["a row more", (text) => `${text}1,no\n`],
    ["a row less", (text) => text.replace("\n0.1,yes", "")],
    ["two rows that exchanged their labels", (text) => text.replace("\n0,no\n0.1,yes", "\n0,yes\n0.1,no")],
    ["a row in place of another", (text) => text.replace("\n0,no\n0.1,yes", "\n0,no\n0,no")],
    ["text in a number", (text) => text.replace("\n0.1,yes", "\nSECRETLEVEL,yes")],
    ["a column renamed", (text) => text.replace("x,y", "z,y")],
    ["an empty file", () => ""],
  ])("refuses %s", async (_, change) => {
    const { config, approval } = await approve();
    writeFileSync(config.path, change(readFileSync(config.path, "utf8")));
    const table = unwrap(await reopen(config, study, approval));
    await expect(all(table)).rejects.toMatchObject({ code: "TABLE_CHANGED" });
    await expect(all(table)).rejects.not.toThrow(/SECRET/);
  });

  test("takes the same rows in another order", async () => {
    const { config, approval } = await approve();
    const [header, ...lines] = readFileSync(config.path, "utf8").trim().split("\n");
    writeFileSync(config.path, `${[header, ...lines.reverse()].join("\n")}\n`);
    const table = unwrap(await reopen(config, study, approval));
    expect(joined(await all(table)).columns[0]).toEqual(rows.map(([value]) => value).reverse());
  });

  test("what the study does not look at may change", async () => {
    const { config, approval } = await approve();
    const text = readFileSync(config.path, "utf8").replaceAll("\n", ",9\n").replace("x,y,9", "x,y,new");
    writeFileSync(config.path, text);
    expect(joined(await all(unwrap(await reopen(config, study, approval)))).labels).toHaveLength(5000);
  });

  test("a snapshot's own blocks are checked too, and a vanished file is away", async () => {
    const config = await csv(["x", "y"], rows);
    const snapshot = unwrap(await openTable(config, study));
    appendFileSync(config.path, "1,no\n");
    await expect(all(snapshot)).rejects.toMatchObject({ code: "TABLE_CHANGED" });
    rmSync(config.path);
    await expect(all(snapshot)).rejects.toMatchObject({ code: "TABLE_AWAY" });
    const gone = await reopen(config, study, snapshot);
    expect(gone.ok).toBe(false);
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Study } from "@consilium/methods/testing/studies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { studyOver } from "../../testing/data/study.js";
import { tableConfig, temporaryFolder, writeGzipped } from "../../testing/data/writeTable.js";
import { anyRows, checkTable, type FoundTable } from "./snapshot.js";
import type { TableConfig } from "./tableConfig.js";

const folder = temporaryFolder();
let files = 0;
const fresh = (ending: string) => join(folder, `t${files++}${ending}`);

const features = [
  { name: "x", type: "numeric", min: 0, max: 1_000_000 },
  { name: "c", type: "categorical", levels: ["a", "b"] },
];
const study = studyOver(features);

async function read(config: TableConfig, of: Study = study): Promise<{ x: number[]; found: FoundTable }> {
  const x: number[] = [];
  let found: FoundTable | null = null;
  const note = (table: FoundTable) => {
    found = table;
  };
  for await (const block of anyRows(config, of, note)) x.push(...block.columns[0]!.subarray(0, block.rows));
  return { x, found: found! };
}

/** Of a record as each format writes it; `x` tells rows apart. */
const lineOf = {
  csv: (x: number) => `${x},a`,
  jsonl: (x: number) => JSON.stringify({ x, c: "b" }),
} as const;
/** No record can be made of these, and each stands for itself. */
const broken = {
  csv: ["1", "1,a,2", '"1"2,a', "x".repeat(3_000_000)],
  jsonl: ["{", "[1]", '"x"', "5", '{"x": 1}{"x": 2}', "nonsense"],
} as const;
const heads = { csv: "x,c\n", jsonl: "" } as const;

describe("a table of which some lines cannot be parsed", () => {
  it.each(["csv", "jsonl"] as const)(
    "is read without them, and no other row is missing: %s",
    async (format) => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: 6_000 }),
          fc.array(fc.tuple(fc.nat(6_000), fc.constantFrom(...broken[format])), { maxLength: 5 }),
          fc.boolean(),
          async (rows, faults, zipped) => {
            const lines: string[] = Array.from({ length: rows }, (_, i) => lineOf[format](i));
            for (const [at, line] of faults) lines.splice(at, 0, line);
            const text = `${heads[format]}${lines.join("\n")}\n`;
            const path = fresh(`.${format}${zipped ? ".gz" : ""}`);
            if (zipped) writeGzipped(path, text);
            else writeFileSync(path, text);
            const { x, found } = await read(tableConfig({ path }));
            expect(x).toEqual(Array.from({ length: rows }, (_, i) => i));
            expect(found).toMatchObject({ rows, used: rows, malformed: faults.length });
          },
        ),
        { numRuns: 12 },
      );
    },
  );

  it("does not take a row's neighbours along when a cell holds anything at all", async () => {
    const path = fresh(".csv");
    writeFileSync(path, "x,c\n1,a\nword,a\n2,zzz\n,a\nNaN,b\n3,\n4,b\n");
    const { x, found } = await read(tableConfig({ path }));
    expect(x).toEqual([1, 4]);
    expect(found).toMatchObject({ rows: 7, used: 2, malformed: 0, faults: 3 });
  });

  it("may hold no row at all, whatever its format says of an empty file", async () => {
    for (const [ending, text] of [
      [".csv", "x,c\n"],
      [".jsonl", ""],
    ] as const) {
      const path = fresh(ending);
      writeFileSync(path, text);
      expect((await read(tableConfig({ path }))).x).toEqual([]);
    }
    const path = fresh(".csv");
    writeFileSync(path, "");
    const config = tableConfig({ path, csv: { header: false, names: ["x", "c"] } });
    expect((await checkTable(config, study)).ok).toBe(true);
    expect((await read(config)).x).toEqual([]);
  });

  it("is refused for its columns, which no record changes", async () => {
    const path = fresh(".csv");
    writeFileSync(path, "x,d\n1,a\n");
    const checked = await checkTable(tableConfig({ path }), study);
    expect(checked).toMatchObject({ ok: false, error: { code: "COLUMN_MISSING" } });
    const lines = fresh(".jsonl");
    writeFileSync(lines, '{"x": 1}\n');
    // Keys are a record's: one that nobody has is a column without a value.
    expect((await checkTable(tableConfig({ path: lines }), study)).ok).toBe(true);
    expect((await read(tableConfig({ path: lines }))).found).toMatchObject({ rows: 1, used: 0 });
  });
});

describe("a table longer than a study takes", () => {
  const rows = 4_000;
  const path = fresh(".csv");
  writeFileSync(
    path,
    `x,c,who\n${Array.from({ length: rows }, (_, i) => `${i},a,p${i % 500}`).join("\n")}\n`,
  );

  it("is read whole unless the hospital has said how long it is", async () => {
    const short = studyOver(features, { maxRowsPerSite: 1_000 });
    expect((await read(tableConfig({ path }), short)).x).toHaveLength(rows);
    expect((await read(tableConfig({ path, expectedRows: 1_000 }), short)).x).toHaveLength(rows);
  });

  it("is thinned out, each row by a coin of its own", async () => {
    const short = studyOver(features, { maxRowsPerSite: 1_000 });
    const config = tableConfig({ path, expectedRows: 4_000 });
    const draws = await Promise.all(Array.from({ length: 6 }, () => read(config, short)));
    const kept = draws.reduce((sum, { x }) => sum + x.length, 0);
    // 24,000 coins of 1/4: beyond 5 standard deviations in one of 1.7 million runs.
    const [expected, stdDev] = [6 * rows * 0.25, Math.sqrt(6 * rows * 0.25 * 0.75)];
    expect(Math.abs(kept - expected)).toBeLessThan(5 * stdDev);
    for (const { x, found } of draws) expect(found.unsampled).toBe(rows - x.length);
    expect(draws[0]!.x).not.toEqual(draws[1]!.x);
  });

  it("keeps or leaves out a patient's rows together, and a further row moves no other", async () => {
    const change = { maxRowsPerSite: 1_000, patient: { column: "who", maxRows: 100 } };
    const short = studyOver(features, change);
    const before = await read(tableConfig({ path, expectedRows: 4_000 }), short);
    const longer = fresh(".csv");
    const lines = Array.from({ length: rows }, (_, i) => `${i},a,p${i % 500}`);
    writeFileSync(longer, `x,c,who\n${["999999,a,new", ...lines].join("\n")}\n`);
    const after = await read(tableConfig({ path: longer, expectedRows: 4_000 }), short);
    expect(after.x.filter((x) => x !== 999_999)).toEqual(before.x);
    const people = new Set(before.x.map((x) => x % 500));
    expect(before.x).toHaveLength(people.size * (rows / 500));
    expect(people.size).toBeGreaterThan(60);
    expect(people.size).toBeLessThan(200);
  });
});

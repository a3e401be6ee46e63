import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { patientUnit } from "@consilium/core/study/patientWeights";
import { PatientBound } from "@consilium/gate/patientBound";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formats,
  type TestValue,
  tableConfig,
  temporaryFolder,
  writeTable,
} from "../../testing/data/writeTable.js";
import { notePatients } from "./boundedRows.js";
import { decodeTable, Tally } from "./decode.js";
import { openSource } from "./openSource.js";
import { openTable } from "./preflight.js";
import { processSecret, TableKeys } from "./rowHash.js";
import { anyRows, reopen } from "./snapshot.js";
import { ConfiguredTables } from "./tables.js";

/** Which rows of a patient are used, and how much each one weighs where patients weigh alike: passes over a table, whatever its format. */

const folder = temporaryFolder();
let tables = 0;
const stem = () => join(folder, `t${tables++}`);

function studyOf(patient: object | null, more: object = {}): Study {
  return unwrap(
    parseStudy({
      name: "weighed",
      table: "records",
      analysis: "boosted-trees",
      features: [{ name: "x", type: "numeric", min: 0, max: 1000 }],
      label: { name: "y", levels: ["no", "yes"] },
      ...(patient !== null && { patient: { column: "who", ...patient } }),
      privacy: { epsilon: 1, delta: 1e-6 },
      participation: { maxRowsPerSite: 10_000 },
      parameters: { featuresPerNode: 1 },
      ...more,
    }),
  );
}

interface Seen {
  readonly x: number;
  readonly count: number;
  readonly draw: number;
}

async function rowsOf(blocks: AsyncIterable<ColumnBlock>): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const block of blocks) {
    expect(Object.keys(block).sort()).toEqual(["columns", "labels", "patientRows", "rows"]);
    expect(Object.keys(block.patientRows!).sort()).toEqual(["counts", "draws"]);
    const { counts, draws } = block.patientRows!;
    for (let r = 0; r < block.rows; r++)
      seen.push({ x: block.columns[0]![r]!, count: counts[r]!, draw: draws[r]! });
  }
  return seen;
}

const names = ["who", "x", "y"];
/** The first rows of a patient are those with the least x. */
const unit = { patient: { column: "who", maxRows: 10, orderBy: "x" } };
const mixed: TestValue[][] = [
  ["a", 1, "no"],
  ["b", 2, "yes"],
  ["a", null, "no"], // rejected: it does not count
  ["a", 3, "no"],
  [null, 4, "no"],
  ["c", 5, "yes"],
  ["a", 6, "no"],
  ["a", 7, "no"], // over the bound
  ["b", 8, "maybe"], // an undeclared level: left out
  ["d", null, "no"],
];

describe.each(formats)("%s", (format) => {
  test("rows weigh by how many of their patient are used, those that are left out by nothing", async () => {
    const config = tableConfig({ path: await writeTable(format, stem(), { names, rows: mixed }), unit });
    const seen = await rowsOf(anyRows(config, studyOf({ maxRows: 3 }), () => {}));
    expect(seen.map(({ x, count }) => [x, count])).toEqual([
      [1, 3],
      [2, 1],
      [3, 3],
      [5, 1],
      [6, 3],
    ]);
    const draws = new Map(seen.map(({ x, draw }) => [x, draw]));
    expect(new Set([1, 3, 6].map((x) => draws.get(x))).size).toBe(1);
    expect(new Set([1, 2, 5].map((x) => draws.get(x))).size).toBe(3);
  });

  test("a table that was approved is read so too, and the second pass is the one that is checked", async () => {
    const study = studyOf({ maxRows: 3 }, { privacy: "none" });
    const rows = mixed.filter(([, , y]) => y !== "maybe");
    const config = tableConfig({ path: await writeTable(format, stem(), { names, rows }), unit });
    const approved = unwrap(await openTable(config, study));
    const read = () => reopen(config, study, approved).then((table) => rowsOf(unwrap(table).blocks()));
    expect((await read()).map(({ count }) => count)).toEqual([3, 1, 3, 1, 3]);
    const other = tableConfig({
      path: await writeTable(format, stem(), { names, rows: rows.slice(1) }),
      unit,
    });
    const changed = reopen(other, study, approved).then((table) => rowsOf(unwrap(table).blocks()));
    await expect(changed).rejects.toMatchObject({ code: "TABLE_CHANGED" });
  });

  test("counts and draws are the same in any order, files and blocks", async () => {
    const rows: TestValue[][] = Array.from({ length: 3000 }, (_, i) => [
      `p${(i * i) % 1009}`,
      i % 11 === 0 ? null : i % 1000,
      i % 2 === 0 ? "no" : "yes",
    ]);
    const study = studyOf({ maxRows: 20 });
    const inOrder = async (path: string, options = {}) => {
      const seen = await rowsOf(anyRows(tableConfig({ path, format }), study, () => {}, options));
      return seen.sort((a, b) => a.x - b.x || a.draw - b.draw);
    };
    const whole = await inOrder(await writeTable(format, stem(), { names, rows }));
    expect(whole.length).toBeGreaterThan(2000);
    expect(Math.max(...whole.map(({ count }) => count))).toBeGreaterThan(2);
    const parts = stem();
    mkdirSync(parts);
    const turned = rows.toReversed();
    for (const [k, part] of [turned.slice(0, 1000), turned.slice(1000)].entries())
      await writeTable(format, join(parts, `${k}`), { names, rows: part });
    expect(await inOrder(parts, { blockRows: 77 })).toEqual(whole);
  });
});

test("rows of a study that counts rows, or one row a patient, say nothing of patients", async () => {
  const config = tableConfig({ path: await writeTable("csv", stem(), { names, rows: mixed }) });
  for (const patient of [null, { maxRows: 1 }, { maxRows: 3, weighting: "rows" }]) {
    const study = studyOf(patient);
    for await (const block of anyRows(config, study, () => {}))
      expect(Object.keys(block).sort()).toEqual(["columns", "labels", "rows"]);
  }
});

test("what the pass found is of the second reading, and counted once", async () => {
  const config = tableConfig({ path: await writeTable("csv", stem(), { names, rows: mixed }) });
  let found = {};
  const read = anyRows(config, studyOf({ maxRows: 3 }), (table) => {
    found = table;
  });
  await rowsOf(read);
  expect(found).toMatchObject({ rows: 10, used: 5, overBound: 1, faults: 1 });
});

test("a patient's rows are drawn together into a sample, and weigh as those that are in it", async () => {
  const rows: TestValue[][] = Array.from({ length: 4000 }, (_, i) => [`p${i % 800}`, i % 1000, "no"]);
  const path = await writeTable("csv", stem(), { names, rows });
  const study = studyOf({ maxRows: 5 }, { participation: { maxRowsPerSite: 1000 } });
  const seen = await rowsOf(anyRows(tableConfig({ path, expectedRows: 4000 }), study, () => {}));
  expect(seen.length).toBeGreaterThan(500);
  expect(seen.length).toBeLessThan(2000);
  expect(seen.every(({ count }) => count === 5)).toBe(true);
});

test("blocks that are held from stage to stage keep their patients' rows", async () => {
  const path = await writeTable("csv", stem(), { names, rows: mixed });
  const source = new ConfiguredTables([tableConfig({ path })], folder, processSecret);
  const study = studyOf({ maxRows: 3 });
  const first = await rowsOf(source.read(study, () => {}));
  expect(await rowsOf(source.read(study, () => {}))).toEqual(first);
});

describe("a table that changes between the two passes", () => {
  const maxRows = 4;
  const study = studyOf({ maxRows });
  const text = (patients: readonly number[]) =>
    `who,x,y\n${patients.map((patient) => `p${patient},${patient},no\n`).join("")}`;

  /** Per patient what its rows weigh together, counted over one table and read from another. */
  async function weightsOf(before: readonly number[], after: readonly number[], isBounded: boolean) {
    const path = `${stem()}.csv`;
    writeFileSync(path, text(before));
    const opened = await openSource(tableConfig({ path }));
    const options = { anyRows: true, keys: TableKeys.derive(processSecret, study) };
    const noted = async () => {
      const bound = new PatientBound({ maxRows });
      await notePatients(opened, study, { ...options, bound });
      expect(bound.settle()).toBe(true);
      return bound;
    };
    const counted = await noted();
    writeFileSync(path, text(after));
    const bound = isBounded ? counted : await noted();
    const weights = new Map<number, number>();
    for await (const block of decodeTable(opened, study, new Tally(study), { ...options, bound })) {
      const { counts: own } = counted.rowsOf(block.patients!.places.subarray(0, block.rows));
      for (let r = 0; r < block.rows; r++) {
        const patient = block.columns[0]![r]!;
        weights.set(patient, (weights.get(patient) ?? 0) + Math.floor(patientUnit(maxRows) / own[r]!));
      }
    }
    return [...weights.values()];
  }

  test("gives no patient more weight than one row has", async () => {
    const table = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(table, table, async (before, after) => {
        for (const weight of await weightsOf(before, after, true))
          expect(weight).toBeLessThanOrEqual(patientUnit(maxRows));
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });

  test("would, were the second pass not held to what the first one counted", async () => {
    const weights = await weightsOf([1, 2], [1, 1, 1, 2], false);
    expect(Math.max(...weights)).toBeGreaterThan(patientUnit(maxRows));
    expect(Math.max(...(await weightsOf([1, 2], [1, 1, 1, 2], true)))).toBe(patientUnit(maxRows));
    // Of a patient that was not there nothing is used.
    expect(await weightsOf([1], [1, 3, 3], true)).toEqual([patientUnit(maxRows)]);
  });
});

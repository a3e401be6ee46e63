import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { siteSideOf } from "@consilium/core/method/method";
import { planStudy } from "@consilium/core/study/plan";
import { inGate } from "@consilium/core/testing/wholeRun";
import { sensitivitySquared } from "@consilium/gate/query";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../testing/data/writeTable.js";
import { documentOf, exactOf } from "../../testing/engines/stages.js";
import { processSecret } from "./rowHash.js";
import { tableConfigSchema } from "./tableConfig.js";
import { ConfiguredTables } from "./tables.js";

/**
 * What a cohort, a map and a date add to a sum's sensitivity: nothing. Tried on every pair of small tables that differ in one
 * record, or in all records of one patient; and a cohort that looked at other records is caught.
 */

const folder = temporaryFolder();
let files = 0;

/** At the least of both numbers, where a record adds the most; within, outside, open, and a cell that holds no number; two statuses with a level, one without. */
type Row = readonly [who: string, age: string, born: string, back: string];
const everyRow: readonly Row[] = ["p", "q"].flatMap((who): Row[] => [
  [who, "18", "1900-01-01", "<30"],
  [who, "80", "1935-01-01", ">30"],
  [who, "17", "1998-01-01", "NO"],
  [who, "", "1998-01-01", "<30"],
  [who, "50", "31 May", "never"],
]);

const features = [
  { name: "age", type: "numeric", min: 18, max: 100, edges: [50] },
  {
    name: "born",
    type: "numeric",
    from: "birth",
    as: "year",
    min: 1900,
    max: 2000,
    edges: [1950],
    missing: { constant: 1950 },
  },
];
const common = {
  name: "cohort",
  table: "visits",
  analysis: "describe",
  method: "describe",
  features,
  columns: [{ name: "birth", type: "date" }],
  label: {
    name: "readmitted",
    from: "back",
    map: { "<30": "yes", ">30": "no", NO: "no" },
    levels: ["no", "yes"],
    undeclared: "reject-row",
  },
  privacy: { epsilon: 1, delta: 1e-6 },
  participation: { sites: ["a", "b", "c"], maxRowsPerSite: 100 },
};
const where = "age >= 18 and age < 90";

const asked = (more: object) => {
  const document = documentOf({ ...common, ...more }, 3);
  return { document, stage: planStudy(document.study).stages[0]!.id, broadcasts: new Map() };
};

async function vectorOf(rows: readonly Row[], more: object): Promise<number[]> {
  const path = join(folder, `${files++}.csv`);
  writeFileSync(path, `who,age,birth,back\n${rows.map((row) => `${row.join(",")}\n`).join("")}`);
  const unit = "patient" in more ? { patient: { column: "who", maxRows: 2 } } : "rows";
  const config = tableConfigSchema.parse({ name: "visits", path, csv: { header: true }, unit });
  const tables = new ConfiguredTables([config], folder, processSecret, null);
  return [...(await exactOf(tables, asked(more))).exact].map((entry) => Number(BigInt.asIntN(64, entry)));
}

async function boundOf(more: object): Promise<number> {
  const { document, stage, broadcasts } = asked(more);
  const { study } = document;
  const { proposal } = await siteSideOf(study);
  return sensitivitySquared(proposal!(stage, { study, site: "a" as never, broadcasts }).query);
}

const squared = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, entry, i) => sum + (entry - other[i]!) ** 2, 0);

/** Every table of up to `most` of the rows, as a multiset. */
function* tablesOf<T>(rows: readonly T[], most: number, from = 0): Generator<readonly T[]> {
  yield [];
  if (most === 0) return;
  for (let i = from; i < rows.length; i++)
    for (const rest of tablesOf(rows, most - 1, i)) yield [rows[i]!, ...rest];
}

describe("a record that is added", () => {
  const rows = everyRow.slice(0, 5);

  it("changes a sum with a cohort by what the query is charged for, and by what it adds to an empty table", async () => {
    const bound = await boundOf({ where });
    const alone = await Promise.all(rows.map((row) => vectorOf([row], { where })));
    const none = await vectorOf([], { where });
    expect(none.every((entry) => entry === 0)).toBe(true);
    // The first two rows count, the others are outside, open and rejected.
    expect(alone.map((vector) => vector.some((entry) => entry !== 0))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    for (const table of tablesOf(rows, inGate(1, { whole: 2 }))) {
      const before = await vectorOf(table, { where });
      for (const [i, row] of rows.entries()) {
        const after = await vectorOf([...table, row], { where });
        expect(squared(after, before)).toBeLessThanOrEqual(bound);
        expect(after.map((entry, k) => entry - before[k]!)).toEqual(alone[i]);
      }
    }
  });

  it("breaks the bound where the cohort asks for the other records, which no condition can", async () => {
    const bound = await boundOf({});
    const aboveMean = (table: readonly Row[]) => {
      const mean = table.reduce((sum, [, age]) => sum + Number(age), 0) / table.length;
      return vectorOf(
        table.filter(([, age]) => Number(age) >= mean),
        {},
      );
    };
    const [eighteen, eighty] = rows as [Row, Row];
    const before = await aboveMean([eighteen, eighteen, eighteen]);
    expect(squared(await aboveMean([eighteen, eighteen, eighteen, eighty]), before)).toBeGreaterThan(bound);
  });
});

it("a patient who is added changes it by what as many rows as the study takes are charged for", async () => {
  const of = { where, patient: { column: "who", maxRows: 2, weighting: "rows" } };
  const bound = 2 ** 2 * (await boundOf(of));
  const [others, own] = [everyRow.slice(5, inGate(6, { whole: 8 })), everyRow.slice(0, 4)];
  let largest = 0;
  for (const table of tablesOf(others, 1)) {
    const before = await vectorOf(table, of);
    for (const added of tablesOf(own, 3)) {
      const change = squared(await vectorOf([...table, ...added], of), before);
      expect(change).toBeLessThanOrEqual(bound);
      largest = Math.max(largest, change);
    }
  }
  // The bound on rows is reached, and is one: without it three rows within the cohort break it.
  expect(largest).toBe(bound);
  const unbounded = squared(
    await vectorOf([own[0]!, own[0]!, own[0]!], { where }),
    await vectorOf([], { where }),
  );
  expect(unbounded).toBeGreaterThan(bound);
});

import { join } from "node:path";
import { flowProposal, flowTable } from "@consilium/core/learning/flowTable";
import type { Study } from "@consilium/core/study/study";
import { answerOf } from "@consilium/gate/answer";
import { flowStatuses } from "@consilium/gate/flow";
import { osRandom } from "@consilium/runtime/random";
import { expect, test } from "vitest";
import { studyOver } from "../../testing/data/study.js";
import { type TestValue, tableConfig, temporaryFolder, writeTable } from "../../testing/data/writeTable.js";
import { tableFlow } from "./snapshot.js";
import type { TableConfig } from "./tableConfig.js";

/** Of a table's rows the statuses and sides that a study's flow counts: the first cause of several, and no value of a row left out. */

const folder = temporaryFolder();
let tables = 0;

const names = ["who", "x", "ward", "dead"];
const rows: TestValue[][] = [
  ["a", "5", "north", "no"], // used
  ["a", "-3", "north", "yes"], // used, below
  ["b", "250", "south", "no"], // used, above
  ["b", "9", "east", "no"], // level
  ["c", null, "north", "no"], // missing
  ["c", "many", "north", "no"], // type
  ["c", "many", "east", null], // label, before level and type
  ["d", null, "east", "no"], // level, before missing
  ["e", "7", "closed", null], // where, before label
  [null, "8", "north", "no"], // used; no patient
];

const study = (rest: object = {}): Study =>
  studyOver(
    [
      { name: "x", type: "numeric", min: 0, max: 100 },
      { name: "ward", type: "categorical", levels: ["north", "south", "closed"], undeclared: "reject-row" },
    ],
    {
      label: { name: "dead", levels: ["no", "yes"] },
      where: 'ward != "closed"',
      method: { analysis: "boosted-trees", method: "dp-histboost", parameters: {} },
      ...rest,
    },
  );

async function cells(of: Study, config: TableConfig): Promise<number[]> {
  const private_: Study = { ...of, privacy: { epsilon: 1, delta: 1e-6 } };
  const table = flowTable(of, tableFlow(config, private_), osRandom);
  const { exact, refused } = await answerOf(flowProposal(of), table);
  expect(refused).toBe(0);
  return [...exact].map(Number);
}

async function config(rest: Partial<TableConfig> = {}, all = rows): Promise<TableConfig> {
  const path = await writeTable("csv", join(folder, `t${tables++}`), { names, rows: all });
  return { ...tableConfig({ path }), ...rest };
}

// Of a status 2, of a side 1.
const statuses = (...of: number[]) => of.map((count) => 2 * count);

test("each row counts once, by the first cause in the order, and a used one where it is beyond a bound", async () => {
  const found = await cells(study(), await config());
  expect(found.slice(0, flowStatuses)).toEqual(statuses(4, 1, 1, 2, 1, 1));
  expect(found.slice(flowStatuses)).toEqual([1, 1]);
});

test("each patient counts once, whatever the order of the rows; a row without a patient nowhere", async () => {
  const ofPatients = study({ patient: { column: "who", maxRows: 2 } });
  for (const all of [rows, [...rows].reverse()]) {
    const found = await cells(ofPatients, await config({}, all));
    // a and b are used, c lacks a label before all else, d a level, and e is not asked about.
    expect(found.slice(0, flowStatuses)).toEqual(statuses(2, 1, 1, 1, 0, 0));
    expect(found.slice(flowStatuses)).toEqual([1, 1]);
  }
});

test("a hospital that counts patients does so in a study of rows", async () => {
  const bounded = { ...study(), patient: { column: "who", maxRows: 3 } };
  const found = await cells(bounded, await config({ unit: { patient: { column: "who", maxRows: 3 } } }));
  expect(found.slice(0, flowStatuses)).toEqual(statuses(2, 1, 1, 1, 0, 0));
});

test("what a sample leaves out is not counted", async () => {
  const many = Array.from({ length: 4000 }, (_, i): TestValue[] => [`p${i}`, "5", "north", "no"]);
  const found = await cells(study({ maxRowsPerSite: 1000 }), await config({ expectedRows: 4000 }, many));
  // 1,000 of binomial draws, at 7 standard deviations.
  expect(Math.abs(found[0]! / 2 - 1000)).toBeLessThan(200);
});

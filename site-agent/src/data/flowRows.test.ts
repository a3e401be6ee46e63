import { join } from "node:path";
import { flowProposal, flowTable } from "@consilium/core/learning/flowTable";
import { unwrap } from "@consilium/core/result";
import { countedFlow } from "@consilium/core/study/flowCells";
import type { Study } from "@consilium/core/study/study";
import { answerOf } from "@consilium/gate/answer";
import { flowStatuses } from "@consilium/gate/flow";
import { osRandom } from "@consilium/runtime/random";
import fc from "fast-check";
import { expect, test } from "vitest";
import { studyOver } from "../../testing/data/study.js";
import { type TestValue, tableConfig, temporaryFolder, writeTable } from "../../testing/data/writeTable.js";
import { profileTable } from "./profile.js";
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

const drawnRow = fc.tuple(
  fc.constantFrom("a", "b", "c", "d", null),
  fc.constantFrom("5", "-3", "250", "many", null),
  fc.constantFrom("north", "south", "closed", "east", null),
  fc.constantFrom("no", "yes", null, "perhaps"),
);

/** The least status of a patient, or a row, as the study of this file has it, counted by hand. */
function countedByHand(all: readonly (readonly TestValue[])[], isOfPatients: boolean) {
  const causes = { used: 0, where: 1, label: 2, level: 3, type: 4, missing: 5 };
  const statusOf = ([, x, ward, dead]: readonly TestValue[]) => {
    if (ward === "closed" || ward === null) return causes.where;
    if (dead === null || dead === "perhaps") return causes.label;
    if (ward === "east") return causes.level;
    return x === "many" ? causes.type : x === null ? causes.missing : causes.used;
  };
  const units = new Map<unknown, (readonly TestValue[])[]>();
  for (const [at, row] of all.entries()) {
    if (isOfPatients && row[0] === null) continue;
    const unit = isOfPatients ? row[0] : at;
    units.set(unit, [...(units.get(unit) ?? []), row]);
  }
  const found = { statuses: [0, 0, 0, 0, 0, 0], below: 0, above: 0 };
  for (const own of units.values()) {
    found.statuses[Math.min(...own.map(statusOf))]!++;
    const used = own.filter((row) => statusOf(row) === 0);
    if (used.some(([, x]) => x === "-3")) found.below++;
    else if (used.some(([, x]) => x === "250")) found.above++;
  }
  return found;
}

test("what the hospital is shown is what the gate counts before noise, of rows and of patients", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(drawnRow, { minLength: 1, maxLength: 40 }),
      fc.boolean(),
      async (all, isOfPatients) => {
        const of = {
          ...study(isOfPatients ? { patient: { column: "who", maxRows: 2 } } : {}),
          flow: true,
        } as Study;
        const table = await config({}, all);
        const { flow } = unwrap(await profileTable(table, { ...of, privacy: { epsilon: 1, delta: 1e-6 } }));
        const gate = countedFlow(of, await cells(of, table));
        expect(flow).toEqual({ unit: isOfPatients ? "patients" : "rows", ...gate });
        const { statuses, below, above } = countedByHand(all, isOfPatients);
        expect([flow!.used, ...flow!.leftOut.map(({ count }) => count)]).toEqual(statuses);
        expect(flow!.beyond.map(({ count }) => count)).toEqual([below, above]);
        expect(flow!.read).toBe(statuses.reduce((sum, one) => sum + one));
      },
    ),
    { numRuns: 12 },
  );
  expect(unwrap(await profileTable(await config(), study())).flow).toBeUndefined();
});

import type { RandomSource } from "@consilium/secure-sum/random";
import { describe, expect, it } from "vitest";
import { answerOf } from "./answer.js";
import { checkQuery } from "./checkQuery.js";
import { flowDomain, flowQuery, flowSidesMost, flowStatus, flowStatuses } from "./flow.js";
import { flowContributor, PatientFlow } from "./flowRecords.js";
import { sensitivitySquared } from "./query.js";
import type { RecordBlock } from "./record.js";

/** The flow's claim, tried on every small table and its neighbours: one record, or one patient, changes Σ q² by at most Δ². */

/** A row: whose, its status, and the side of each of five numbers. */
interface Row {
  readonly who: number;
  readonly status: number;
  readonly sides: readonly number[];
}

const numbers = 5;
const random: RandomSource = { bytes: (count) => Uint8Array.from({ length: count }, (_, i) => i * 37) };

const columnsOf = (rows: readonly Row[]) => [
  Float64Array.from(rows, ({ status }) => status),
  ...Array.from({ length: numbers }, (_, n) => Float64Array.from(rows, ({ sides }) => sides[n]!)),
];

const rowRecords = (rows: readonly Row[]): RecordBlock[] =>
  rows.length === 0 ? [] : [{ rows: rows.length, columns: columnsOf(rows), labels: null }];

function patientRecords(rows: readonly Row[], patientsMost?: number): RecordBlock[] {
  const blocks: RecordBlock[] = [];
  for (let from = 0; from < Number.POSITIVE_INFINITY; ) {
    const patients = new PatientFlow(from, patientsMost);
    for (const row of rows) {
      const patient = [row.who, row.who * 7, 1].map((part) => Float64Array.of(part)) as never;
      patients.add({ rows: 1, columns: columnsOf([row]), patient });
    }
    blocks.push(...patients.records(numbers));
    from = patients.to;
  }
  return blocks;
}

async function cellsOf(blocks: readonly RecordBlock[]): Promise<number[]> {
  const { exact, refused } = await answerOf(
    { query: flowQuery(numbers), scale: 1, contributor: () => flowContributor(numbers) },
    {
      records: (async function* () {
        yield* blocks;
      })(),
      domain: flowDomain(numbers),
      patients: null,
      rowsAtMost: 100,
      kernel: {
        gram: () => {
          throw new RangeError("a flow has no Gram matrix");
        },
      },
      random,
      checks: random,
    },
  );
  expect(refused).toBe(0);
  return [...exact].map(Number);
}

const squared = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, cell, i) => sum + (cell - other[i]!) ** 2, 0);

const within = [0, 0, 0, 0, 0];
/** Sides that differ in number, place and direction, one of them of more numbers than are counted. */
const everySides = [within, [1, 0, 0, 0, 0], [0, 2, 0, 0, 2], [2, 1, 2, 1, 2], [1, 1, 1, 1, 0]];
const everyRow = (who: number): Row[] => [
  ...Object.values(flowStatus).map((status) => ({ who, status, sides: within })),
  ...everySides.slice(1).map((sides) => ({ who, status: flowStatus.used, sides })),
];

describe("a flow of rows", () => {
  it("is one query of a status and of at most four sides", () => {
    expect(sensitivitySquared(flowQuery(0))).toBe(1);
    expect(sensitivitySquared(flowQuery(1))).toBe(4 + 1);
    for (const many of [4, 5, 1000]) expect(sensitivitySquared(flowQuery(many))).toBe(4 + flowSidesMost);
    for (const many of [0, 1, 4, 1000]) checkQuery(flowQuery(many));
  });

  it("changes by at most its sensitivity with any record, and by as much with some", async () => {
    let most = 0;
    for (const before of [[], ...everyRow(1).map((row) => [row])])
      for (const row of everyRow(2)) {
        const change = squared(
          await cellsOf(rowRecords(before)),
          await cellsOf(rowRecords([...before, row])),
        );
        expect(change).toBeLessThanOrEqual(sensitivitySquared(flowQuery(numbers)));
        most = Math.max(most, change);
      }
    expect(most).toBe(sensitivitySquared(flowQuery(numbers)));
  });

  it("counts the sides of used rows alone", async () => {
    const cells = await cellsOf(
      rowRecords([
        { who: 1, status: flowStatus.missing, sides: [1, 1, 1, 1, 1] },
        { who: 1, status: flowStatus.used, sides: [0, 0, 2, 0, 1] },
      ]),
    );
    expect(cells.slice(0, flowStatuses)).toEqual([2, 0, 0, 0, 0, 2]);
    expect(cells.slice(flowStatuses)).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 1, 0]);
  });
});

describe("a flow of patients", () => {
  it("changes by at most its sensitivity with all rows of any patient, however many, in any order", async () => {
    const delta = sensitivitySquared(flowQuery(numbers));
    let most = 0;
    const other: Row[] = [
      { who: 2, status: flowStatus.level, sides: within },
      { who: 2, status: flowStatus.used, sides: [0, 1, 0, 0, 0] },
    ];
    const without = await cellsOf(patientRecords(other));
    for (const first of everyRow(1))
      for (const second of everyRow(1)) {
        const own = [first, second, ...Array.from({ length: 97 }, () => second)];
        const cells = await cellsOf(patientRecords([...other, ...own]));
        const mixed = await cellsOf(
          patientRecords([own[1]!, other[1]!, ...own.slice(2), other[0]!, own[0]!]),
        );
        expect(mixed).toEqual(cells);
        const change = squared(without, cells);
        expect(change).toBeLessThanOrEqual(delta);
        most = Math.max(most, change);
      }
    expect(most).toBe(delta);
    // What the bound is not of: each row counted by itself.
    const rows = Array.from({ length: 99 }, () => everyRow(1)[5]!);
    expect(squared(await cellsOf([]), await cellsOf(rowRecords(rows)))).toBeGreaterThan(1000 * delta);
  });

  it("takes a used row before any cause, and of causes the first in their order and not in the table's", async () => {
    const row = (status: keyof typeof flowStatus) => ({ who: 1, status: flowStatus[status], sides: within });
    const statusOf = async (...rows: (keyof typeof flowStatus)[]) =>
      (await cellsOf(patientRecords(rows.map(row)))).indexOf(2);
    expect(await statusOf("where", "missing", "used")).toBe(flowStatus.used);
    expect(await statusOf("missing", "level", "type")).toBe(flowStatus.level);
    expect(await statusOf("level", "missing", "type")).toBe(flowStatus.level);
    expect(await statusOf("missing", "label", "where")).toBe(flowStatus.where);
  });

  it("leaves rows without a patient out, and no patient who has others", async () => {
    const none: Row = { who: -1, status: flowStatus.used, sides: [1, 0, 0, 0, 0] };
    expect(await cellsOf(patientRecords([none, none]))).toEqual(await cellsOf([]));
    const one: Row = { who: 3, status: flowStatus.type, sides: within };
    expect(await cellsOf(patientRecords([none, one]))).toEqual(await cellsOf(patientRecords([one])));
  });

  it("is the same in any number of readings", async () => {
    const rows = Array.from({ length: 300 }, (_, i) => everyRow((i * 31) % 67)[i % 10]!);
    const whole = await cellsOf(patientRecords(rows));
    expect(whole.slice(0, flowStatuses).reduce((sum, cell) => sum + cell, 0)).toBe(2 * 67);
    for (const patientsMost of [2, 3, 10, 66])
      expect(await cellsOf(patientRecords(rows, patientsMost))).toEqual(whole);
    expect(new PatientFlow(0, 2).to).toBe(Number.POSITIVE_INFINITY);
  });
});

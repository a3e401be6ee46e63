import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { ColumnBlock } from "@consilium/core/study/design";
import { soundSum } from "@consilium/core/study/soundSums";
import { foldRecords } from "@consilium/gate/fold";
import { describe, expect, it } from "vitest";
import { exactSums, type TestRow, tableBlock, tableStudy } from "../testing/describe.js";
import { withPatients } from "../testing/patients.js";
import { partsOf } from "./numbers.js";
import { asDescribe, describeLayout } from "./study.js";
import { describeProposal } from "./vector.js";

const parameters = { tables: [["age", "sex"]] };
const study = tableStudy(asDescribe, { parameters });

/** Every record that there is, up to where an age lies between these. */
const everyRow: TestRow[] = [0, 20, 59.9, 100, null].flatMap((age) =>
  (["f", "m", null] as const).flatMap((sex) => ([0, 1] as const).map((ill) => ({ age, sex, ill }))),
);

const repeated = { bytes: (count: number) => new Uint8Array(count).fill(7) };

const sumsOf = (blocks: readonly ColumnBlock[], of = study) => exactSums(of, blocks);

/** [place, entry] of those that are not 0. */
const entriesOf = (vector: Float64Array) =>
  [...vector].flatMap((entry, i) => (entry === 0 ? [] : [[i, entry]]));

const squares = (vector: Float64Array) => vector.reduce((sum, entry) => sum + entry ** 2, 0);

describe("what a record adds", () => {
  it("is its tables' weights, one cell each, and a number's moments and small cell: the least age reaches Δ² and none exceeds it", async () => {
    const { marginals, numbers, stage } = describeLayout(study);
    const { sumsAt, squaresAt, cellsAt, cells, unit, root } = numbers[0]!;
    const parts = partsOf(unit);
    expect(new Set(marginals.map(({ weight }) => weight)).size).toBeGreaterThan(1);
    const table = everyRow.slice(0, 7);
    const without = await sumsOf([tableBlock(table)]);
    for (const row of everyRow) {
      const difference = (await sumsOf([tableBlock([row, ...table])])).map((sum, i) => sum - without[i]!);
      const { age, ill } = row;
      if (age === 0) expect(squares(difference)).toBe(stage.sensitivitySquared);
      else expect(squares(difference)).toBeLessThan(stage.sensitivitySquared);
      const counts = [0, 1].map((g) =>
        root.counts(difference.subarray(cellsAt + g * root.run).slice(0, root.run)),
      );
      const own = age === null ? [] : [[cells.binned.edges.filter((edge) => edge <= age).length, parts.cell]];
      expect(counts.map(entriesOf)).toEqual(ill === 0 ? [own, []] : [[], own]);
      const z = age === null ? null : age / 100 - 1 / 2;
      const moments = z === null ? [] : [2 * parts.sum * z, 8 * parts.squares * (z ** 2 - 1 / 8)];
      [sumsAt, squaresAt].forEach((at, i) => {
        const [sum, other] = [difference[at + ill]!, difference[at + 1 - ill]!];
        expect(Math.abs(sum - (moments[i] ?? 0))).toBeLessThanOrEqual(1 / 2);
        expect(other).toBe(0);
      });
      for (const { offset, cells, weight } of marginals) {
        const counted = [...difference.subarray(offset, offset + cells)].filter((entry) => entry !== 0);
        expect(counted).toEqual([weight]);
      }
    }
  });

  it("is held to that by the gate, whatever a method writes", async () => {
    const { stage } = describeLayout(study);
    const options = {
      query: stage.query,
      features: 2,
      records: streamed([tableBlock(everyRow)]),
      patients: null,
      rowsAtMost: 100,
      scale: 1,
      kernel: plainKernels(),
      random: repeated,
      checks: repeated,
    };
    const { numbers } = describeLayout(study);
    const { sumsAt, squaresAt, cellsAt, unit } = numbers[0]!;
    const parts = partsOf(unit);
    const refused: readonly (readonly (readonly [cell: number, value: number])[])[] = [
      // A record in two cells of one table, in two small cells, or in one of each group.
      [
        [0, 1],
        [1, 1],
        [12, 1],
      ],
      [
        [cellsAt, 1],
        [cellsAt + 1, 1],
      ],
      [
        [sumsAt, 1],
        [sumsAt + 1, 1],
      ],
      // More than the section has, on either side.
      [[cellsAt, parts.cell + 1]],
      [[cellsAt, -1]],
      [[sumsAt, parts.sum + 1]],
      [[squaresAt, -parts.squares - 1]],
    ];
    for (const written of refused) {
      const answer = await foldRecords({
        ...options,
        records: streamed([tableBlock(everyRow)]),
        contributor: () => ({
          kind: "histogram",
          write(_, cells, values) {
            written.forEach(([cell, value], i) => {
              cells[i] = cell;
              values[i] = value;
            });
            return written.length;
          },
        }),
      });
      expect(answer.refused).toBe(everyRow.length);
      expect(answer.exact.every((sum) => sum === 0n)).toBe(true);
    }
    const { contributor } = describeProposal(study, stage.id);
    const honest = await foldRecords({ ...options, records: streamed([tableBlock(everyRow)]), contributor });
    expect(honest.refused).toBe(0);
  });

  it("is for all rows of a patient together no more than for one row", async () => {
    const patient = { column: "person", maxRows: 3 };
    const ofPatients = tableStudy(asDescribe, { parameters, patient });
    const { stage } = describeLayout(ofPatients);
    const { unit, scale } = soundSum(ofPatients, stage);
    // Integers that are divided, by up to three rows exactly.
    expect(unit).toBe(1);
    expect(partsOf(describeLayout(ofPatients).numbers[0]!.unit).cell % 6).toBe(0);
    const bound = stage.sensitivitySquared;
    let most = 0;
    for (const first of everyRow) {
      for (const second of everyRow.slice(0, 8)) {
        const rows = [first, second, everyRow[9]!];
        const vector = await sumsOf([withPatients(tableBlock(rows), [1, 1, 1])], ofPatients);
        most = Math.max(most, squares(vector));
        expect(squares(vector)).toBeLessThanOrEqual(bound);
      }
    }
    const alike = [everyRow[0]!, everyRow[0]!, everyRow[0]!];
    expect(squares(await sumsOf([withPatients(tableBlock(alike), [1, 1, 1])], ofPatients))).toBe(bound);
    expect(most).toBeGreaterThan(0.5 * bound);
    expect(scale).toBeGreaterThanOrEqual(1);
  });

  it("does not depend on how rows come in blocks, and is zeros for an empty table", async () => {
    const parts = [everyRow.slice(0, 5), [], everyRow.slice(5)].map(tableBlock);
    expect(await sumsOf(parts)).toEqual(await sumsOf([tableBlock(everyRow)]));
    expect(squares(await sumsOf([]))).toBe(0);
  });

  it("is refused for a stage of another method", () => {
    expect(() => describeProposal(study, "moments" as never)).toThrow(
      'broadcast.no-stage {"kind":"sum","method":"describe","stage":"moments"}',
    );
  });
});

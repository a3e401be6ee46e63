import type { SiteId } from "@consilium/core/ids";
import { signedNumbers } from "@consilium/core/learning/exactSums";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { ColumnBlock } from "@consilium/core/study/design";
import { soundSum } from "@consilium/core/study/soundSums";
import { foldRecords } from "@consilium/gate/fold";
import { describe, expect, it } from "vitest";
import { noRandom, type TestRow, tableBlock, tableStudy } from "../testing/describe.js";
import { siteVector } from "../testing/families.js";
import { withPatients } from "../testing/patients.js";
import { asDescribe, type DescribeStudy, describeLayout } from "./study.js";
import { describeProposal } from "./vector.js";

const parameters = { tables: [["age", "sex"]] };
const study = tableStudy(asDescribe, { parameters });

/** Every record that there is, up to where an age lies in its interval. */
const everyRow: TestRow[] = [0, 20, 59.9, 100, null].flatMap((age) =>
  (["f", "m", null] as const).flatMap((sex) => ([0, 1] as const).map((ill) => ({ age, sex, ill }))),
);

const repeated = { bytes: (count: number) => new Uint8Array(count).fill(7) };

/** In the method's own integers. */
async function vectorOf(blocks: readonly ColumnBlock[], of: DescribeStudy = study): Promise<Float64Array> {
  const { stage } = describeLayout(of);
  const vector = await siteVector(of, stage.id, {
    site: "site-001" as SiteId,
    sites: 3,
    broadcasts: new Map(),
    blocks: streamed(blocks),
    kernels: plainKernels(),
    random: noRandom,
    checks: repeated,
  });
  const { scale } = soundSum(of, stage);
  return signedNumbers(vector).map((sum) => sum / scale);
}

const squares = (vector: Float64Array) => vector.reduce((sum, entry) => sum + entry ** 2, 0);

describe("what a record adds", () => {
  it("is its tables' weights, one cell each: every record reaches Δ² and none exceeds it", async () => {
    const { marginals, stage } = describeLayout(study);
    expect(new Set(marginals.map(({ weight }) => weight)).size).toBeGreaterThan(1);
    const table = everyRow.slice(0, 7);
    const without = await vectorOf([tableBlock(table)]);
    for (const row of everyRow) {
      const difference = (await vectorOf([tableBlock([row, ...table])])).map((sum, i) => sum - without[i]!);
      expect(squares(difference)).toBe(stage.sensitivitySquared);
      for (const { offset, cells, weight } of marginals) {
        const own = [...difference.subarray(offset, offset + cells)].filter((entry) => entry !== 0);
        expect(own).toEqual([weight]);
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
    // The weakened twin: it counts a record in two cells of one table.
    const twice = await foldRecords({
      ...options,
      contributor: () => ({
        kind: "histogram",
        write(_, cells, values) {
          cells.set([0, 1, 12]);
          values.fill(1, 0, 3);
          return 3;
        },
      }),
    });
    expect(twice.refused).toBe(everyRow.length);
    expect(twice.exact.every((sum) => sum === 0n)).toBe(true);
    const { contributor } = describeProposal(study, stage.id);
    const honest = await foldRecords({ ...options, records: streamed([tableBlock(everyRow)]), contributor });
    expect(honest.refused).toBe(0);
  });

  it("is for all rows of a patient together no more than for one row", async () => {
    const patient = { column: "person", maxRows: 3 };
    const ofPatients = tableStudy(asDescribe, { parameters, patient });
    const { stage } = describeLayout(ofPatients);
    const { unit, scale } = soundSum(ofPatients, stage);
    expect(unit).toBe(6);
    const bound = stage.sensitivitySquared * unit ** 2;
    let most = 0;
    for (const first of everyRow) {
      for (const second of everyRow.slice(0, 8)) {
        const rows = [first, second, everyRow[9]!];
        const vector = await vectorOf([withPatients(tableBlock(rows), [1, 1, 1])], ofPatients);
        most = Math.max(most, squares(vector));
        expect(squares(vector)).toBeLessThanOrEqual(bound);
      }
    }
    const alike = [everyRow[0]!, everyRow[0]!, everyRow[0]!];
    expect(squares(await vectorOf([withPatients(tableBlock(alike), [1, 1, 1])], ofPatients))).toBe(bound);
    expect(most).toBeGreaterThan(0.5 * bound);
    expect(scale).toBeGreaterThanOrEqual(1);
  });

  it("does not depend on how rows come in blocks, and is zeros for an empty table", async () => {
    const parts = [everyRow.slice(0, 5), [], everyRow.slice(5)].map(tableBlock);
    expect(await vectorOf(parts)).toEqual(await vectorOf([tableBlock(everyRow)]));
    expect(squares(await vectorOf([]))).toBe(0);
  });

  it("is refused for a stage of another method", () => {
    expect(() => describeProposal(study, "moments" as never)).toThrow("describe has no sum stage moments");
  });
});

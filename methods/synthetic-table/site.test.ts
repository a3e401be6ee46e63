import type { SiteId, StageId } from "@consilium/core/ids";
import { signedNumbers } from "@consilium/core/learning/exactSums";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { soundSum } from "@consilium/core/study/soundSums";
import { foldRecords } from "@consilium/gate/fold";
import { describe, expect, it } from "vitest";
import { noRandom } from "../testing/describe.js";
import { siteVector } from "../testing/families.js";
import { withPatients } from "../testing/patients.js";
import { type Stay, stayBlock, syntheticStudy } from "../testing/syntheticTable.js";
import { syntheticTableProposal } from "./site.js";
import {
  pairsStageId,
  type SyntheticTableStudy,
  syntheticTableLayout,
  tablesStageId,
  treeName,
} from "./study.js";

const study = syntheticStudy();
const layout = syntheticTableLayout(study);

/** Every record that there is, up to where a number lies in its interval. */
const everyStay: Stay[] = [5, 30, 50, 70, 100, Number.NaN].flatMap((age) =>
  [0, 1, 2].flatMap((sex) =>
    [0, 1, 2].flatMap((ward) => [0.5, 2, 5, 10, 20, 60].map((days): Stay => [age, sex, ward, days])),
  ),
);

const repeated = { bytes: (count: number) => new Uint8Array(count).fill(7) };
/** Days given the ward, the ward given the sex, the sex given the age. */
const chain = [-1, 0, 1, 2];
const told = (parents: readonly number[]): Broadcasts =>
  new Map([[tablesStageId, { [treeName]: Float64Array.from(parents) }]]);

/** In the method's own integers. */
async function vectorOf(
  stays: readonly Stay[] | ColumnBlock,
  id: StageId,
  broadcasts = told(chain),
  of: SyntheticTableStudy = study,
): Promise<Float64Array> {
  const vector = await siteVector(of, id, {
    site: "site-001" as SiteId,
    sites: 3,
    broadcasts,
    blocks: streamed(["rows" in stays ? stays : stayBlock(stays)]),
    kernels: plainKernels(),
    random: noRandom,
    checks: repeated,
  });
  const { pairs, stage } = syntheticTableLayout(of);
  const { scale } = soundSum(of, id === tablesStageId ? stage : pairs!.stage);
  return signedNumbers(vector).map((sum) => sum / scale);
}

const squares = (vector: Float64Array) => vector.reduce((sum, entry) => sum + entry ** 2, 0);

describe("what a record adds", () => {
  it("is each table's weight in one cell of it: every record reaches Δ² and none exceeds it", async () => {
    const sums = [
      { id: pairsStageId, stage: layout.pairs!.stage, sections: layout.pairs!.tables },
      {
        id: tablesStageId,
        stage: layout.stage,
        sections: [...layout.margins, ...layout.joints.filter((joint) => joint !== null)],
      },
    ];
    for (const { id, stage, sections } of sums) {
      expect(stage.sensitivitySquared).toBe(sections.reduce((sum, { weight }) => sum + weight ** 2, 0));
      expect(new Set(sections.map(({ weight }) => weight)).size).toBeGreaterThan(1);
      const table = everyStay.slice(0, 7);
      const without = await vectorOf(table, id);
      for (const stay of everyStay) {
        const difference = (await vectorOf([stay, ...table], id)).map((sum, i) => sum - without[i]!);
        expect(squares(difference)).toBe(stage.sensitivitySquared);
        for (const { offset, cells, weight } of sections) {
          const own = difference.subarray(offset, offset + cells).filter((entry) => entry !== 0);
          expect([...own]).toEqual([weight]);
        }
      }
    }
  });

  it("costs the same under every broadcast that is taken, trees or not", async () => {
    const rows = everyStay.slice(40, 44);
    const parents = [0, 1, 2, 3];
    let tried = 0;
    for (const a of parents)
      for (const b of parents)
        for (const c of parents) {
          if (a === 1 || b === 2 || c === 3) continue;
          const without = await vectorOf(rows.slice(1), tablesStageId, told([-1, a, b, c]));
          const difference = (await vectorOf(rows, tablesStageId, told([-1, a, b, c]))).map(
            (sum, i) => sum - without[i]!,
          );
          expect(squares(difference)).toBe(layout.stage.sensitivitySquared);
          tried++;
        }
    expect(tried).toBe(27);
  });

  it("is held to one cell of each table by the gate, whatever a method writes", async () => {
    const options = {
      query: layout.stage.query,
      features: 4,
      records: streamed([stayBlock(everyStay)]),
      patients: null,
      rowsAtMost: 10_000,
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
          cells.set([0, 1, 6]);
          values.fill(1, 0, 3);
          return 3;
        },
      }),
    });
    expect(twice.refused).toBe(everyStay.length);
    const { contributor } = syntheticTableProposal(study, tablesStageId, { broadcasts: told(chain) });
    const once = await foldRecords({ ...options, records: streamed([stayBlock(everyStay)]), contributor });
    expect(once.refused).toBe(0);
  });

  it("is for all rows of a patient together no more than for one row", async () => {
    const of = syntheticStudy({ patient: { column: "person", maxRows: 3 } });
    const { pairs, stage } = syntheticTableLayout(of);
    const ofPatient = async (stays: readonly Stay[], id: StageId) =>
      squares(
        await vectorOf(
          withPatients(
            stayBlock(stays),
            stays.map(() => 1),
          ),
          id,
          told(chain),
          of,
        ),
      );
    for (const { id, sensitivitySquared } of [pairs!.stage, stage]) {
      const { unit } = soundSum(of, stage);
      expect(unit).toBe(6);
      const bound = sensitivitySquared * unit ** 2;
      for (const [i, first] of everyStay.entries()) {
        const rows = [
          first,
          everyStay[(i * 37) % everyStay.length]!,
          everyStay[(i * 11) % everyStay.length]!,
        ];
        expect(await ofPatient(rows, id)).toBeLessThanOrEqual(bound);
      }
      expect(await ofPatient([everyStay[3]!, everyStay[3]!, everyStay[3]!], id)).toBe(bound);
    }
  });

  it.each<[string, readonly number[] | null]>([
    ["no tree", null],
    ["a tree of other columns", [-1, 0, 1]],
    ["a parent that is no column", [-1, 0, 1, 4]],
    ["half a parent", [-1, 0, 1, 0.5]],
    ["no number", [-1, 0, 1, Number.NaN]],
    ["a column given itself", [-1, 0, 1, 3]],
    ["another root", [1, -1, 1, 1]],
  ])("is not asked for where %s is told", async (_, parents) => {
    const broadcasts = parents === null ? new Map() : told(parents);
    await expect(vectorOf([], tablesStageId, broadcasts)).rejects.toMatchObject({
      code: "BROADCAST_INVALID",
    });
    await expect(vectorOf([], tablesStageId)).resolves.toBeDefined();
  });

  it("is nothing for a stage of another method", async () => {
    await expect(vectorOf([], "moments" as StageId)).rejects.toMatchObject({ code: "MESSAGE_UNEXPECTED" });
    const two = syntheticStudy({ features: study.features.slice(0, 2), parameters: {} });
    expect(() => syntheticTableProposal(two, pairsStageId, { broadcasts: new Map() })).toThrow(
      /^broadcast\.no-stage .*"method":"synthetic-table"/,
    );
  });
});

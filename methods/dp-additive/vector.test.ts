import type { StageId } from "@consilium/core/ids";
import { signedNumbers } from "@consilium/core/learning/exactSums";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import { soundSum } from "@consilium/core/study/soundSums";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { describe, expect, it } from "vitest";
import { additiveTestStudy } from "../testing/additive/study.js";
import { blockOf, type TestRow, testRows } from "../testing/histBoost/study.js";
import { additiveVector } from "../testing/vectors.js";
import { type AdditiveStudy, additiveLayout } from "./study.js";

const kernels = plainKernels();
const study = additiveTestStudy({ epochs: 2, evaluation: { heldOut: 0.3 } });
const { stages, offsets } = additiveLayout(study);
const all = offsets.at(-1)!;

/** Curves that are sure: 31 in the bins of `yes`, so that a record of `no` there has nearly length 1. */
const sure: Broadcast = { curves: Float64Array.from({ length: 1 + all }, (_, i) => (i === 0 ? -16 : 31)) };
const cuts = Float64Array.from({ length: 19 }, (_, i) => (i - 9) / 5);
const told = (curves: Broadcast): [StageId, Broadcast][] => [
  [stages[1]!.id, curves],
  ["evaluation" as StageId, { ...curves, cuts }],
];
const random = seededRandom("a site");
const vector = (
  id: StageId,
  change: { blocks?: readonly ColumnBlock[]; curves?: Broadcast; of?: AdditiveStudy } = {},
) =>
  additiveVector(change.of ?? study, id, {
    broadcasts: new Map(told(change.curves ?? sure)),
    blocks: streamed(change.blocks ?? [blockOf(testRows(50))]),
    kernels,
    random,
  });

describe("a site's vector", () => {
  it("has the plan's length for any table, and is zeros for an empty one", async () => {
    for (const stage of planStudy(study).stages) {
      if (stage.kind !== "sum") throw new Error("sums alone");
      expect(await vector(stage.id)).toHaveLength(stage.length);
      const empty = await vector(stage.id, { blocks: [] });
      expect(empty).toEqual(new BigUint64Array(stage.length));
      expect(await vector(stage.id, { blocks: [blockOf([])] })).toEqual(empty);
    }
  });

  it("is the same for any blocks of the same rows", async () => {
    const rows = testRows(50);
    for (const { id } of planStudy(study).stages) {
      const blocks = [blockOf(rows.slice(0, 7)), blockOf([]), blockOf(rows.slice(7))];
      expect(await vector(id, { blocks })).toEqual(await vector(id, { blocks: [blockOf(rows)] }));
    }
  });

  it("refuses what no honest aggregator sends, before it reads a row", async () => {
    const untouched = {
      // biome-ignore lint/correctness/useYield: it must not come so far
      blocks: (async function* (): AsyncGenerator<ColumnBlock> {
        throw new Error("the table was read");
      })(),
    };
    const flat = (value: number, length = 1 + all): Broadcast => ({
      curves: new Float64Array(length).fill(value),
    });
    const read = (curves: Broadcast) =>
      additiveVector(study, stages[1]!.id, {
        broadcasts: new Map(told(curves)),
        kernels,
        random,
        ...untouched,
      });
    // The control: honest ones are taken, and then the table is read.
    await expect(read(flat(32))).rejects.toThrow("the table was read");
    for (const curves of [
      flat(32.5),
      flat(2 ** -25),
      flat(Number.NaN),
      flat(Number.POSITIVE_INFINITY),
      flat(0, all),
      flat(0, all + 2),
    ]) {
      await expect(read(curves)).rejects.toMatchObject({ code: "BROADCAST_INVALID" });
    }
    await expect(
      additiveVector(study, stages[1]!.id, { broadcasts: new Map(), kernels, random, ...untouched }),
    ).rejects.toMatchObject({ code: "FIELD_INVALID" });
    await expect(vector("tree-1-leaves" as StageId)).rejects.toMatchObject({ code: "MESSAGE_UNEXPECTED" });
  });

  it("takes more rows than the study declares where it has noise: a refusal would tell of them", async () => {
    const blocks = Array.from({ length: 11 }, () => blockOf(testRows(500)));
    const noisy = additiveTestStudy(
      { epochs: 2, evaluation: { heldOut: 0.3 } },
      { privacy: { epsilon: 1, delta: 1e-5 } },
    );
    for (const id of [stages[0]!.id, stages[1]!.id, "evaluation" as StageId]) {
      const one = await vector(id, { of: noisy, blocks: blocks.slice(0, 1) });
      expect(await vector(id, { of: noisy, blocks })).toEqual(one.map((entry) => 11n * entry));
      await expect(vector(id, { blocks })).rejects.toMatchObject({ code: "ROWS_TOO_MANY" });
    }
  });
});

/** Every cell of a coarse grid over the test study's columns, in both classes. */
const domain: readonly TestRow[] = [0.5, 3.5, 7.5].flatMap((a) =>
  [0.1, 0.55, 0.9].flatMap((b) =>
    [0, 1, 2].flatMap((c) => ([0, 1] as const).map((label): TestRow => ({ values: [a, b, c], label }))),
  ),
);

/** The most Σq² over all pairs of neighbouring tables with at most this many rows, and over records by themselves. */
async function largestChange(of: AdditiveStudy, id: StageId, curves: Broadcast): Promise<number> {
  const sums = async (rows: readonly TestRow[]) =>
    signedNumbers(await vector(id, { of, curves, blocks: [blockOf(rows)] }));
  let most = 0;
  for (const crowd of [[], [domain[0]!], [domain[5]!, domain[40]!, domain[40]!]]) {
    const before = await sums(crowd);
    for (const record of domain) {
      // In front, behind and in between: a record's place tells nothing.
      for (const at of [0, crowd.length]) {
        const after = await sums([...crowd.slice(0, at), record, ...crowd.slice(at)]);
        most = Math.max(
          most,
          after.reduce((total, value, i) => total + (value - before[i]!) ** 2, 0),
        );
      }
    }
  }
  return most;
}

describe("the sensitivity of an epoch", () => {
  const noisy = additiveTestStudy(
    { epochs: 2 },
    { privacy: { epsilon: 1, delta: 1e-5 }, participation: { minimumSites: 3, maxRowsPerSite: 5000 } },
  );
  const [first, second] = additiveLayout(noisy).stages;
  const bound = (stage: typeof first) => stage!.sensitivitySquared * soundSum(noisy, stage!).scale ** 2;
  const curvesOf = (intercept: number, value: number): Broadcast => ({
    curves: Float64Array.from({ length: 1 + all }, (_, i) => (i === 0 ? intercept : value)),
  });

  it("is √(5m)/4 in the first one, whatever is told, and every record has it", async () => {
    expect(first!.sensitivitySquared).toBe(3 * (2 ** 38 + 2 ** 36));
    expect(await largestChange(noisy, first!.id, sure)).toBe(bound(first));
    expect(await largestChange(noisy, first!.id, curvesOf(32, 32))).toBe(bound(first));
  });

  it("is √m in all later ones, attained where the model is sure and wrong", async () => {
    expect(second!.sensitivitySquared).toBe(3 * 4 ** 20);
    expect(await largestChange(noisy, second!.id, curvesOf(32, 32))).toBe(bound(second));
    expect(await largestChange(noisy, second!.id, curvesOf(-32, -32))).toBe(bound(second));
    for (const margin of [0, 0.5, 1.25, 3, 12])
      expect(await largestChange(noisy, second!.id, curvesOf(margin, -0.125))).toBeLessThanOrEqual(
        bound(second),
      );
  });

  it("would be broken by the first epoch's bound in a later one", async () => {
    expect(await largestChange(noisy, second!.id, curvesOf(32, 0))).toBeGreaterThan(bound(first));
  });
});

import type { StageId } from "@consilium/core/ids";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { describe, expect, it } from "vitest";
import { blockOf, testRows, testStudy } from "../testing/histBoost/study.js";
import { histBoostVector } from "../testing/vectors.js";
import { histBoostLayout } from "./study.js";

const kernels = plainKernels();
const study = testStudy({ trees: 2, depth: 1, evaluation: { heldOut: 0.3 } });
const { stages } = histBoostLayout(study);

/** What is told at each stage after the first. */
const honest: readonly (readonly [StageId, Broadcast])[] = [
  [stages[1]!.id, { splits: Float64Array.of(0, 3) }],
  [stages[2]!.id, { leaves: Float64Array.of(-0.5, 0.5) }],
  [stages[3]!.id, { splits: Float64Array.of(2, 1) }],
  [
    "evaluation" as StageId,
    { leaves: Float64Array.of(1, -1), cuts: Float64Array.from({ length: 19 }, (_, i) => (i - 9) / 5) },
  ],
];
const random = seededRandom("a site");
const vector = (
  id: StageId,
  change: { blocks?: readonly ColumnBlock[]; told?: readonly (readonly [StageId, Broadcast])[] } = {},
) =>
  histBoostVector(study, id, {
    broadcasts: new Map(change.told ?? honest),
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

  it("has rows of one class alone, and of a level that nobody else has", async () => {
    const rows = testRows(50).map(({ values }) => ({
      values: [values[0]!, values[1]!, 2],
      label: 1 as const,
    }));
    const sums = await vector(stages[3]!.id, { blocks: [blockOf(rows)] });
    const [n0, p0, n1, p1] = Array.from(sums, Number);
    expect([n0, n1]).toEqual([0, 0]);
    expect(p0! + p1!).toBeGreaterThan(0);
  });

  it("adds each row's weight: 16 where F is wrong or 0, ⌊16/√e⌋ = 9 where F = ½ is right", async () => {
    const row = (a: number, label: 0 | 1) => blockOf([{ values: [a, 0.9, 1], label }]);
    const leaves = async (a: number, label: 0 | 1) =>
      Array.from(await vector(stages[3]!.id, { blocks: [row(a, label)] }), Number);
    // Right of the first tree's cut F = ½; level y goes left in the second.
    const seen = [await leaves(6.1, 1), await leaves(6.2, 0), await leaves(1.1, 0), await leaves(1.3, 1)];
    for (const one of seen) expect([0, 9, 16]).toContain(one[0]! + one[1]!);
    expect(seen.flat().filter((count) => count === 9)).not.toHaveLength(0);
    expect(seen.flat().filter((count) => count === 16)).not.toHaveLength(0);
  });

  it("refuses what no honest aggregator sends, before it reads a row", async () => {
    const untouched = {
      // biome-ignore lint/correctness/useYield: it must not come so far
      blocks: (async function* (): AsyncGenerator<ColumnBlock> {
        throw new Error("the table was read");
      })(),
    };
    const hostile: [stage: number, Broadcast][] = [
      [1, { splits: Float64Array.of(3, 0) }],
      [1, { splits: Float64Array.of(0, 7) }],
      [1, { splits: Float64Array.of(0, 0.5) }],
      [1, { splits: Float64Array.of(-1, 0) }],
      [1, { splits: Float64Array.of(0) }],
      [2, { leaves: Float64Array.of(0.1, 0) }],
      [2, { leaves: Float64Array.of(Number.NaN, 0) }],
      [2, { leaves: Float64Array.of(Number.POSITIVE_INFINITY, 0) }],
      [2, { leaves: Float64Array.of(33, 0) }],
      [2, { leaves: Float64Array.of(0, 0, 0) }],
    ];
    for (const [at, told] of hostile) {
      const broadcasts = new Map(honest);
      broadcasts.set(stages[at]!.id, told);
      await expect(
        histBoostVector(study, stages[3]!.id, { broadcasts, kernels, random, ...untouched }),
      ).rejects.toMatchObject({ code: "BROADCAST_INVALID" });
    }
    await expect(
      histBoostVector(study, stages[3]!.id, { broadcasts: new Map(), kernels, random, ...untouched }),
    ).rejects.toMatchObject({ code: "FIELD_INVALID" });
    await expect(vector("moments" as StageId)).rejects.toMatchObject({ code: "MESSAGE_UNEXPECTED" });
  });

  it("takes more rows than the study declares where it has noise: a refusal would tell of them", async () => {
    const blocks = Array.from({ length: 11 }, () => blockOf(testRows(500)));
    const noisy = testStudy(
      { trees: 2, depth: 1, evaluation: { heldOut: 0.3 } },
      { privacy: { epsilon: 1, delta: 1e-5 } },
    );
    const ask = (of: typeof study, id: StageId, some: readonly ColumnBlock[]) =>
      histBoostVector(of, id, { broadcasts: new Map(honest), blocks: streamed(some), kernels, random });
    for (const id of [stages[0]!.id, "evaluation" as StageId]) {
      const one = await ask(noisy, id, blocks.slice(0, 1));
      expect(await ask(noisy, id, blocks)).toEqual(one.map((entry) => 11n * entry));
      await expect(ask(study, id, blocks)).rejects.toMatchObject({ code: "ROWS_TOO_MANY" });
    }
  });
});

import { simulateSums, streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { exceeds } from "@consilium/core/privacy/quantise";
import type { RandomSource } from "@consilium/core/random";
import { planStudy } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { objectiveAt } from "../shared/local-learning/fwell.js";
import { marginsOf, nearestNeighbours } from "../shared/local-learning/neighbours.js";
import { featureOfColumn, readUnitTable } from "../shared/local-learning/unitRows.js";
import { blockSums, blocksOfRows, type TestRecord, testRecords } from "../testing/felp/tables.js";
import { featureSelectionStudy, type TestStudy } from "../testing/study/featureSelection.js";
import { felpSVector } from "../testing/vectors.js";
import { type FelpSResult, felpSConversation } from "./blocks.js";
import { asFelpS, type FelpSStudy } from "./study.js";

const kernels = plainKernels();
const pause = async () => {};

const studyOf = (options: TestStudy = {}): FelpSStudy =>
  asFelpS(featureSelectionStudy({ method: "felp-s", ...options }));

const tableOf = (study: FelpSStudy, records: readonly TestRecord[]) =>
  readUnitTable(study, streamed(blocksOfRows(records, 11)));

function simulate(
  study: FelpSStudy,
  tables: readonly (readonly TestRecord[])[],
  random: RandomSource,
): Promise<FelpSResult> {
  return simulateSums({
    plan: planStudy(study),
    tables: tables.map((records) => blocksOfRows(records, 17)),
    kernels,
    random,
    vector: (stage, input) => felpSVector(study, stage, input),
    run: (conversation) => felpSConversation(study, conversation),
  });
}

describe("felp-s", () => {
  it("adds for each block its own FWELL's weights, cut at 0, of length 1", async () => {
    const study = studyOf({ parameters: { blocks: 3 } });
    const records = testRecords(70, "blocks");
    const blocks = Uint32Array.from(records, (_, i) => (i * i) % 3);
    const sums = await blockSums({ study, table: await tableOf(study, records), blocks });
    const expected = [0, 0, 0];
    for (const block of [0, 1, 2]) {
      const part = await tableOf(
        study,
        records.filter((_, i) => blocks[i] === block),
      );
      if (part.rows === 0) continue;
      const margins = marginsOf({
        table: part,
        neighbours: await nearestNeighbours(part, 1, pause),
        counts: new Uint32Array(part.rows).fill(1),
        featureOf: featureOfColumn(study.features),
        features: 3,
      });
      // The minimum by plain gradient descent instead of Newton's method.
      let w = new Float64Array(3);
      for (let step = 0; step < 3000; step++) {
        const { gradient } = objectiveAt(margins, study.parameters.lambda, w);
        w = w.map((value, j) => value - gradient[j]!);
      }
      const positive = w.map((value) => Math.max(0, value));
      positive.forEach((value, j) => {
        expected[j]! += value / Math.hypot(...positive);
      });
    }
    sums.forEach((sum, j) => {
      expect(Math.abs(sum / 2 ** 20 - expected[j]!)).toBeLessThan(1e-5);
    });
  });

  it("gives a block whose rows tell nothing apart no vote, and never a negative or too long one", async () => {
    const study = studyOf({ parameters: { blocks: 1 } });
    const one = testRecords(12, "one").map((record) => ({ ...record, label: 0 }));
    const blocks = new Uint32Array(12);
    expect([...(await blockSums({ study, table: await tableOf(study, one), blocks }))]).toEqual([0, 0, 0]);
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.integer({ min: 0, max: 15 }), async (seed, rows) => {
        const records = testRecords(rows, seed);
        const sums = await blockSums({
          study,
          table: await tableOf(study, records),
          blocks: new Uint32Array(rows),
        });
        expect(exceeds(sums, 2 ** 40)).toBe(false);
        expect(Math.min(...sums)).toBeGreaterThanOrEqual(0);
        expect([...sums].every(Number.isSafeInteger)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it("draws the block of every row anew, from the source of randomness alone", async () => {
    const study = studyOf({ parameters: { blocks: 4 } });
    const records = testRecords(60, "draws");
    const ask = (random: RandomSource) =>
      felpSVector(study, planStudy(study).stages[0]!.id, {
        blocks: streamed(blocksOfRows(records, 9)),
        kernels,
        random,
      });
    const first = await ask(seededRandom("a"));
    expect(await ask(seededRandom("a"))).toEqual(first);
    expect(await ask(seededRandom("b"))).not.toEqual(first);
  });

  it("ranks first what tells the classes apart, and averages over all blocks of all sites", async () => {
    const tables = ["a", "b", "c", "d"].map((seed) => testRecords(80, seed));
    const study = studyOf({ parameters: { blocks: 4 } });
    const { weights, blocks, noise } = await simulate(study, tables, seededRandom("rank"));
    expect(noise).toBeNull();
    expect(blocks).toBe(16);
    expect(weights[0]).toBeGreaterThan(weights[1]!);
    expect(weights[1]).toBeGreaterThan(weights[2]!);
    expect(Math.hypot(...weights)).toBeLessThanOrEqual(1);
    const withEmpty = await simulate(study, [...tables, []], seededRandom("rank"));
    withEmpty.weights.forEach((weight, j) => {
      expect(weight).toBeCloseTo(0.8 * weights[j]!, 12);
    });
  });

  it("with noise is as far off as it says", async () => {
    const study = studyOf({ parameters: { blocks: 1 }, privacy: { epsilon: 2, delta: 1e-5 } });
    let squares = 0;
    const runs = 200;
    for (let run = 0; run < runs; run++) {
      // No rows: nothing but noise.
      const { weights, noise } = await simulate(study, [[], [], []], seededRandom(`run ${run}`));
      weights.forEach((weight, j) => {
        squares += (weight / noise!.stdDev[j]!) ** 2;
      });
    }
    expect(Math.abs(squares / (3 * runs) - 1)).toBeLessThan(5 * Math.sqrt(2 / (3 * runs)));
  });
});

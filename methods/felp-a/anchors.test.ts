import { simulateSums, streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { exceeds } from "@consilium/core/privacy/quantise";
import type { RandomSource } from "@consilium/core/random";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import { noiseStdDev } from "@consilium/core/study/soundSums";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blockOf, blocksOfRows, type TestRecord, testRecords } from "../testing/felp/tables.js";
import { featureSelectionStudy, type TestStudy } from "../testing/study/featureSelection.js";
import { felpAVector } from "../testing/vectors.js";
import { anchoredMargins, weightsMost } from "./anchors.js";
import { type FelpAResult, felpAConversation, noisyRows } from "./conversation.js";
import { asFelpA, type FelpAStudy, felpALayout, felpANames, felpAStages } from "./study.js";

const kernels = plainKernels();
const site = { kernels, random: seededRandom("a site") };
const untouched: RandomSource = {
  bytes() {
    throw new Error("nothing is drawn here");
  },
};

const studyOf = (options: TestStudy = {}): FelpAStudy => asFelpA(featureSelectionStudy(options));

function simulate(
  study: FelpAStudy,
  tables: readonly (readonly ColumnBlock[])[],
  random = untouched,
): Promise<FelpAResult> {
  return simulateSums({
    plan: planStudy(study),
    tables,
    kernels,
    random,
    vector: (stage, input) => felpAVector(study, stage, input),
    run: (conversation) => felpAConversation(study, conversation),
  });
}

/** The records, dealt out to sites in some way. */
function dealt(records: readonly TestRecord[], sites: number, rows: number): ColumnBlock[][] {
  return Array.from({ length: sites }, (_, s) =>
    blocksOfRows(
      records.filter((_, i) => (i * 7) % sites === s),
      rows,
    ),
  );
}

/** An independent reading with real numbers, T = 1, no noise: class means, nearest other one, mean margin. */
function naive(study: FelpAStudy, records: readonly TestRecord[], classes: number): number[] {
  const { radius, clip, centre } = felpALayout(study);
  const unit = ({ values: [a, b, c] }: TestRecord) => [
    a,
    (b + 2) / 4,
    ...[0, 1, 2].map((l) => (c === l ? 0.5 : 0)),
  ];
  const own = (label: number) => records.filter((record) => record.label === label).map(unit);
  const means = Array.from({ length: classes }, (_, label) => {
    const rows = own(label).map((row) => {
      const offset = row.map((value, j) => value - centre[j]!);
      const shorter = Math.min(1, radius / Math.hypot(...offset));
      return offset.map((value) => value * shorter);
    });
    return [0, 1, 2, 3, 4].map(
      (j) => centre[j]! + rows.reduce((sum, row) => sum + row[j]!, 0) / Math.max(1, rows.length),
    );
  });
  const present = means.map((_, label) => own(label).length > 0);
  const sum = [0, 0, 0];
  for (const record of records) {
    const row = unit(record);
    const others = means
      .map((mean, label) => ({ label, mean, distance: Math.hypot(...row.map((x, j) => x - mean[j]!)) }))
      .filter(({ label }) => label !== record.label && present[label]);
    const miss = others.sort((x, y) => x.distance - y.distance)[0];
    if (miss === undefined) continue;
    const gap = row.map((x, j) => Math.abs(x - miss.mean[j]!) - Math.abs(x - means[record.label]![j]!));
    const z = [gap[0]!, gap[1]!, gap[2]! + gap[3]! + gap[4]!];
    const shorter = Math.min(1, clip / Math.hypot(...z));
    z.forEach((value, j) => {
      sum[j]! += value * shorter;
    });
  }
  return sum.map((value) => value / records.length);
}

describe("felp-a", () => {
  it("measures margins from anchors: x = (0.9, 0.2) between (1, 0) and (0, 1) has z = (0.8, 0.6)", () => {
    const out = new Float64Array(2);
    const taken = anchoredMargins({
      row: Float64Array.of(0.9, 0.2),
      label: 0,
      anchors: { prototypes: Float64Array.of(1, 0, 0, 1), present: [true, true] },
      featureOf: Uint32Array.of(0, 1),
      out,
    });
    expect(taken).toBe(true);
    expect(out[0]).toBeCloseTo(0.8, 12);
    expect(out[1]).toBeCloseTo(0.6, 12);
  });

  it("without noise is what a naive central program computes, over 3 to 20 sites", async () => {
    for (const [sites, classes] of [
      [3, 2],
      [8, 3],
      [20, 2],
    ] as const) {
      const levels = Array.from({ length: classes }, (_, l) => `l${l}`);
      for (const parameters of [{}, { radius: 0.3, clip: 0.2, centre: 0.4, kappa: 0.3 }]) {
        const study = studyOf({ levels, parameters });
        const records = testRecords(150, `${sites}`, classes);
        const { weights, noise } = await simulate(study, dealt(records, sites, 9));
        expect(noise).toBeNull();
        const expected = naive(study, records, classes);
        weights.forEach((weight, j) => {
          // Prototypes are cut to 2^-24, records to 2^-20 of R and of C.
          expect(Math.abs(weight - expected[j]!)).toBeLessThan(1e-5);
        });
      }
    }
  });

  it("gives the same to the last bit for any split and order of the rows, in one round and in several", async () => {
    const records = testRecords(60, "split");
    for (const rounds of [1, 3]) {
      const study = studyOf({ parameters: { rounds } });
      const once = await simulate(study, dealt(records, 3, 1000));
      await fc.assert(
        fc.asyncProperty(
          fc.shuffledSubarray(records, { minLength: 60 }),
          fc.integer({ min: 1, max: 12 }),
          fc.integer({ min: 1, max: 30 }),
          async (shuffled, sites, rows) => {
            expect(await simulate(study, dealt(shuffled, sites, rows))).toEqual(once);
          },
        ),
        { numRuns: 8 },
      );
    }
  });

  it("nears the minimum of the margins' objective in many rounds", async () => {
    const records = testRecords(80, "descent");
    const study = studyOf({ parameters: { rounds: 50, lambda: 0.05 } });
    const { weights } = await simulate(study, dealt(records, 4, 100));
    const first = await simulate(studyOf(), dealt(records, 4, 100));
    expect(weights[0]).toBeGreaterThan(weights[1]!);
    // At the minimum w = mean(sigm(-w'z) z)/(2λ): a positive part of the mean margin, here close to it in direction.
    expect(weights[0]! / weights[1]!).toBeCloseTo(first.weights[0]! / first.weights[1]!, -1);
    expect(Math.max(...weights)).toBeLessThanOrEqual(weightsMost(study));
  });

  it("takes every table: none at all, one class only, an unknown level", async () => {
    const study = studyOf({ levels: ["no", "yes", "never"] });
    const records = testRecords(40, "odd");
    const odd = { ...blockOf(records), columns: blockOf(records).columns.map((column) => column.slice()) };
    odd.columns[2]!.fill(7);
    const ones = records.map((record) => ({ ...record, label: 1 }));
    const result = await simulate(study, [[], [blockOf(records)], [blockOf(ones)], [odd]]);
    expect(result.classes.map(({ present }) => present)).toEqual([true, true, false]);
    expect(result.weights[0]).toBeGreaterThan(0);
    const single = await simulate(study, [[], [blockOf(ones)], [blockOf(ones)]]);
    expect(single.classes.map(({ present }) => present)).toEqual([false, true, false]);
    expect([...single.weights]).toEqual([0, 0, 0]);
    const none = await simulate(study, [[], [], []]);
    expect(none.classes.every(({ present }) => !present)).toBe(true);
  });

  it("adds no more than Δ for any record, of any numbers", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -1e9, max: 1e9, noNaN: true }),
        fc.double({ min: -1e9, max: 1e9, noNaN: true }),
        fc.integer({ min: 0, max: 2 }),
        fc.integer({ min: 0, max: 1 }),
        async (a, b, c, label) => {
          const study = studyOf({ parameters: { rounds: 2 } });
          const { prototypes, margins } = felpALayout(study);
          const table = [blockOf([{ values: [a, b, c], label }])];
          const told = {
            [felpANames.prototypes]: Float64Array.of(1, 0, 0.5, 0, 0, 0, 1, 0, 0.5, 0),
            [felpANames.present]: Float64Array.of(1, 1),
          };
          const weighed = { ...told, [felpANames.weights]: Float64Array.of(-3, 2, 0.5) };
          for (const [stage, broadcast] of [
            [prototypes, {}],
            [margins[0]!, told],
            [margins[1]!, weighed],
          ] as const) {
            const broadcasts = new Map([[stage.id, broadcast]]);
            const vector = await felpAVector(study, stage.id, {
              ...site,
              broadcasts,
              blocks: streamed(table),
            });
            const integers = Float64Array.from(new BigInt64Array(vector.buffer), Number);
            expect(exceeds(integers, stage.sensitivitySquared)).toBe(false);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("adds the noise of the plan to margins against the prototypes that it published", async () => {
    const tables = dealt(testRecords(150, "noise"), 4, 100);
    const study = studyOf({ privacy: { epsilon: 8, delta: 1e-5 } });
    const stage = felpALayout(study).margins[0]!;
    const stdDev = noiseStdDev(study, stage, 4) / stage.integersPerUnit;
    let squares = 0;
    const runs = 100;
    for (let run = 0; run < runs; run++) {
      const { weights, classes } = await simulate(study, tables, seededRandom(`run ${run}`));
      const told = {
        [felpANames.prototypes]: Float64Array.from(classes.flatMap(({ prototype }) => [...prototype])),
        [felpANames.present]: Float64Array.from(classes, ({ present }) => Number(present)),
      };
      const exact = new Float64Array(3);
      for (const table of tables) {
        const broadcasts = new Map([[stage.id, told]]);
        const vector = await felpAVector(study, stage.id, { ...site, broadcasts, blocks: streamed(table) });
        for (const [j, value] of new BigInt64Array(vector.buffer).entries()) {
          exact[j] = exact[j]! + Number(value) / stage.integersPerUnit;
        }
      }
      weights.forEach((weight, j) => {
        squares += (weight * noisyRows(classes) - exact[j]!) ** 2 / stdDev ** 2;
      });
    }
    expect(Math.abs(squares / (3 * runs) - 1)).toBeLessThan(5 * Math.sqrt(2 / (3 * runs)));
  });

  it("has intervals that hold the weight without any noise, that of the prototypes included", async () => {
    const tables = dealt(testRecords(400, "intervals"), 4, 200);
    const exact = await simulate(studyOf(), tables);
    const study = studyOf({ privacy: { epsilon: 4, delta: 1e-5 } });
    const runs = 150;
    let within = 0;
    for (let run = 0; run < runs; run++) {
      const { weights, noise } = await simulate(study, tables, seededRandom(`interval ${run}`));
      weights.forEach((weight, j) => {
        if (Math.abs(weight - exact.weights[j]!) <= noise!.halfWidth * noise!.stdDev[j]!) within++;
      });
    }
    // To first order and rather too wide: of 450 intervals 0.95 less five standard deviations.
    expect(within / (3 * runs)).toBeGreaterThan(0.9);
  });

  it("takes rows beyond what the study declares, and counts no row that holds no number", async () => {
    const study = studyOf({ participation: { maxRowsPerSite: 5 }, privacy: { epsilon: 1, delta: 1e-5 } });
    const ask = (records: readonly TestRecord[]) =>
      felpAVector(study, felpAStages.prototypes, {
        ...site,
        broadcasts: new Map(),
        blocks: streamed(blocksOfRows(records, 2)),
      });
    const [all, first, rest] = await Promise.all(
      [[0, 6] as const, [0, 2] as const, [2, 6] as const].map(([from, to]) =>
        ask(testRecords(6, "many").slice(from, to)),
      ),
    );
    expect(all).toEqual(first!.map((entry, j) => BigInt.asUintN(64, entry + rest![j]!)));
    const broken = testRecords(3, "nan").map((record) => ({
      ...record,
      values: [0, Number.NaN, 0] as const,
    }));
    expect((await ask(broken)).every((sum) => sum === 0n)).toBe(true);
  });
});

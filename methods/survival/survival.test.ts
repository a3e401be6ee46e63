import { seededRandom } from "@consilium/core/testing/privacy/random";
import { describe, expect, it } from "vitest";
import {
  type Followed,
  followedBlock,
  followedRows,
  simulateSurvival,
  survivalSource,
  survivalTestStudy,
} from "../testing/survival/study.js";
import { type CurvePoint, medianSurvival } from "./curve.js";

const unused = {
  bytes: () => {
    throw new Error("nothing is drawn");
  },
};

const dealt = (rows: readonly Followed[], arms = true) =>
  [0, 1, 2].map((site) => [
    followedBlock(
      rows.filter((_, i) => ((i * 7) % 5) % 3 === site),
      arms,
    ),
  ]);

const tableOf = (points: readonly CurvePoint[]) =>
  points.map((point) => [
    point.atRisk,
    point.events,
    point.censored,
    point.survival.value,
    point.hazard.value,
    point.samplingStdDev,
  ]);

function expectTable(points: readonly CurvePoint[], expected: readonly (readonly number[])[]): void {
  const table = tableOf(points);
  expect(table).toHaveLength(expected.length);
  table.forEach((row, b) => {
    row.forEach((value, k) => {
      expect(value, `interval ${b}, number ${k}`).toBeCloseTo(expected[b]![k]!, 10);
    });
  });
}

/**
 * At risk, events, censored, survival, cumulative hazard and Greenwood's standard deviation of each interval: computed by numpy
 * from the rows themselves, not from counts.
 */
const oracle = {
  standard: [
    [160, 10, 7, 0.936102236422, 0.0658132185696, 0.0195500242089],
    [143, 2, 6, 0.92272934733, 0.080150381716, 0.0214359754444],
    [135, 20, 16, 0.777417639089, 0.250775898747, 0.0348666439538],
    [99, 19, 19, 0.612379257606, 0.487905692036, 0.0433998210019],
    [61, 22, 13, 0.365180291233, 0.998731315802, 0.0482304606334],
    [26, 16, 5, 0.116546901457, 2.09734360447, 0.0383408170014],
  ],
  new: [
    [80, 6, 3, 0.923566878981, 0.0789884113186, 0.0299874918787],
    [71, 8, 2, 0.818016378526, 0.199434564394, 0.0440330543692],
    [61, 6, 2, 0.736214740673, 0.303877227762, 0.0507370002438],
    [53, 3, 11, 0.689716967578, 0.3684157489, 0.0541711025976],
    [39, 7, 4, 0.559229973712, 0.575029998263, 0.0624612682472],
    [28, 3, 3, 0.495920920084, 0.692813033919, 0.0652137839758],
  ],
  all: [
    [240, 16, 10, 0.931914893617, 0.0703586809412, 0.0164316151771],
    [214, 10, 8, 0.887537993921, 0.119030087317, 0.0207954173855],
    [196, 26, 18, 0.764136989419, 0.268303790065, 0.0287194834],
    [152, 22, 30, 0.641428859731, 0.44265717721, 0.033995455911],
    [100, 29, 17, 0.438134467029, 0.821311027867, 0.0388929008172],
    [54, 19, 8, 0.271643369558, 1.29329681832, 0.0385485367726],
  ],
};

describe("survival without noise", () => {
  it("is what an independent program computes of all rows at one place, by groups", async () => {
    const { curves, logRank, stdDev } = await simulateSurvival({
      study: survivalTestStudy(),
      tables: dealt(followedRows),
      random: unused,
    });
    expect(stdDev).toBe(0);
    expectTable(curves[0]!, oracle.standard);
    expectTable(curves[1]!, oracle.new);
    expect(logRank).toMatchObject({ degreesOfFreedom: 1, intervals: 6 });
    expect(logRank!.observed[0]).toBe(89);
    expect(logRank!.expected[0]).toBeCloseTo(75.55522664373649, 9);
    expect(logRank!.statistic).toBeCloseTo(8.072085758794406, 9);
    expect(logRank!.pValue).toBeCloseTo(0.004495234367805269, 12);
  });

  it("is the same of one group, which nothing is compared with", async () => {
    const study = survivalTestStudy({ features: survivalSource.features.slice(0, 1) });
    const { curves, logRank } = await simulateSurvival({
      study,
      tables: dealt(followedRows, false),
      random: unused,
    });
    expectTable(curves[0]!, oracle.all);
    expect(logRank).toBeNull();
    const { value, low, high } = medianSurvival(curves[0]!);
    // From .641 to .438 between months 36 and 48.
    expect(value).toBeCloseTo(36 + (12 * (0.641428859731 - 0.5)) / (0.641428859731 - 0.438134467029), 9);
    expect([low, high]).toEqual([36, 60]);
  });

  it("ends where nobody is at risk any more, and has no curve of nobody", async () => {
    const early = followedRows.map((row): Followed => ({ ...row, months: row.months / 3, arm: 0 }));
    const { curves, logRank } = await simulateSurvival({
      study: survivalTestStudy(),
      tables: dealt(early),
      random: unused,
    });
    // The longest follow-up is 26.5 months.
    expect(curves[0]!.at(-1)!.to).toBe(36);
    expect(curves[1]).toEqual([]);
    expect(logRank).toBeNull();
  });
});

describe("survival with noise", () => {
  it("tells two arms apart that differ much, and its curves lie within their intervals of the exact ones", async () => {
    const many = Array.from({ length: 12 }, () => followedRows).flat();
    const study = survivalTestStudy({ privacy: { epsilon: 2, delta: 1e-6 } });
    const { curves, logRank } = await simulateSurvival({
      study,
      tables: dealt(many),
      random: seededRandom("three sites"),
    });
    expect(logRank!.pValue).toBeLessThan(0.001);
    const values = [oracle.standard, oracle.new].map((rows) => rows.map((row) => row[3]!));
    curves.forEach((points, g) => {
      points.forEach(({ survival, noiseStdDev }, b) => {
        expect(noiseStdDev).toBeGreaterThan(0);
        expect(survival.low).toBeLessThan(values[g]![b]!);
        expect(survival.high).toBeGreaterThan(values[g]![b]!);
      });
    });
  });

  it("has no curve where nobody took part", async () => {
    const { curves, logRank } = await simulateSurvival({
      study: survivalTestStudy({ privacy: { epsilon: 1, delta: 1e-6 } }),
      tables: [[], [], []],
      random: seededRandom("empty"),
    });
    expect(curves.flat().length).toBeLessThanOrEqual(1);
    expect(logRank).toBeNull();
  });
});

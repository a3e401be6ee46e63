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
    point.restrictedMean.value,
    point.samplingStdDev,
  ]);

function expectTable(points: readonly CurvePoint[], expected: readonly (readonly number[])[]): void {
  const table = tableOf(points);
  expect(table).toHaveLength(expected.length);
  table.forEach((row, b) => {
    row.forEach((value, k) => {
      expect(value, `interval ${b}, number ${k}`).toBeCloseTo(expected[b]![k]!, 9);
    });
  });
}

/**
 * At risk, events, censored, survival, cumulative hazard, restricted mean and the sampling deviation of survival of each interval: computed by numpy
 * from the rows themselves, not from counts, and the deviation by differences.
 */
const oracle = {
  standard: [
    [160, 10, 7, 0.936059729323, 0.0658581808061, 5.80606688329, 0.0195650775293],
    [143, 2, 6, 0.922684010007, 0.0801990295261, 11.3822018468, 0.0214502198579],
    [135, 20, 17, 0.775996293621, 0.252585565819, 21.5488989722, 0.035102663875],
    [98, 19, 18, 0.608315867633, 0.494460379169, 29.8139898254, 0.0438491621218],
    [61, 22, 13, 0.355904630832, 1.02364991403, 35.4646559812, 0.0487551846422],
    [26, 16, 5, 0.101346156228, 2.22166640222, 37.8965093151, 0.0373771938044],
  ],
  new: [
    [80, 6, 3, 0.923518446408, 0.0790398231497, 5.76751305172, 0.0300096658852],
    [71, 8, 2, 0.817904812422, 0.19956804306, 10.9853712902, 0.0440634419594],
    [61, 6, 2, 0.736058427401, 0.304084683743, 20.3005227343, 0.0507691372242],
    [53, 3, 11, 0.689234517056, 0.36909489417, 28.8492029846, 0.0542701094615],
    [39, 7, 4, 0.558200353404, 0.576801811663, 36.3062023218, 0.062630435226],
    [28, 3, 3, 0.49479172963, 0.694996200696, 42.6165107951, 0.065356247649],
  ],
  all: [
    [240, 16, 10, 0.931870157736, 0.0704063699555, 5.79320699085, 0.0164441497735],
    [214, 10, 8, 0.887476129738, 0.119099318322, 11.2501624187, 0.0208082452661],
    [196, 26, 19, 0.763319786558, 0.269365917552, 21.1362340677, 0.0288262292287],
    [151, 22, 29, 0.638999882376, 0.446413245864, 29.5280630171, 0.0342415046425],
    [100, 29, 17, 0.433303798629, 0.832212240409, 35.8821795886, 0.0391899677134],
    [54, 19, 8, 0.26604590186, 1.31355591607, 39.9970160508, 0.0386095005951],
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
    expect(logRank!.expected[0]).toBeCloseTo(75.5049209435874, 9);
    expect(logRank!.halfInterval.statistic).toBeCloseTo(8.12925294955655, 9);
    expect(logRank!.halfInterval.pValue).toBeCloseTo(0.00435566902893126, 12);
    expect(logRank!.constantHazards.statistic).toBeCloseTo(11.2667754433303, 9);
    expect(logRank!.constantHazards.pValue).toBeCloseTo(0.000789066749887429, 12);
    expect(logRank!.decision).toBe("differ");
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
    expect(value).toBeCloseTo(43.57739497157123, 9);
    expect([low, high]).toEqual([36, 60]);
  });

  it("ends where nobody is at risk any more, and has no curve of nobody", async () => {
    const early = followedRows.map((row): Followed => ({ ...row, months: row.months / 3, arm: 0 }));
    const { curves, logRank } = await simulateSurvival({
      study: survivalTestStudy(),
      tables: dealt(early),
      random: unused,
    });
    // The longest follow-up is 26.5 months, and its interval is the last one.
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
    expect(logRank!.halfInterval.pValue).toBeLessThan(0.001);
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

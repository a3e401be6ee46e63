import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { nearestCounts } from "../shared/counts/nearestCounts.js";
import { normalStream } from "../shared/draws/gaussian.js";
import type { Estimate } from "../shared/evaluation/estimate.js";
import { RecordSums, tableStudy } from "../testing/describe.js";
import { consistentTables } from "./consistent.js";
import { describeResult } from "./conversation.js";
import { cellStatistics } from "./statistics.js";
import { asDescribe, describeLayout } from "./study.js";

/**
 * How often intervals of 95 % hold what they are about: 1,200 draws tell 95 % from 93 % by three standard deviations. Draws are by fixed
 * seeds, so the test does not fail by chance.
 */

const draws = 1200;
const edges = [0, 10, 20, 25, 30, 40, 50, 70, 100];
/** The population's part in each interval, the missing ones last; evenly spread within. */
const parts = [0, 0.05, 0.15, 0.25, 0.3, 0.12, 0.06, 0.02, 0.05];
const present = 0.95;

const study = tableStudy(asDescribe, {
  features: [
    { name: "age", type: "numeric", min: 0, max: 100, edges: edges.slice(1, -1) },
    { name: "sex", type: "categorical", levels: ["f", "m"] },
  ],
  label: undefined,
  parameters: { tables: [["age", "sex"]] },
});
const layout = describeLayout(study);

const moment = (of: (from: number, to: number) => number) =>
  parts.slice(0, -1).reduce((sum, part, b) => sum + (part / present) * of(edges[b]!, edges[b + 1]!), 0);
const mean = moment((from, to) => (from + to) / 2);
const truth = {
  mean,
  stdDev: Math.sqrt(moment((from, to) => ((from + to) / 2 - mean) ** 2 + (to - from) ** 2 / 12)),
  quartiles: [0.25, 0.5, 0.75].map((q) => {
    let left = q * present;
    const b = parts.findIndex((part) => {
      left -= part;
      return left <= 0;
    });
    return edges[b + 1]! + (left / parts[b]!) * (edges[b + 1]! - edges[b]!);
  }),
};

/** Of an age's own counts, of which noise is told in 28ths. */
const perUnit = layout.marginals[0]!.weight / 28;

/** @param stated - the standard deviation of the noise that intervals are computed with */
function simulate(records: number, stdDev: number, seed: string, stated = stdDev) {
  const uniform = seedrandom(seed);
  const normal = normalStream(() => uniform.double());
  const hits = new Map<string, number>();
  const held = (what: string, { low, high }: Pick<Estimate, "low" | "high">, value: number) => {
    hits.set(what, (hits.get(what) ?? 0) + (low <= value && value <= high ? 1 : 0));
  };
  for (let draw = 0; draw < draws; draw++) {
    const sums = new RecordSums(study);
    const actual = new Float64Array(parts.length);
    for (let r = 0; r < records; r++) {
      let place = uniform.double();
      const cell = parts.findIndex((part) => {
        place -= part;
        return place < 0;
      });
      const own = cell === -1 ? parts.length - 1 : cell;
      actual[own]!++;
      const isMissing = own === parts.length - 1;
      const age = isMissing ? Number.NaN : edges[own]! + uniform.double() * (edges[own + 1]! - edges[own]!);
      sums.add([age, uniform.double() < 0.4 ? 0 : 1]);
    }
    const deviation = stdDev * perUnit;
    const { columns } = describeResult(
      study,
      sums.opened(() => deviation * normal()),
      stated * perUnit,
    );
    const { counts, shares, numbers } = columns[0]!.all;
    held("count of a large cell", counts[4]!, actual[4]!);
    held("count of an empty cell", counts[0]!, 0);
    held("share of a large cell", shares[3]!, parts[3]! / present);
    held("share of a small cell", shares[7]!, parts[7]! / present);
    held("share missing", shares[8]!, parts[8]!);
    held("mean", numbers!.mean, truth.mean);
    held("standard deviation", numbers!.stdDev, truth.stdDev);
    held("lower quartile", numbers!.lowerQuartile, truth.quartiles[0]!);
    held("median", numbers!.median, truth.quartiles[1]!);
    held("upper quartile", numbers!.upperQuartile, truth.quartiles[2]!);
  }
  return Object.fromEntries([...hits].map(([what, count]) => [what, count / draws]));
}

/** Quartiles' intervals end at edges, counts at 0, and the fourth moment of a standard deviation is the largest that noise allows: all cover more. */
const mayCoverMore = new Set([
  "count of an empty cell",
  "standard deviation",
  "share of a small cell",
  "lower quartile",
  "median",
  "upper quartile",
]);

describe("intervals of 95 %", () => {
  // In units of the sum: the column's own counts have a quarter to a sixth of it.
  it.each([
    ["little noise", 600, 30],
    ["more noise than that", 400, 700],
    ["no noise", 300, 0],
  ])("hold at their rate with %s", (_, records, stdDev) => {
    const rates = simulate(records, stdDev, `coverage ${records} ${stdDev}`);
    for (const [what, rate] of Object.entries(rates)) {
      // Of a standard deviation samples of some hundred tell less.
      expect(rate, what).toBeGreaterThanOrEqual(what === "standard deviation" ? 0.92 : 0.93);
      if (!mayCoverMore.has(what) && stdDev > 0) expect(rate, what).toBeLessThanOrEqual(0.975);
    }
  });

  it("would not if they left the noise out", () => {
    const rates = simulate(400, 700, "coverage without the noise", 1);
    for (const what of ["count of a large cell", "share of a large cell", "mean", "median"])
      expect(rates[what], what).toBeLessThan(0.9);
  });

  it("are all that is declared where noise hides how many records there are", () => {
    const sums = new Float64Array(layout.stage.length).fill(-3);
    const { shares, numbers } = describeResult(study, sums, 500 * perUnit).columns[0]!.all;
    expect(shares[0]).toMatchObject({ low: 0, high: 1 });
    expect(numbers!.mean).toMatchObject({ low: 0, high: 100 });
    expect(numbers!.median).toMatchObject({ low: 0, high: 100 });
  });
});

describe("consistent tables", () => {
  it("have totals of the variance that they state", () => {
    const normal = normalStream(() => uniform.double());
    const uniform = seedrandom("totals");
    const totals = Array.from({ length: 2000 }, () => {
      const sums = new Float64Array(layout.stage.length).map(() => 50 * normal());
      return consistentTables(layout, sums, 50).total;
    });
    const measured = Math.sqrt(totals.reduce((sum, { noisy }) => sum + noisy ** 2, 0) / totals.length);
    // 2,000 draws tell a standard deviation to 1.6 %.
    expect(measured / totals[0]!.stdDev).toBeGreaterThan(0.95);
    expect(measured / totals[0]!.stdDev).toBeLessThan(1.05);
    // Better than the best table alone.
    const alone = Math.min(...layout.marginals.map(({ cells, weight }) => (50 * Math.sqrt(cells)) / weight));
    expect(totals[0]!.stdDev).toBeLessThan(alone);
  });

  it("are moved to the nearest table without negative counts", () => {
    const uniform = seedrandom("simplex");
    for (let draw = 0; draw < 50; draw++) {
      const values = Float64Array.from({ length: 6 }, () => 20 * uniform.double() - 6);
      const total = Math.max(
        0,
        values.reduce((sum, value) => sum + value, 0),
      );
      const nearest = nearestCounts(values, total);
      expect(nearest.reduce((sum, count) => sum + count, 0)).toBeCloseTo(total, 9);
      expect(Math.min(...nearest)).toBeGreaterThanOrEqual(0);
      const distance = (to: Float64Array) => to.reduce((sum, count, i) => sum + (count - values[i]!) ** 2, 0);
      for (let other = 0; other < 40; other++) {
        const weights = Float64Array.from({ length: 6 }, () => uniform.double() ** 3);
        const sum = weights.reduce((all, weight) => all + weight, 0);
        const mixed = nearest.map((count, i) => 0.9 * count + (0.1 * total * weights[i]!) / sum);
        expect(distance(mixed)).toBeGreaterThanOrEqual(distance(nearest) - 1e-9);
      }
    }
  });
});

it("end a share where its count ends, in a cell that noise made negative", () => {
  const noisy = Float64Array.of(-30, 60, 70);
  const table = { noisy, counts: nearestCounts(noisy, 100), cellVariance: 100, totalVariance: 100 };
  const { counts, shares } = cellStatistics(table, null);
  expect(shares[0]!.low).toBe(0);
  expect(Math.abs(100 * shares[0]!.high - counts[0]!.high)).toBeLessThan(2);
});

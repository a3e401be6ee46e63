import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { Root } from "../shared/counts/root.js";
import type { Estimate } from "../shared/evaluation/estimate.js";
import { atRisk, cellsOf, type GroupCounts } from "./counts.js";
import { type CurvePoint, medianSurvival, survivalCurve } from "./curve.js";

const z95 = 1.959963984540054;
const edges = [0, 1, 2.5, 3, 4];
const root = new Root(5, 8);
const one: GroupCounts = {
  events: Float64Array.of(30, 20, 25, 10),
  competing: [],
  censored: Float64Array.of(4, 12, 0, 8),
  beyond: 61,
};
const three: GroupCounts = {
  ...one,
  competing: [Float64Array.of(5, 0, 9, 4), Float64Array.of(1, 2, 3, 4)],
};

/** The counts of a group of B intervals from its cells. */
function ofCells(cells: Float64Array, { competing }: GroupCounts): GroupCounts {
  const run = (s: number) => cells.subarray(5 * s, 5 * s + 4);
  return {
    censored: run(0),
    beyond: cells[4]!,
    events: run(1),
    competing: competing.map((_, k) => run(2 + k)),
  };
}

/** Derivatives by every cell, by differences; 0 by the cells that nobody is in. */
function slopes(counts: GroupCounts, of: (own: GroupCounts) => number): Float64Array {
  const cells = cellsOf(counts);
  return cells.map((_, i) => {
    if (i > 4 && i % 5 === 4) return 0;
    const step = 1e-4;
    const moved = (by: number) => {
      const own = cells.slice();
      own[i]! += by;
      return of(ofCells(own, counts));
    };
    return (moved(step) - moved(-step)) / (2 * step);
  });
}

/** Standard deviation of what noise of 1 in each number of the sum makes of a statistic with these slopes. */
function noiseOf(own: Float64Array): number {
  let squares = 0;
  for (let at = 0; at < own.length; at += 5)
    for (let j = 0; j < 5; j++) {
      const counts = root.counts(Float64Array.from({ length: 5 }, (_, i) => (i === j ? 1 : 0)));
      squares += counts.reduce((sum, count, i) => sum + count * own[at + i]!, 0) ** 2;
    }
  return Math.sqrt(squares);
}

const statistics: Readonly<Record<string, (point: CurvePoint) => Estimate>> = {
  survival: ({ survival }) => survival,
  "cumulative hazard": ({ hazard }) => hazard,
  "restricted mean": ({ restrictedMean }) => restrictedMean,
  "incidence of the event": ({ incidence }) => incidence[0]!,
  "incidence of another cause": ({ incidence }) => incidence[2]!,
};

describe.each(Object.entries(statistics))("the deviation of %s", (name, of) => {
  const counts = name.startsWith("incidence") ? [three] : [one, three];

  it.each(counts)("is that of the derivatives by every count, of sampling and of noise", (own) => {
    // Of a scale at which no interval is cut.
    const [stdDev, exact] = [20, survivalCurve(own, root, edges, 0)];
    const noisy = survivalCurve(own, root, edges, stdDev);
    expect(noisy).toHaveLength(4);
    noisy.forEach((point, b) => {
      const slope = slopes(own, (moved) => of(survivalCurve(moved, root, edges, 0)[b]!).value);
      // One of both ends may be cut.
      const variance = (one: CurvePoint) => {
        const { value, low, high } = of(one);
        return (Math.max(high - value, value - low) / z95) ** 2;
      };
      const noise = stdDev * noiseOf(slope);
      expect(Math.sqrt(variance(point) - variance(exact[b]!)) / noise).toBeCloseTo(1, 4);
      const cells = cellsOf(own);
      const sampling = slope.reduce((sum, one, i) => sum + cells[i]! * one ** 2, 0);
      if (name !== "survival") return;
      expect(point.samplingStdDev / Math.sqrt(sampling)).toBeCloseTo(1, 4);
      expect(point.noiseStdDev / noise).toBeCloseTo(1, 4);
    });
  });
});

describe("a curve", () => {
  it("lies between those of all orders of events and censorings", () => {
    const points = survivalCurve(one, root, edges, 0);
    const risks = atRisk(one);
    const product = (of: (b: number) => number) =>
      points.map((_, b) =>
        Array.from({ length: b + 1 }, (__, i) => 1 - one.events[i]! / of(i)).reduce((a, c) => a * c, 1),
      );
    const [first, last] = [product((b) => risks[b]!), product((b) => risks[b]! - one.censored[b]!)];
    points.forEach(({ survival, intervalStdDev, samplingStdDev }, b) => {
      expect(last[b]!).toBeLessThanOrEqual(survival.value);
      expect(first[b]!).toBeGreaterThanOrEqual(survival.value);
      const width = Math.log(first[b]!) - Math.log(last[b]!);
      expect(intervalStdDev).toBeCloseTo((survival.value * width) / Math.sqrt(12), 12);
      expect(survival.low).toBeCloseTo(survival.value - z95 * Math.hypot(intervalStdDev, samplingStdDev), 12);
    });
  });

  it("is Kaplan and Meier's where intervals have events or censorings alone, with Greenwood's deviation", () => {
    const apart: GroupCounts = {
      ...one,
      events: Float64Array.of(30, 0, 25, 0),
      censored: Float64Array.of(0, 12, 0, 8),
    };
    const [, second, third] = survivalCurve(apart, root, edges, 0);
    const risks = atRisk(apart);
    const survival = (1 - 30 / risks[0]!) * (1 - 25 / risks[2]!);
    expect(third!.survival.value).toBeCloseTo(survival, 12);
    const greenwood = 30 / (risks[0]! * (risks[0]! - 30)) + 25 / (risks[2]! * (risks[2]! - 25));
    expect(third!.samplingStdDev).toBeCloseTo(survival * Math.sqrt(greenwood), 12);
    let hazard = 0;
    for (let i = 0; i < 30; i++) hazard += 1 / (risks[0]! - i);
    expect(second!.hazard.value).toBeCloseTo(hazard, 4);
    // Of a hazard that is constant over the first interval, of length 1.
    const h = -Math.log(1 - 30 / risks[0]!);
    const mean = (1 - Math.exp(-h)) / h + 1.5 * (1 - 30 / risks[0]!);
    expect(second!.restrictedMean.value).toBeCloseTo(mean, 12);
  });

  it("and the incidences of its causes add up to 1", () => {
    const uniform = seedrandom("causes");
    const draw = () => Float64Array.from({ length: 4 }, () => Math.floor(uniform() * 9));
    for (let k = 0; k < 50; k++) {
      const counts = { events: draw(), competing: [draw(), draw()], censored: draw(), beyond: 3 };
      for (const { survival, incidence } of survivalCurve(counts, root, edges, 0))
        expect(incidence.reduce((sum, { value }) => sum + value, survival.value)).toBeCloseTo(1, 12);
    }
  });

  it("is no other with a competing cause that nobody had, but for its own incidence", () => {
    const nobody = { ...one, competing: [new Float64Array(4)] };
    const [with0, without] = [nobody, one].map((own) => survivalCurve(own, root, edges, 0));
    with0!.forEach((point, b) => {
      expect(point.incidence[1]).toMatchObject({ value: 0, low: 0 });
      const { incidence: _, competing: __, ...rest } = point;
      const { incidence: ___, competing: ____, ...expected } = without![b]!;
      expect(rest).toEqual(expected);
    });
  });

  // Survival of R's survfit of the same times, all of an interval at its end.
  it.each([
    ["with events alone", [4, 2, 0, 3], [0, 0, 0, 0], [5 / 9, 3 / 9, 3 / 9, 0]],
    ["with censorings alone", [4, 2, 0, 0], [0, 0, 0, 3], [5 / 9, 3 / 9, 3 / 9, 3 / 9]],
    ["before the last one", [6, 0, 0, 0], [0, 3, 0, 0], [1 / 3, 1 / 3]],
  ] as const)(
    "keeps without noise the interval that everybody leaves, %s",
    (_, events, censored, survival) => {
      const counts = {
        events: Float64Array.from(events),
        competing: [],
        censored: Float64Array.from(censored),
        beyond: 0,
      };
      const points = survivalCurve(counts, root, edges, 0);
      expect(points).toHaveLength(survival.length);
      points.forEach((point, b) => {
        expect(point.survival.value).toBeCloseTo(survival[b]!, 12);
        for (const { value, low, high } of [point.survival, point.hazard, point.restrictedMean]) {
          expect([value, low, high].every(Number.isFinite)).toBe(true);
          expect(low <= value && value <= high).toBe(true);
        }
      });
      const [before, end] = points.slice(-2);
      const step = before!.survival.value + end!.survival.value;
      const mean = before!.restrictedMean.value + ((end!.to - end!.from) * step) / 2;
      expect(end!.restrictedMean.value).toBeCloseTo(mean, 12);
      if (end!.events > 0) expect(end!.survival).toEqual({ value: 0, low: 0, high: before!.survival.high });
      else expect(end!.samplingStdDev).toBe(before!.samplingStdDev);
    },
  );

  it("of causes that compete ends with them where everybody leaves, half of those censored after all events", () => {
    const counts: GroupCounts = {
      events: Float64Array.of(2, 1, 0, 3),
      competing: [Float64Array.of(1, 0, 2, 1)],
      censored: Float64Array.of(0, 0, 0, 4),
      beyond: 0,
    };
    const [before, end] = survivalCurve(counts, root, edges, 0).slice(-2);
    expect(end!.survival.value).toBeCloseTo((before!.survival.value * 2) / 6, 12);
    expect(end!.intervalStdDev).toBeCloseTo((before!.survival.value * 0.5) / Math.sqrt(12), 12);
    expect(end!.incidence.reduce((sum, { value }) => sum + value, end!.survival.value)).toBeCloseTo(1, 12);
    expect(survivalCurve(counts, root, edges, 1)).toHaveLength(3);
  });

  it("ends before the interval through which the number at risk is within twice its noise", () => {
    const length = (stdDev: number) => survivalCurve(one, root, edges, stdDev * 256).length;
    expect([length(1), length(20), length(1000)]).toEqual([4, expect.any(Number), 0]);
    expect(length(20)).toBeLessThan(4);
    expect(length(20)).toBeGreaterThan(0);
  });
});

describe("median survival", () => {
  const point = (from: number, value: number, low: number, high: number) =>
    ({ from, to: from + 1, survival: { value, low, high } }) as CurvePoint;

  it("is where a constant hazard passes ½, within every time that its intervals do not rule out", () => {
    const points = [point(0, 0.9, 0.8, 1), point(1, 0.6, 0.45, 0.75), point(2, 0.4, 0.3, 0.49)];
    expect(medianSurvival(points)).toMatchObject({ low: 1, high: 3 });
    expect(medianSurvival(points).value).toBeCloseTo(2 + Math.log(1.2) / Math.log(1.5), 12);
    expect(medianSurvival(points.slice(0, 2))).toEqual({ value: null, low: 1, high: null });
    expect(medianSurvival(points.slice(0, 1))).toEqual({ value: null, low: null, high: null });
    expect(medianSurvival([point(0, 0.25, 0.1, 0.4)])).toMatchObject({ low: 0, high: 1 });
    expect(medianSurvival([point(0, 0.25, 0.1, 0.4)]).value).toBeCloseTo(1 / 2, 12);
    // Everybody left, at any time of the interval alike.
    expect(medianSurvival([point(0, 0, 0, 1)]).value).toBe(1 / 2);
    expect(medianSurvival([])).toEqual({ value: null, low: null, high: null });
  });
});

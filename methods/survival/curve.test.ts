import { describe, expect, it } from "vitest";
import { atRisk, type GroupCounts } from "./counts.js";
import { type CurvePoint, medianSurvival, survivalCurve } from "./curve.js";

const edges = [0, 1, 2, 3, 4];
const counts: GroupCounts = {
  events: Float64Array.of(30, 20, 25, 10),
  censored: Float64Array.of(4, 12, 0, 8),
  beyond: 61,
};
const cells = ({ events, censored }: GroupCounts) => [events, censored];

/** The counts with one of them changed. */
function changed(kind: number, b: number, by: number): GroupCounts {
  const own: GroupCounts = {
    events: counts.events.slice(),
    censored: counts.censored.slice(),
    beyond: counts.beyond,
  };
  cells(own)[kind]![b] = cells(own)[kind]![b]! + by;
  return own;
}

/** √Σ (∂/∂count)² over all counts, by differences. */
function noiseByDifferences(of: (own: GroupCounts) => number): number {
  const step = 1e-4;
  const slope = (up: GroupCounts, down: GroupCounts) => (of(up) - of(down)) / (2 * step);
  const slopes = [0, 1].flatMap((kind) =>
    [...counts.events.keys()].map((b) => slope(changed(kind, b, step), changed(kind, b, -step))),
  );
  const { beyond } = counts;
  return Math.hypot(
    ...slopes,
    slope({ ...counts, beyond: beyond + step }, { ...counts, beyond: beyond - step }),
  );
}

describe("a curve", () => {
  it("has the standard deviation of noise that its derivatives by every count give", () => {
    const noisy = survivalCurve(counts, edges, 2);
    expect(noisy).toHaveLength(4);
    noisy.forEach(({ noiseStdDev, hazard }, b) => {
      const at = (own: GroupCounts) => survivalCurve(own, edges, 0)[b]!;
      expect(noiseStdDev).toBeCloseTo(2 * noiseByDifferences((own) => at(own).survival.value), 6);
      const exact = survivalCurve(counts, edges, 0)[b]!.hazard;
      const variance = (hazard.high - hazard.value) ** 2 - (exact.high - exact.value) ** 2;
      const noise = 1.959963984540054 * 2 * noiseByDifferences((own) => at(own).hazard.value);
      expect(Math.sqrt(variance)).toBeCloseTo(noise, 6);
    });
  });

  it("is a product over intervals, between those of all orders of events and censorings", () => {
    const points = survivalCurve(counts, edges, 0);
    const risks = atRisk(counts);
    const product = (of: (b: number) => number) =>
      points.map((_, b) =>
        Array.from({ length: b + 1 }, (__, i) => 1 - counts.events[i]! / of(i)).reduce((a, c) => a * c, 1),
      );
    const middle = product((b) => risks[b]! - counts.censored[b]! / 2);
    const [first, last] = [product((b) => risks[b]!), product((b) => risks[b]! - counts.censored[b]!)];
    points.forEach(({ survival, intervalStdDev, samplingStdDev }, b) => {
      expect(survival.value).toBeCloseTo(middle[b]!, 12);
      expect(last[b]!).toBeLessThanOrEqual(survival.value);
      expect(first[b]!).toBeGreaterThanOrEqual(survival.value);
      // Of a value anywhere between the logarithms of both.
      const width = Math.log(first[b]!) - Math.log(last[b]!);
      expect(intervalStdDev).toBeCloseTo((survival.value * width) / Math.sqrt(12), 12);
      expect(survival.low).toBeCloseTo(
        survival.value - 1.959963984540054 * Math.hypot(intervalStdDev, samplingStdDev),
        12,
      );
    });
  });

  it("adds up the hazard of one event after another", () => {
    const risks = atRisk(counts);
    let sum = 0;
    survivalCurve(counts, edges, 0).forEach(({ hazard }, b) => {
      for (let i = 0; i < counts.events[b]!; i++) sum += 1 / (risks[b]! - counts.censored[b]! / 2 - i);
      expect(hazard.value).toBeCloseTo(sum, 4);
    });
  });

  it("ends before the interval through which the number at risk is within twice its noise", () => {
    // Of the third interval, 104 - 25 are left, of noise √5·σ.
    expect(survivalCurve(counts, edges, 17)).toHaveLength(4);
    expect(survivalCurve(counts, edges, 18.5)).toHaveLength(2);
    expect(survivalCurve(counts, edges, 1000)).toEqual([]);
  });
});

describe("median survival", () => {
  const point = (from: number, value: number, low: number, high: number) =>
    ({ from, to: from + 1, survival: { value, low, high } }) as CurvePoint;

  it("is where the curve passes ½, within every time that its intervals do not rule out", () => {
    const points = [point(0, 0.9, 0.8, 1), point(1, 0.6, 0.45, 0.75), point(2, 0.4, 0.3, 0.49)];
    expect(medianSurvival(points)).toEqual({ value: 2.5, low: 1, high: 3 });
    expect(medianSurvival(points.slice(0, 2))).toEqual({ value: null, low: 1, high: null });
    expect(medianSurvival(points.slice(0, 1))).toEqual({ value: null, low: null, high: null });
    expect(medianSurvival([point(0, 0.25, 0.1, 0.4)])).toMatchObject({ low: 0, high: 1 });
    expect(medianSurvival([point(0, 0.25, 0.1, 0.4)]).value).toBeCloseTo(2 / 3, 12);
    expect(medianSurvival([])).toEqual({ value: null, low: null, high: null });
  });
});

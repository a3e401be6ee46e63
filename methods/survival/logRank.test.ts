import { describe, expect, it } from "vitest";
import { Root } from "../shared/counts/root.js";
import { cellsOf, type GroupCounts } from "./counts.js";
import { logRankTest } from "./logRank.js";

const root = new Root(4, 8);
/** Three groups over three intervals. */
const groups: readonly GroupCounts[] = [
  { events: Float64Array.of(30, 20, 25), censored: Float64Array.of(4, 12, 2), competing: [], beyond: 61 },
  { events: Float64Array.of(18, 25, 30), censored: Float64Array.of(6, 10, 8), competing: [], beyond: 40 },
  { events: Float64Array.of(12, 11, 9), censored: Float64Array.of(3, 0, 5), competing: [], beyond: 70 },
];
const competing = groups.map((one, g) => ({ ...one, competing: [Float64Array.of(2 + g, 5, 1)] }));

function moved(of: readonly GroupCounts[], g: number, cell: number, by: number): GroupCounts[] {
  return of.map((own, h) => {
    if (h !== g) return own;
    const cells = cellsOf(own);
    cells[cell]! += by;
    const run = (s: number) => cells.subarray(4 * s, 4 * s + 3);
    return {
      censored: run(0),
      beyond: cells[3]!,
      events: run(1),
      competing: own.competing.map((_, k) => run(2 + k)),
    };
  });
}

const rules = ["halfInterval", "constantHazards"] as const;

const flat = (intervals: number, events: number, censored: number, beyond: number): GroupCounts => ({
  events: new Float64Array(10).fill(events, 0, intervals),
  censored: new Float64Array(10).fill(censored, 0, intervals),
  competing: [],
  beyond,
});

describe("the log-rank test", () => {
  it("continues without a group in which nobody is left, and without one that nobody was in", () => {
    const long = new Root(11, 8);
    const [a, b] = [flat(10, 5, 1, 40), flat(10, 10, 1, 20)];
    const two = logRankTest([a, b], long, 0)!;
    expect(two).toMatchObject({ intervals: 10, degreesOfFreedom: 1, decision: "differ" });
    const withEmpty = logRankTest([a, b, flat(0, 0, 0, 0)], long, 0)!;
    expect(withEmpty.degreesOfFreedom).toBe(1);
    for (const rule of rules) expect(withEmpty[rule].statistic).toBeCloseTo(two[rule].statistic, 9);
    const withShort = logRankTest([a, b, flat(1, 1, 9, 0)], long, 0)!;
    expect(withShort).toMatchObject({ intervals: 10, degreesOfFreedom: 2, decision: "differ" });
    expect(withShort.halfInterval.statistic).toBeGreaterThan(two.halfInterval.statistic);
  });

  it.each(rules.flatMap((rule) => [groups, competing].map((of) => [rule, of] as const)))(
    "by %s has the variance of noise that its derivatives by every count give",
    (rule, all) => {
      const two = all.slice(0, 2);
      const size = cellsOf(two[0]!).length;
      // The first group's difference, from the statistic: (o - e)²/variance, whose variance without noise is another call's.
      const difference = (own: readonly GroupCounts[]) => differenceOf(own, rule);
      const step = 1e-4;
      let noise = 0;
      for (const g of [0, 1])
        for (let at = 0; at < size; at += 4) {
          const slopes = [0, 1, 2, 3].map((i) =>
            at > 0 && i === 3
              ? 0
              : (difference(moved(two, g, at + i, step)) - difference(moved(two, g, at + i, -step))) /
                (2 * step),
          );
          for (let j = 0; j < 4; j++) {
            const counts = root.counts(Float64Array.from({ length: 4 }, (_, i) => (i === j ? 1 : 0)));
            noise += counts.reduce((sum, count, i) => sum + count * slopes[i]!, 0) ** 2;
          }
        }
      const exact = difference(two);
      const stdDev = 300;
      const variances = [0, stdDev].map((one) => exact ** 2 / logRankTest(two, root, one)![rule].statistic);
      expect((variances[1]! - variances[0]!) / (stdDev ** 2 * noise)).toBeCloseTo(1, 4);
    },
  );

  it("treats all groups alike, whichever comes last", () => {
    for (const own of [groups, competing]) {
      const one = logRankTest(own, root, 200)!;
      const other = logRankTest([own[2]!, own[0]!, own[1]!], root, 200)!;
      expect(one.degreesOfFreedom).toBe(2);
      for (const rule of rules) expect(other[rule].statistic).toBeCloseTo(one[rule].statistic, 9);
      expect(one.observed.reduce((a, b) => a + b)).toBeCloseTo(
        one.expected.reduce((a, b) => a + b),
        9,
      );
    }
  });

  it("takes competing causes as censored: it compares the hazards of the event", () => {
    const merged = competing.map((one) => ({
      ...one,
      competing: [],
      censored: one.censored.map((count, b) => count + one.competing[0]![b]!),
    }));
    for (const rule of rules)
      expect(logRankTest(competing, root, 0)![rule].statistic).toBeCloseTo(
        logRankTest(merged, root, 0)![rule].statistic,
        12,
      );
  });

  it("is imprecise where its two rules are on either side of 5 %", () => {
    const late: GroupCounts = { ...groups[0]!, censored: Float64Array.of(0, 0, 0) };
    const decisions = new Set<string>();
    for (let lost = 0; lost <= 120; lost += 5) {
      const early: GroupCounts = {
        events: Float64Array.of(30, 20, 12),
        censored: Float64Array.of(lost, 0, 0),
        competing: [],
        beyond: 140 - lost,
      };
      const { decision, halfInterval, constantHazards } = logRankTest([late, early], root, 0)!;
      const below = [halfInterval, constantHazards].map(({ pValue }) => pValue < 0.05);
      expect(decision).toBe(below[0] !== below[1] ? "imprecise" : below[0] ? "differ" : "no evidence");
      decisions.add(decision);
    }
    expect([...decisions].sort()).toEqual(["differ", "imprecise", "no evidence"]);
  });

  it("has no result where there is nothing to compare", () => {
    expect(logRankTest(groups.slice(0, 1), root, 0)).toBeNull();
    expect(logRankTest(groups, root, 1e6)).toBeNull();
    const alive = groups.map((own) => ({ ...own, events: new Float64Array(3) }));
    expect(logRankTest(alive, root, 0)).toBeNull();
    const none = { events: new Float64Array(3), censored: new Float64Array(3), competing: [], beyond: 0 };
    expect(logRankTest([groups[0]!, none], root, 0)).toBeNull();
  });
});

/** Σ d_1 - d·m_1/m over the intervals, by its definition. */
function differenceOf(own: readonly GroupCounts[], rule: (typeof rules)[number]): number {
  let difference = 0;
  for (let b = 0; b < 3; b++) {
    const exposed = own.map(({ events, censored, competing, beyond }) => {
      const lostAt = (i: number) => competing.reduce((sum, one) => sum + one[i]!, censored[i]!);
      let risk = beyond;
      for (let i = b; i < 3; i++) risk += events[i]! + lostAt(i);
      if (rule === "halfInterval") return risk - lostAt(b) / 2;
      const after = risk - events[b]! - lostAt(b);
      return (risk - after) / Math.log(risk / after);
    });
    const events = own.reduce((sum, one) => sum + one.events[b]!, 0);
    difference += own[0]!.events[b]! - (events * exposed[0]!) / (exposed[0]! + exposed[1]!);
  }
  return difference;
}

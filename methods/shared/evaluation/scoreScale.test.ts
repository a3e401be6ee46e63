import { probabilityAt } from "@consilium/core/learning/trees/link";
import type { Tree, TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { scoreBins } from "@consilium/core/study/evaluation";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rangeOf, type ScoreScale, scoreScale } from "./scoreScale.js";

const leaf = (value: number, cover: number) => ({ kind: "leaf" as const, values: [value], cover });
const stump = (left: readonly [number, number], right: readonly [number, number]): Tree => ({
  nodes: [
    { kind: "split", feature: 0, cut: 0, gain: 1, cover: left[1] + right[1], left: 1, right: 2 },
    leaf(...left),
    leaf(...right),
  ],
});
const boosted = (trees: readonly Tree[], base = 0): TreeEnsemble => ({
  trees,
  base: [base],
  link: "logistic",
});

/** Every score that a row can have, with the ranges that they lie in. */
function scoresOf({ trees, base }: TreeEnsemble): number[] {
  return trees.reduce(
    (sums, { nodes }) =>
      sums.flatMap((sum) => nodes.flatMap((node) => (node.kind === "leaf" ? [sum + node.values[0]!] : []))),
    [base[0]!],
  );
}

const value = fc.integer({ min: -(2 ** 25), max: 2 ** 25 }).map((n) => n / 2 ** 24);
const stumps = (most: number) =>
  fc
    .array(fc.tuple(value, fc.nat(1000), value, fc.nat(1000)), { minLength: 1, maxLength: most })
    .map((all) => boosted(all.map(([a, m, b, n]) => stump([a, m], [b, n]))));

describe("the cuts of a score", () => {
  it("ascend, have the threshold among them, and call the ranges above it the second class", () => {
    fc.assert(
      fc.property(stumps(9), (ensemble) => {
        const scale = scoreScale(ensemble);
        expect(scale.cuts).toHaveLength(scoreBins - 1);
        expect([...scale.cuts]).toEqual([...scale.cuts].sort((a, b) => a - b));
        expect(scale.cuts).toContain(0);
        for (const score of scoresOf(ensemble)) {
          const range = rangeOf(scale.cuts, score);
          expect(scale.isReached[range]).toBe(true);
          expect(scale.isSecond[range]).toBe(score > 0);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("give each score a range of its own where there are few", () => {
    fc.assert(
      fc.property(stumps(4), (ensemble) => {
        const scale = scoreScale(ensemble);
        const scores = [...new Set(scoresOf(ensemble))];
        const ranges = scores.map((score) => rangeOf(scale.cuts, score));
        expect(new Set(ranges).size).toBe(scores.length);
        expect(scale.isReached.filter(Boolean)).toHaveLength(scores.length);
        expect(ranges.map((range) => scale.logOdds[range])).toEqual(scores);
        expect(scale.widths.every((width) => width === 0)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("puts no large part of the rows of a rare outcome into one range", () => {
    // Twelve stumps that divide rows 9 to 1, all scores far below 0.
    const ensemble = boosted(
      Array.from({ length: 12 }, (_, t) => stump([-0.4 - t / 100, 900], [-0.1 + t / 150, 100])),
    );
    const { cuts } = scoreScale(ensemble);
    const parts = partsOf(ensemble, (score) => rangeOf(cuts, score));
    expect(Math.max(...parts)).toBeLessThan(0.3);
    // Twenty ranges of equal width of the probability: the twin that must not pass.
    const even = Float64Array.from({ length: scoreBins - 1 }, (_, b) =>
      Math.log((b + 1) / (scoreBins - 1 - b)),
    );
    expect(Math.max(...partsOf(ensemble, (score) => rangeOf(even, score)))).toBeGreaterThan(0.9);
  });

  it("state log-odds that lie within their range", () => {
    fc.assert(
      fc.property(stumps(9), (ensemble) => {
        const { cuts, isReached, logOdds, widths }: ScoreScale = scoreScale(ensemble);
        logOdds.forEach((own, b) => {
          if (!isReached[b]) return;
          expect(own).toBeGreaterThanOrEqual((cuts[b - 1] ?? Number.NEGATIVE_INFINITY) - 1e-9);
          expect(own).toBeLessThanOrEqual((cuts[b] ?? Number.POSITIVE_INFINITY) + 1e-9);
          expect(widths[b]).toBeGreaterThanOrEqual(0);
          expect(probabilityAt(own, null)).toBeGreaterThan(0);
        });
      }),
      { numRuns: 100 },
    );
  });
});

/** Of the rows, the part in each range, were leaves of different trees independent. */
function partsOf({ trees }: TreeEnsemble, range: (score: number) => number): Float64Array {
  const parts = new Float64Array(scoreBins);
  const walk = (tree: number, score: number, part: number): void => {
    if (tree === trees.length) {
      parts[range(score)]! += part;
      return;
    }
    const [root, ...leaves] = trees[tree]!.nodes;
    for (const one of leaves)
      if (one.kind === "leaf") walk(tree + 1, score + one.values[0]!, (part * one.cover) / root!.cover);
  };
  walk(0, 0, 1);
  return parts;
}

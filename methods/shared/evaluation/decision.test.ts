import type { TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { scoreBins } from "@consilium/core/study/evaluation";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decidedByProbability } from "./decision.js";
import { evaluationResult } from "./evaluationResult.js";
import { rangeOf, scoreScale } from "./scoreScale.js";

const grid = 2 ** -24;
const onGrid = (x: number) => Math.round(x / grid) * grid;

/** One tree for each of several features of four bins; all scores are multiples of the grid. */
function ensembleOf(values: readonly number[], base: number): TreeEnsemble {
  return {
    trees: Array.from({ length: 6 }, (_, f) => ({
      nodes: [
        { kind: "split", feature: f, cut: 1, gain: 0, cover: 100, left: 1, right: 2 },
        { kind: "leaf", values: [onGrid(values[f]!)], cover: 50 },
        { kind: "leaf", values: [onGrid(-values[f]!)], cover: 50 },
      ],
    })) as TreeEnsemble["trees"],
    base: [onGrid(base)],
    link: "logistic",
  };
}

/** Exact counts of rows whose true log-odds are level + slope · score. */
function countsOf(ensemble: TreeEnsemble, rows: number, level: number, slope: number): Float64Array {
  const { cuts } = scoreScale(ensemble);
  const counts = new Float64Array(2 * scoreBins);
  const scores = scoresOf(ensemble);
  for (const score of scores) {
    const p = 1 / (1 + Math.exp(-(level + slope * score)));
    const at = 2 * rangeOf(cuts, score);
    counts[at]! += (rows / scores.length) * (1 - p);
    counts[at + 1]! += (rows / scores.length) * p;
  }
  return counts;
}

/** Of every combination of leaves. */
function scoresOf({ trees, base }: TreeEnsemble): number[] {
  return trees.reduce(
    (sums, { nodes }) =>
      sums.flatMap((sum) => nodes.flatMap((node) => (node.kind === "leaf" ? [sum + node.values[0]!] : []))),
    [base[0]!],
  );
}

const form = { kind: "scores" } as const;
const values = [0.9, 0.7, 0.55, 0.4, 0.3, 0.17];

describe("a model whose log-odds are too great by what two features share", () => {
  const ensemble = ensembleOf(values, 0.4);
  const result = evaluationResult(form, countsOf(ensemble, 200_000, -1.6, 0.5), 0, ensemble);
  const decided = decidedByProbability(result, ensemble, grid);

  it("answers the class that is more probable, at a better accuracy, and states the same probabilities", () => {
    expect(decided.moved / grid).toBe(Math.round(decided.moved / grid));
    expect(decided.result.accuracy.value).toBeGreaterThan(result.accuracy.value + 0.1);
    const { intercept, slope } = result.scores!.probability;
    const after = decided.result.scores!.probability;
    for (const score of scoresOf(ensemble)) {
      const stated = intercept + slope * score;
      expect(after.intercept + after.slope * (score - decided.moved)).toBeCloseTo(stated, 9);
      // Within a range the score decides, so that label and probability differ there by the range's width at most.
      if (Math.abs(stated) > 0.5) expect(score - decided.moved > 0).toBe(stated > 0);
    }
  });

  it("is counted by the decisions that it takes", () => {
    const { cuts } = scoreScale(ensemble);
    let correct = 0;
    const counts = result.counts;
    const isSecond = new Map(
      scoresOf(ensemble).map((score) => [rangeOf(cuts, score), score - decided.moved > 0]),
    );
    for (const [b, second] of isSecond) correct += counts[2 * b + (second ? 1 : 0)]!;
    expect(decided.result.accuracy.value).toBeCloseTo(correct / result.rows, 12);
  });
});

it("stays where it is when the counts say nothing of it", () => {
  const ensemble = ensembleOf(values, 0.4);
  const few = evaluationResult(form, countsOf(ensemble, 40, -0.3, 0.8), 30, ensemble);
  expect(decidedByProbability(few, ensemble, grid)).toEqual({ moved: 0, result: few });
});

it("answers one class where no row's probability of the other reaches a half", () => {
  const ensemble = ensembleOf(values, 0.4);
  for (const [level, second] of [
    [-9, false],
    [9, true],
  ] as const) {
    const result = evaluationResult(form, countsOf(ensemble, 1e6, level, 0.6), 0, ensemble);
    const { moved, result: decided } = decidedByProbability(result, ensemble, grid);
    expect(scoresOf(ensemble).every((score) => score - moved > 0 === second)).toBe(true);
    expect(decided.accuracy.value).toBeGreaterThan(0.98);
  }
});

it("splits the rows at a cut of the evaluation, or beyond all of them", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 6, maxLength: 6 }),
      fc.double({ min: -4, max: 4, noNaN: true }),
      fc.double({ min: -6, max: 6, noNaN: true }),
      fc.double({ min: 0, max: 60, noNaN: true }),
      (leaves, base, level, noise) => {
        const ensemble = ensembleOf(leaves, base);
        const { cuts } = scoreScale(ensemble);
        const result = evaluationResult(form, countsOf(ensemble, 5_000, level, 0.7), noise, ensemble);
        const { moved } = decidedByProbability(result, ensemble, grid);
        const sides = new Map<number, boolean>();
        for (const score of scoresOf(ensemble)) {
          const range = rangeOf(cuts, score);
          const second = score - moved > 0;
          expect(sides.get(range) ?? second).toBe(second);
          sides.set(range, second);
        }
      },
    ),
  );
});

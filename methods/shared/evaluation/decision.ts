import type { TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { interceptStdDev } from "./calibration.js";
import { calibrationRanges, type EvaluationResult, scaledResult } from "./evaluationResult.js";
import { type ScoreScale, scoreScale } from "./scoreScale.js";

/** A model of two classes with another threshold. */
export interface MovedDecision {
  /** What is taken off the score, so that rows above 0 are predicted the second class. A multiple of the grid. */
  readonly moved: number;
  /** Of the moved score: accuracy and recalls at 0, probabilities as they were. */
  readonly result: EvaluationResult;
}

/**
 * Moves a score of log-odds to where the calibrated probability passes ½, from one range of the evaluation to the next: what a
 * row is predicted and how probable that is must say the same, and the accuracy of a cut is measured. It is
 * moved by the part of that distance which the counts know [JS61]: few held-out rows say less than the model
 * (docs/methods/evaluation.md#decision).
 * @param result - of the ensemble, two classes
 * @param grid - what all of the model's numbers are multiples of
 */
export function decidedByProbability(
  result: EvaluationResult,
  ensemble: TreeEnsemble,
  grid: number,
): MovedDecision {
  const scale = scoreScale(ensemble);
  const { probability, ...scores } = result.scores!;
  const { intercept, slope } = probability;
  const stdDev = interceptStdDev(calibrationRanges(result.counts, scale), result.noiseStdDev, probability);
  const known = 1 - (stdDev / intercept) ** 2;
  if (!(known > 0)) return { moved: 0, result };
  const even = (-intercept / slope) * known;
  const reached = [...scale.isReached.keys()].filter((b) => scale.isReached[b]);
  const first = reached.find((b) => scale.logOdds[b]! > even) ?? scale.isReached.length;
  // Scores are on the grid: they exceed a cut where they exceed the multiple below it.
  const moved = Math.floor(thresholdBelow(first, even, reached, scale) / grid) * grid + 0;
  const isSecond = scale.isSecond.map((_, b) => b >= first);
  const counts = Float64Array.from(result.counts);
  const { scores: _, ...measures } = scaledResult(counts, result.noiseStdDev, { ...scale, isSecond });
  return {
    moved,
    result: {
      ...measures,
      scores: { ...scores, probability: { ...probability, intercept: intercept + slope * moved } },
    },
  };
}

/**
 * What only scores of the ranges from `first` on exceed: a cut, or a score beyond all rows'.
 * @param even - the score of a probability of ½
 * @param reached - ranges that rows can have, at least one
 */
function thresholdBelow(
  first: number,
  even: number,
  reached: readonly number[],
  { cuts, logOdds, widths }: ScoreScale,
): number {
  const [lowest, highest] = [reached[0]!, reached.at(-1)!];
  if (first <= lowest) return Math.min(even, logOdds[lowest]! - widths[lowest]! - 1);
  if (first > highest) return Math.max(even, logOdds[highest]! + widths[highest]!);
  return cuts[first - 1]!;
}

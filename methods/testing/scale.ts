import { logOddsOf } from "@consilium/core/learning/trees/link";
import { scoreBins } from "@consilium/core/study/evaluation";
import type { ScoreScale } from "../shared/evaluation/scoreScale.js";

/** Twenty ranges of equal width from 0 to 1 of the second class's part. Not part of any process. */
export function evenScale(): ScoreScale {
  const ranges = Array.from({ length: scoreBins }, (_, b) => b);
  const logOdds = (score: number) => logOddsOf(score, "classes");
  return {
    cuts: Float64Array.from({ length: scoreBins - 1 }, (_, b) => (b + 1) / scoreBins),
    isReached: ranges.map(() => true),
    isSecond: ranges.map((b) => b >= scoreBins / 2),
    logOdds: ranges.map((b) => logOdds((b + 0.5) / scoreBins)),
    widths: ranges.map((b) => logOdds((b + 1) / scoreBins) - logOdds(b / scoreBins)),
  };
}

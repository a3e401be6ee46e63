import type { Evaluation } from "@consilium/core/study/evaluation";
import type { ExpectedPrecision, ForecastInput } from "@consilium/core/study/expectedPrecision";
import {
  asExpected,
  noiseStdDev,
  rowsExpected,
  type SoundStage,
  sitesAtLeast,
} from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { aucOf } from "../evaluation/auc.js";
import { type Estimate, proportion } from "../evaluation/estimate.js";
import { normalBelow } from "../evaluation/normal.js";
import { narrower, type Situation, situations, solvedFor, statedPart } from "./expectedRows.js";

/** Ranges of a score that rows are counted in. */
const ranges = 20;

/**
 * What accuracy and area under the ROC curve of a model will be within: by the functions that read them off the held-out rows' counts, for a
 * model as good as the situation says.
 * @param options.stage - null: the study asks for no evaluation
 */
export function evaluationPrecision(
  study: Study,
  options: { readonly stage: SoundStage | null; readonly evaluation: Evaluation; readonly classes: number },
  { rows }: ForecastInput,
): ExpectedPrecision[] {
  const { stage, evaluation, classes } = options;
  if (stage === null || evaluation === "none") return [];
  const heldOut = rows * evaluation.heldOut;
  const stdDev = noiseStdDev(asExpected(study), stage, sitesAtLeast(study));
  const stated = statedPart({ participation: study.participation, rows: rowsExpected(study) });
  const measured = (situation: Situation) =>
    classes === 2
      ? ofTwoClasses({ heldOut, stdDev, part: stated ?? situation.part, area: situation.area })
      : { accuracy: ofManyClasses({ heldOut, stdDev, classes, accuracy: situation.area }), area: null };
  const [best, likely] = [measured(situations.best), measured(situations.likely)];
  const common = {
    of: null,
    at: null,
    useful: 0.1,
    unit: null,
    rows: Math.round(heldOut),
    isOfGroup: false,
  };
  const both = (atBest: Estimate, asLikely: Estimate) => {
    const half = halfOf(asLikely);
    return { best: narrower(halfOf(atBest), half), likely: half };
  };
  const accuracy: ExpectedPrecision = {
    ...common,
    statistic: "accuracy",
    ...both(best.accuracy, likely.accuracy),
  };
  if (best.area === null || likely.area === null) return [accuracy];
  return [accuracy, { ...common, statistic: "area", ...both(best.area, likely.area) }];
}

/** Half of the width; null of an interval that covers all that there is. */
const halfOf = ({ low, high }: Estimate): number | null =>
  low === 0 && high === 1 ? null : (high - low) / 2;

/** Scores of both classes normal, of one variance, cut so that ranges hold as many rows each. */
function ofTwoClasses(options: {
  readonly heldOut: number;
  readonly stdDev: number;
  readonly part: number;
  readonly area: number;
}): { readonly accuracy: Estimate; readonly area: Estimate } {
  const { heldOut, stdDev, part, area } = options;
  // Φ(distance/√2) is the area.
  const distance = solvedFor(area, (x) => normalBelow(x / Math.SQRT2));
  const below = (x: number) => (1 - part) * normalBelow(x) + part * normalBelow(x - distance);
  const cuts = Array.from({ length: ranges - 1 }, (_, i) => solvedFor((i + 1) / ranges, below));
  const counts = (rows: number, mean: number) =>
    Float64Array.from({ length: ranges }, (_, b) => {
      const to = b === ranges - 1 ? 1 : normalBelow(cuts[b]! - mean);
      return rows * (to - (b === 0 ? 0 : normalBelow(cuts[b - 1]! - mean)));
    });
  const negatives = counts(heldOut * (1 - part), 0);
  const positives = counts(heldOut * part, distance);
  const inside = negatives.reduce((sum, own, b) => sum + Math.max(own, positives[b]!), 0);
  return {
    accuracy: proportion({
      inside,
      rows: heldOut,
      insideCells: ranges,
      otherCells: ranges,
      noiseStdDev: stdDev,
    }),
    area: aucOf(negatives, positives, stdDev, new Float64Array(ranges)),
  };
}

function ofManyClasses(options: {
  readonly heldOut: number;
  readonly stdDev: number;
  readonly classes: number;
  readonly accuracy: number;
}): Estimate {
  const { heldOut, stdDev, classes, accuracy } = options;
  return proportion({
    inside: heldOut * accuracy,
    rows: heldOut,
    insideCells: classes,
    otherCells: classes * (classes - 1),
    noiseStdDev: stdDev,
  });
}

import { type Calibration, probabilityAt } from "@consilium/core/learning/trees/link";
import type { TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { z95 } from "@consilium/core/linalg/z95";
import { type EvaluationForm, evaluationShape } from "@consilium/core/study/evaluation";
import { aucOf } from "./auc.js";
import {
  type CalibrationFit,
  type CalibrationRange,
  fittedCalibration,
  isWorthwhile,
  worthwhile,
} from "./calibration.js";
import { type Estimate, meanOf, proportion } from "./estimate.js";
import { heightsAt, rocBandOf } from "./rocBand.js";
import { type ScoreScale, scoreScale } from "./scoreScale.js";

/**
 * What the noisy counts of the held-out rows say of a model. Sums over many cells are taken as they are, since noise
 * cancels there; a cell by itself counts at least 0. Intervals hold at 95 %: for rows drawn at random and for the noise,
 * whose standard deviation is known.
 */
export interface EvaluationResult {
  /** Held-out rows: the sum of all counts, at least 0. */
  readonly rows: number;
  /** Standard deviation of the noise in each count. */
  readonly noiseStdDev: number;
  readonly accuracy: Estimate;
  /** The part of the most frequent class: what a constant answer would reach. */
  readonly majority: Estimate;
  /** Per class, of its rows the part that is predicted so. */
  readonly recall: readonly Estimate[];
  /** Mean of all classes' recalls. */
  readonly balancedAccuracy: Estimate;
  /** Of two classes alone. */
  readonly scores: ScoreResult | null;
  /** [predictions × classes] as summed, noise included, row-major. */
  readonly counts: readonly number[];
}

export interface ScoreResult {
  /** The area under the ROC curve. Its value counts a pair within one range half; its interval holds the score's own area. */
  readonly auc: Estimate;
  /** In nats, of the calibrated probability of each row's range. */
  readonly logLoss: Estimate;
  /** How the released probabilities were made of the log-odds that the method's loss implies. */
  readonly probability: CalibrationFit;
  /** Per range of the score that rows can have. */
  readonly calibration: readonly CalibrationBin[];
  /** From (0, 0) to (1, 1): the edges of the ranges by falling score, and the corners of the band around the whole curve. */
  readonly roc: readonly RocPoint[];
}

export interface RocPoint {
  readonly falsePositive: number;
  readonly truePositive: number;
  /** Of the band; null where the counts allow none. */
  readonly low: number | null;
  readonly high: number | null;
}

export interface CalibrationBin {
  /** What the model states for the range's rows. */
  readonly stated: number;
  /** Rows in it, at least 0. */
  readonly rows: number;
  /** The part of them that is of the second class. */
  readonly observed: Estimate;
}

/** Measure that says whether a model predicts at all: what it is called, and what it comes to by chance. */
export function decisiveOf({ recall, balancedAccuracy, scores }: EvaluationResult): {
  readonly name: "area under the ROC curve" | "balanced accuracy";
  readonly estimate: Estimate;
  readonly chance: number;
} {
  return scores === null
    ? { name: "balanced accuracy", estimate: balancedAccuracy, chance: 1 / recall.length }
    : { name: "area under the ROC curve", estimate: scores.auc, chance: 0.5 };
}

/** Number of held-out rows, with the standard deviation of its noise. */
export function heldOutRows({ rows, noiseStdDev, counts, scores }: EvaluationResult): {
  readonly count: number;
  readonly noiseStdDev: number;
} {
  const cells = scores === null ? counts.length : 2 * scores.calibration.length;
  return { count: rows, noiseStdDev: noiseStdDev * Math.sqrt(cells) };
}

/** Calibration of a model's probabilities: null where nothing was measured, of more than two classes, and where noise is all that it would add. */
export function calibrationOf(result: EvaluationResult | null): Calibration | null {
  if (result === null || result.scores === null || !isWorthwhile(result.scores.probability)) return null;
  const { intercept, slope } = result.scores.probability;
  return { intercept, slope };
}

/**
 * @param counts - [predictions × classes], as summed; entries may be negative and fractions
 * @param noiseStdDev - of the noise in each entry, from all surviving sites; 0 without noise
 * @param ensemble - whose score was counted by range; of more than two classes not looked at
 */
export function evaluationResult(
  form: EvaluationForm,
  counts: Float64Array,
  noiseStdDev: number,
  ensemble: TreeEnsemble,
): EvaluationResult {
  if (form.kind === "scores") return scaledResult(counts, noiseStdDev, scoreScale(ensemble));
  const { predictions, classes } = evaluationShape(form);
  if (counts.length !== predictions * classes)
    throw new RangeError("the counts do not have the form's shape");
  const table = { counts, classes, noiseStdDev };
  return { ...measuresOf(table, (p, c) => p === c), scores: null, counts: Array.from(counts) };
}

/** The same of two classes, for a score cut so. */
export function scaledResult(counts: Float64Array, noiseStdDev: number, scale: ScoreScale): EvaluationResult {
  if (counts.length !== 2 * scale.isReached.length)
    throw new RangeError("the counts do not have the form's shape");
  const ranges = rangesReached(scale);
  const table = {
    counts: Float64Array.from(ranges.flatMap((b) => [counts[2 * b]!, counts[2 * b + 1]!])),
    classes: 2,
    noiseStdDev,
  };
  const measures = measuresOf(table, (p, c) => scale.isSecond[ranges[p]!] === (c === 1));
  const fitted = calibrationRanges(counts, scale);
  return { ...measures, scores: scoreResult(table, scale, ranges, fitted), counts: Array.from(counts) };
}

function measuresOf(
  table: CountTable,
  isCorrect: (prediction: number, actual: number) => boolean,
): Omit<EvaluationResult, "scores" | "counts"> {
  const { counts, classes, noiseStdDev } = table;
  const classOfMost = largestClass(table);
  const recall = Array.from({ length: classes }, (_, actual) =>
    partWhere(
      table,
      (_, c) => c === actual,
      (p, c) => isCorrect(p, c),
    ),
  );
  return {
    rows: Math.max(
      0,
      counts.reduce((sum, count) => sum + count, 0),
    ),
    noiseStdDev,
    accuracy: partWhere(table, () => true, isCorrect),
    majority: partWhere(
      table,
      () => true,
      (_, c) => c === classOfMost,
    ),
    recall,
    balancedAccuracy: meanOf(recall),
  };
}

interface CountTable {
  /** [predictions × classes] */
  readonly counts: Float64Array;
  readonly classes: number;
  readonly noiseStdDev: number;
}

function largestClass({ counts, classes }: CountTable): number {
  const totals = new Float64Array(classes);
  counts.forEach((count, i) => {
    totals[i % classes]! += count;
  });
  return totals.indexOf(Math.max(...totals));
}

/** Of the rows in the cells of `whole`, the part that lies in those of `part` too. */
function partWhere(
  { counts, classes, noiseStdDev }: CountTable,
  whole: (prediction: number, actual: number) => boolean,
  part: (prediction: number, actual: number) => boolean,
): Estimate {
  let inside = 0;
  let rows = 0;
  let insideCells = 0;
  let cells = 0;
  counts.forEach((count, i) => {
    const at = [Math.floor(i / classes), i % classes] as const;
    if (!whole(...at)) return;
    rows += count;
    cells++;
    if (!part(...at)) return;
    inside += count;
    insideCells++;
  });
  return proportion({ inside, rows, insideCells, otherCells: cells - insideCells, noiseStdDev });
}

/** What a calibration is fitted to. @param counts - [all ranges × 2] */
export function calibrationRanges(counts: ArrayLike<number>, scale: ScoreScale): CalibrationRange[] {
  return rangesReached(scale).map((b) => ({
    logOdds: scale.logOdds[b]!,
    rows: counts[2 * b]! + counts[2 * b + 1]!,
    positives: counts[2 * b + 1]!,
  }));
}

/** A range that no row can have holds nothing but noise. */
const rangesReached = ({ isReached }: ScoreScale) => [...isReached.keys()].filter((b) => isReached[b]);

/** @param ranges - of the scale, those that the table has */
function scoreResult(
  table: CountTable,
  scale: ScoreScale,
  ranges: readonly number[],
  fitted: readonly CalibrationRange[],
): ScoreResult {
  const { counts, noiseStdDev } = table;
  const negatives = Float64Array.from(ranges, (_, p) => counts[2 * p]!);
  const positives = Float64Array.from(ranges, (_, p) => counts[2 * p + 1]!);
  const fit = fittedCalibration(fitted, noiseStdDev);
  const probability = worthwhile(fit);
  const stated = ranges.map((b) => probabilityAt(scale.logOdds[b]!, probability));
  // The steepest that the counts leave possible.
  const steepest = fit.slope + z95 * fit.slopeStdDev;
  return {
    auc: aucOf(
      negatives,
      positives,
      noiseStdDev,
      ranges.map((b) => steepest * scale.widths[b]!),
    ),
    logLoss: logLossOf(table, stated, probability.optimism),
    probability,
    calibration: ranges.map((_, own) => ({
      stated: stated[own]!,
      rows: Math.max(0, negatives[own]! + positives[own]!),
      observed: partWhere(
        table,
        (p) => p === own,
        (_, c) => c === 1,
      ),
    })),
    roc: rocOf(negatives, positives, noiseStdDev),
  };
}

/**
 * Mean loss: a ratio of sums, its variance to first order, that of the loss among rows and that of the noise.
 * @param stated - per range, the probability of the second class
 * @param optimism - by how much the fit of these rows makes it too small
 */
function logLossOf(table: CountTable, stated: readonly number[], optimism: number): Estimate {
  const { counts, noiseStdDev } = table;
  const losses = Float64Array.from(counts, (_, i) => {
    const p = stated[Math.floor(i / 2)]!;
    return -Math.log(i % 2 === 1 ? p : 1 - p);
  });
  const most = Math.max(...losses);
  const rows = counts.reduce((sum, count) => sum + count, 0);
  const spread = noiseStdDev * Math.sqrt(counts.length);
  if (!(rows > 0 && rows > z95 * spread)) return { value: Math.min(Math.log(2), most), low: 0, high: most };
  const mean = counts.reduce((sum, count, i) => sum + count * losses[i]!, 0) / rows;
  const value = Math.min(Math.max(mean + optimism, 0), most);
  let among = 0;
  let noise = 0;
  counts.forEach((count, i) => {
    among += Math.max(count, 0) * (losses[i]! - value) ** 2;
    noise += (noiseStdDev * (losses[i]! - value)) ** 2;
  });
  const halfWidth = (z95 * Math.sqrt(among + noise)) / rows;
  const least = leastWidths(table, stated);
  return {
    value,
    low: Math.max(0, value - Math.max(halfWidth, least.below) - fitted95.below * optimism),
    high: Math.min(most, value + Math.max(halfWidth, least.above) + fitted95.above * optimism),
  };
}

/**
 * What a fit of two numbers takes from the loss of its own rows and adds to that of others is a χ² of two degrees of freedom,
 * whose mean the optimism is. So many times the mean lie between it and 0, and the part of 97.5 %.
 */
const fitted95 = { below: 1, above: -Math.log(0.025) - 1 };

/**
 * Of a rare class a few rows decide the mean loss, and where none was drawn nothing varies among the rows. So the interval is at
 * least that of the class's part of the rows [Wil27], times what a row of it loses more than another one by the stated
 * probabilities, with how losses vary within the classes by these.
 */
function leastWidths(table: CountTable, stated: readonly number[]): { below: number; above: number } {
  const part = partWhere(
    table,
    () => true,
    (_, c) => c === 1,
  );
  const rows = stated.map((_, b) => Math.max(0, table.counts[2 * b]! + table.counts[2 * b + 1]!));
  const all = rows.reduce((sum, n) => sum + n, 0);
  const moments = (probability: (p: number) => number) => {
    const weights = rows.map((n, b) => n * probability(stated[b]!));
    const weight = weights.reduce((sum, one) => sum + one, 0);
    const loss = stated.map((p) => -Math.log(probability(p)));
    const mean = loss.reduce((sum, one, b) => sum + weights[b]! * one, 0) / weight;
    const spread = loss.reduce((sum, one, b) => sum + weights[b]! * (one - mean) ** 2, 0);
    return { mean, spread };
  };
  const [second, first] = [moments((p) => p), moments((p) => 1 - p)];
  const within = (z95 * Math.sqrt(second.spread + first.spread)) / all;
  const difference = second.mean - first.mean;
  return {
    below: Math.hypot((part.value - part.low) * difference, within),
    above: Math.hypot((part.high - part.value) * difference, within),
  };
}

/** Cells below 0 count 0, so that the curve rises. */
function rocOf(negatives: Float64Array, positives: Float64Array, noiseStdDev: number): ScoreResult["roc"] {
  const above = (counts: Float64Array) => {
    const falling = Array.from(counts, (count) => Math.max(count, 0)).reverse();
    const total = falling.reduce((sum, count) => sum + count, 0);
    let sum = 0;
    return falling.map((count) => {
      sum += count;
      return total > 0 ? Math.min(1, sum / total) : 0;
    });
  };
  const [falsePositive, truePositive] = [above(negatives), above(positives)];
  const inner = falsePositive.map((x, i) => ({ x, y: truePositive[i]! }));
  const edges = [{ x: 0, y: 0 }, ...inner.slice(0, -1), { x: 1, y: 1 }];
  const band = rocBandOf(
    negatives,
    positives,
    noiseStdDev,
    edges.map(({ x }) => x),
  );
  if (band === null)
    return edges.map(({ x, y }) => ({ falsePositive: x, truePositive: y, low: null, high: null }));
  return band.flatMap(({ falsePositive, low, high }) =>
    heightsAt(edges, falsePositive).map((y) => ({
      falsePositive,
      truePositive: y,
      low: Math.min(low, y),
      high: Math.max(high, y),
    })),
  );
}

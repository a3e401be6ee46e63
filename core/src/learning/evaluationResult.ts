import { type EvaluationForm, evaluationShape, scoreBins } from "../study/evaluation.js";
import { aucOf } from "./auc.js";
import { type Estimate, meanOf, proportion, z95 } from "./estimate.js";

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
  /** The area under the ROC curve of the binned score: a pair within one bin counts half. */
  readonly auc: Estimate;
  /** In nats, of the score rounded to the middle of its bin. */
  readonly logLoss: Estimate;
  /** Per bin of the score. */
  readonly calibration: readonly CalibrationBin[];
  /** From (0, 0) to (1, 1), at each bin's edge, falling score. */
  readonly roc: readonly { readonly falsePositive: number; readonly truePositive: number }[];
}

export interface CalibrationBin {
  /** The bin holds low < score ≤ high, the first one 0 as well. */
  readonly low: number;
  readonly high: number;
  /** Rows in it, at least 0. */
  readonly rows: number;
  /** The part of them that is of the second class. */
  readonly observed: Estimate;
}

/**
 * @param counts - [predictions × classes], as summed; entries may be negative and fractions
 * @param noiseStdDev - of the noise in each entry, from all surviving sites; 0 without noise
 */
export function evaluationResult(
  form: EvaluationForm,
  counts: Float64Array,
  noiseStdDev: number,
): EvaluationResult {
  const { predictions, classes } = evaluationShape(form);
  if (counts.length !== predictions * classes)
    throw new RangeError("the counts do not have the form's shape");
  const isCorrect = (prediction: number, actual: number) =>
    form.kind === "scores" ? prediction >= scoreBins / 2 === (actual === 1) : prediction === actual;
  const table: CountTable = { counts, predictions, classes, noiseStdDev };
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
    scores: form.kind === "scores" ? scoreResult(table) : null,
    counts: Array.from(counts),
  };
}

export interface CountTable {
  readonly counts: Float64Array;
  readonly predictions: number;
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

function scoreResult(table: CountTable): ScoreResult {
  const { counts, noiseStdDev } = table;
  const negatives = Float64Array.from({ length: scoreBins }, (_, b) => counts[2 * b]!);
  const positives = Float64Array.from({ length: scoreBins }, (_, b) => counts[2 * b + 1]!);
  return {
    auc: aucOf(negatives, positives, noiseStdDev),
    logLoss: logLossOf(table),
    calibration: Array.from({ length: scoreBins }, (_, b) => ({
      low: b / scoreBins,
      high: (b + 1) / scoreBins,
      rows: Math.max(0, negatives[b]! + positives[b]!),
      observed: partWhere(
        table,
        (p) => p === b,
        (_, c) => c === 1,
      ),
    })),
    roc: rocOf(negatives, positives),
  };
}

/** Mean loss: a ratio of sums, its variance to first order, that of the loss among rows and that of the noise. */
function logLossOf({ counts, noiseStdDev }: CountTable): Estimate {
  const losses = Float64Array.from(counts, (_, i) => {
    const middle = (Math.floor(i / 2) + 0.5) / scoreBins;
    return -Math.log(i % 2 === 1 ? middle : 1 - middle);
  });
  const most = Math.max(...losses);
  const rows = counts.reduce((sum, count) => sum + count, 0);
  const spread = noiseStdDev * Math.sqrt(counts.length);
  if (!(rows > 0 && rows > z95 * spread)) return { value: Math.log(2), low: 0, high: most };
  const value = Math.min(
    Math.max(counts.reduce((sum, count, i) => sum + count * losses[i]!, 0) / rows, 0),
    most,
  );
  let among = 0;
  let noise = 0;
  counts.forEach((count, i) => {
    among += Math.max(count, 0) * (losses[i]! - value) ** 2;
    noise += (noiseStdDev * (losses[i]! - value)) ** 2;
  });
  const halfWidth = (z95 * Math.sqrt(among + noise)) / rows;
  return { value, low: Math.max(0, value - halfWidth), high: Math.min(most, value + halfWidth) };
}

/** Cells below 0 count 0, so that the curve rises. */
function rocOf(negatives: Float64Array, positives: Float64Array): ScoreResult["roc"] {
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
  const inner = falsePositive.map((x, i) => ({ falsePositive: x, truePositive: truePositive[i]! }));
  return [
    { falsePositive: 0, truePositive: 0 },
    ...inner.slice(0, -1),
    { falsePositive: 1, truePositive: 1 },
  ];
}

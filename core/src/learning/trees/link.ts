import type { TreeEnsemble } from "./tree.js";

/**
 * From a model's outputs to probabilities. Which link a method has follows from its loss
 * (docs/methods/evaluation.md#probabilities).
 */

/**
 * The map from the log-odds that a method's loss implies to those that are released: intercept + slope · log-odds, fitted to
 * counts of held-out rows.
 */
export interface Calibration {
  readonly intercept: number;
  /** Above 0, so that the order of rows stays. */
  readonly slope: number;
}

/** Log-odds of two classes' parts are cut here: e^-16 is 1 in 9 million. */
export const logOddsMost = 16;

/**
 * What a row of two classes is ordered by: the one output, or the second class's part of two. On broadcast values, which are
 * multiples of 2^-24, it is the same on every machine.
 */
export function scoreOf(outputs: ArrayLike<number>, link: TreeEnsemble["link"]): number {
  if (link !== "classes") return outputs[0]!;
  const [first, second] = [Math.max(outputs[0]!, 0), Math.max(outputs[1]!, 0)];
  return first + second > 0 ? second / (first + second) : 0.5;
}

/** Rows with a score above it are predicted the second class. */
export function scoreThreshold(link: TreeEnsemble["link"]): number {
  return link === "classes" ? 0.5 : 0;
}

/** The log-odds of the second class that the method's loss gives a score. */
export function logOddsOf(score: number, link: TreeEnsemble["link"]): number {
  if (link === "logistic") return score;
  if (link === "margin") return 2 * score;
  const logOdds = Math.log(score) - Math.log(1 - score);
  return Math.min(logOddsMost, Math.max(-logOddsMost, logOdds));
}

/** The probability of the second class of two. */
export function probabilityAt(logOdds: number, calibration: Calibration | null): number {
  const calibrated = calibration === null ? logOdds : calibration.intercept + calibration.slope * logOdds;
  return 1 / (1 + Math.exp(-calibrated));
}

/** e^F_c over the sum of all classes' e^F. */
function softmaxOf(outputs: Float64Array): Float64Array {
  const most = outputs.reduce((a, b) => Math.max(a, b));
  const powers = outputs.map((output) => Math.exp(output - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

/**
 * A probability for each class. Of `softmax` as the loss has it. Of `classes`, where they are more than two, the outputs are
 * counts, weights or frequencies, and each one's part of their sum is its probability: below 0 is 0, and where all are,
 * every class has the same one.
 * @param calibration - of two classes alone
 */
export function probabilitiesOf(
  outputs: Float64Array,
  link: TreeEnsemble["link"],
  calibration: Calibration | null,
): Float64Array {
  if (link === "softmax") return softmaxOf(outputs);
  if (link !== "classes" || (outputs.length === 2 && calibration !== null)) {
    const second = probabilityAt(logOddsOf(scoreOf(outputs, link), link), calibration);
    return Float64Array.of(1 - second, second);
  }
  const weights = outputs.map((output) => Math.max(output, 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => (total > 0 ? weight / total : 1 / weights.length));
}

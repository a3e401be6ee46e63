import { z } from "zod";
import type { EvaluationResult } from "./evaluationResult.js";

/** The evaluation of a model of two classes as `model.json` has it. */

const finite = z.number();
const estimate = z.strictObject({ value: finite, low: finite, high: finite });

export const evaluationModelSchema = z.strictObject({
  rows: finite,
  noiseStdDev: finite,
  accuracy: estimate,
  majority: estimate,
  balancedAccuracy: estimate,
  auc: estimate,
  logLoss: estimate,
  /** What the calibration was fitted with: standard deviations of the level, at the rows' mean, and of the slope. */
  calibration: z.strictObject({
    intercept: finite,
    slope: finite,
    levelStdDev: finite,
    slopeStdDev: finite,
    optimism: finite,
    /** χ² of no calibration with two degrees of freedom: up to 4 the log-odds are left as they are, with intercept 0 and slope 1. */
    misfit: finite,
  }),
});

export function evaluationModel(
  evaluation: EvaluationResult | null,
): z.output<typeof evaluationModelSchema> | null {
  if (evaluation === null) return null;
  const { rows, noiseStdDev, accuracy, majority, balancedAccuracy } = evaluation;
  const { auc, logLoss, probability: calibration } = evaluation.scores!;
  return { rows, noiseStdDev, accuracy, majority, balancedAccuracy, auc, logLoss, calibration };
}

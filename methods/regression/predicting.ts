import type { Fit } from "./fits/fit.js";
import type { RegressionLayout } from "./study.js";

/**
 * Coefficients to predict with, on the scale of the columns: drawn to 0 as far as noise hides them, for errors of predictions, not for
 * intervals.
 * @returns [columns], without the log hazards of a Cox regression
 */
export function predictingOf({ columns }: RegressionLayout, { score }: Fit): Float64Array {
  return score.estimate.slice(0, columns);
}

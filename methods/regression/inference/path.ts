import { cholesky, quadratic, solved, times } from "../dense.js";
import { dot, semidefinite } from "./matrices.js";
import { minSpread } from "./spreads.js";

/** Half of this many sixths of a unit is what a step believes to be left, in standard deviations of a column. */
const tau = 2;

/**
 * A damped Newton step on the scale of standard deviations: the mean of what is left if each 6·s_j·d_j, and each level at the columns'
 * means, was N(0, 4). A spread that noise hides is taken as the noise, so that steps are short and of the right sign.
 * @param options.reach - maximum move of the linear predictor, at the mean and three of its own deviations from there
 * @returns [d]
 */
export function stepOf(options: {
  readonly score: Float64Array;
  readonly information: Float64Array;
  readonly scoreStdDev: number;
  readonly informationStdDev: number;
  readonly ones: Float64Array;
  readonly reach: number;
  readonly dispersion?: number;
}): Float64Array {
  const { score, information, scoreStdDev, informationStdDev, ones, reach, dispersion = 1 } = options;
  const d = score.length;
  const own = times(information, ones);
  const weight = Math.max(dot(ones, own), 1e-9);
  const means = own.map((value) => value / weight);
  const variance = means.map((mean, j) => information[j * (d + 1)]! / weight - mean * mean);
  const spread = variance.map((value) => Math.sqrt(Math.min(Math.max(value, minSpread ** 2), 0.25)));
  const raised = information.slice();
  for (let j = 0; j < d; j++) {
    if (ones[j] !== 0) continue;
    const hidden =
      minSpread ** 2 + (informationStdDev / weight) * Math.sqrt(1 + 2 * means[j]! ** 2) - variance[j]!;
    raised[j * (d + 1)] = raised[j * (d + 1)]! + weight * Math.max(0, hidden);
  }
  const S = semidefinite(raised, d);
  // Rows of K: a level at the columns' means.
  const levels: Float64Array[] = [];
  for (let j = 0; j < d; j++)
    if (ones[j] !== 0)
      levels.push(Float64Array.from({ length: d }, (_, i) => (i === j ? 1 : ones[i] !== 0 ? 0 : means[i]!)));
  let trace = 0;
  for (let j = 0; j < d; j++) trace += S[j * (d + 1)]!;
  const J = S.map((value) => dispersion * value);
  for (let j = 0; j < d; j++)
    J[j * (d + 1)] = J[j * (d + 1)]! + scoreStdDev ** 2 + 1e-9 * Math.max(trace, 1e-9);
  const factor = cholesky(J, d);
  // (SJ⁻¹S + P)·step = SJ⁻¹g
  const precision = new Float64Array(d * d);
  const columns = Array.from({ length: d }, (_, j) => {
    const column = new Float64Array(d);
    for (let i = 0; i < d; i++) column[i] = S[i * d + j]!;
    return solved(factor, d, column);
  });
  for (let i = 0; i < d; i++)
    for (let j = 0; j < d; j++) {
      let sum = 0;
      for (let k = 0; k < d; k++) sum += S[i * d + k]! * columns[j]![k]!;
      for (const level of levels) sum += (level[i]! * level[j]!) / tau ** 2;
      if (i === j && ones[i] === 0) sum += ((6 * spread[i]!) / tau) ** 2;
      precision[i * d + j] = sum;
    }
  for (let i = 0; i < d; i++)
    for (let j = 0; j < i; j++) {
      const mean = (precision[i * d + j]! + precision[j * d + i]!) / 2;
      precision[i * d + j] = mean;
      precision[j * d + i] = mean;
    }
  const step = solved(cholesky(precision, d), d, times(S, solved(factor, d, score)));
  let most = 0;
  for (const level of levels) most = Math.max(most, Math.abs(dot(level, step)));
  // Columns alone: correlated ones by their covariance, and none below its own spread.
  const along = step.map((value, j) => (ones[j] === 0 ? value : 0));
  let apart = 0;
  for (let j = 0; j < d; j++) apart += (spread[j]! * along[j]!) ** 2;
  const together = quadratic(S, along) / weight - dot(means, along) ** 2;
  most += 3 * Math.sqrt(Math.max(apart, together));
  const by = Math.min(1, reach / Math.max(most, 1e-9));
  return step.map((value) => value * by);
}

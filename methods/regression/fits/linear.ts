import { cholesky, solved } from "../dense.js";
import { semidefinite } from "../inference/matrices.js";
import { Score } from "../inference/score.js";
import type { OpenedSum } from "../openedSum.js";
import { type Fit, interceptFirst, linearReach } from "./fit.js";

/** Residuals are cut at so many of their standard deviations. */
const residualLimit = 5;

/**
 * Linear regression from one Gram matrix, the outcome within ±½; from many rows on a second sum of squared residuals tells of variances
 * that are not equal.
 * @param options.gram - at coefficients of 0
 * @param options.squares - Σ q²·xx' [d × d], q = clip((y - x'b)/c, -1, 1); left out: equal variances
 */
export async function fitLinear(options: {
  readonly gram: OpenedSum;
  readonly squares?: (b: Float64Array, c: number) => Promise<{ readonly sums: Float64Array }>;
}): Promise<Fit> {
  const { gram, squares } = options;
  const { score, information, squares: outcome, informationStdDev: noise } = gram;
  const d = score.length;
  const ones = interceptFirst(d);
  const rows = Math.max(information[0]!, 1);
  const G = semidefinite(information, d);
  const ridge = G.slice();
  for (let j = 0; j < d; j++) ridge[j * (d + 1)] = ridge[j * (d + 1)]! + 2 * noise + 1e-9;
  const b = solved(cholesky(ridge, d), d, score);
  let explained = 0;
  let length = 1;
  for (let i = 0; i < d; i++) {
    length += b[i]! ** 2;
    explained -= 2 * b[i]! * score[i]!;
    for (let j = 0; j < d; j++) explained += b[i]! * information[i * d + j]! * b[j]!;
  }
  const variance = Math.max(outcome! / rows - (score[0]! / rows) ** 2, 1e-4) + (2 * noise) / rows;
  const left = Math.max(rows - d, rows / 2);
  const residualVariance = Math.min(
    Math.max((outcome! + explained + noise * length) / left, noise > 0 ? 2e-4 : 0),
    variance,
  );
  let sampling = G.map((value) => residualVariance * value);
  if (squares !== undefined) {
    const c = Math.min(residualLimit * Math.sqrt(residualVariance), 1);
    const { sums } = await squares(b, c);
    const beyond = semidefinite(
      sums.map((value, p) => c * c * value - sampling[p]!),
      d,
    );
    sampling = sampling.map((value, p) => value + beyond[p]!);
  }
  const point = new Float64Array(d);
  const result = new Score({
    point,
    score,
    information,
    sampling,
    scoreStdDev: gram.scoreStdDev,
    informationStdDev: noise,
    ones,
    curve: 0,
    priorStdDev: 12 * Math.sqrt(variance),
    reach: linearReach,
  });
  return {
    score: result,
    opened: [{ ...gram, point }],
    start: null,
    dispersion: null,
    hasArrived: true,
    isSeparated: false,
    residuals: { residualVariance, variance },
  };
}

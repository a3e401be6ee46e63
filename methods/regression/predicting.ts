import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { RegressionDesign } from "./columns.js";
import { plainCurvature, structuredCurvature } from "./curvature.js";
import { cholesky, quadratic, solvedMatrix, times } from "./dense.js";
import type { AskedSum, Fit, Next } from "./fits/fit.js";
import type { Start } from "./openedSum.js";
import { featurePosterior, posterior } from "./posterior.js";
import type { RegressionLayout } from "./study.js";

/** The intercept is believed to lie within these of where the path began: in log-odds, in log rates, in parts of the outcome's range. */
const interceptStdDev = { logistic: 10, poisson: 3, cox: 3, linear: 2 } as const;
/** Sums of no record at all weigh this much. */
const minWeight = 1e-9;
/** Sums are weighted by how far their points are from the coefficients, which the sums tell in turn. */
const turns = 3;

/**
 * Coefficients to predict with, on the scale of the columns: drawn to 0 as far as noise hides them, for errors of predictions, not for
 * intervals (docs/methods/regression.md#predicting).
 * @returns [columns], without the log hazards of a Cox regression
 */
export async function predictingOf(
  layout: RegressionLayout,
  { opened, start, dispersion, residuals }: Pick<Fit, "opened" | "start" | "dispersion" | "residuals">,
  kernels: NumericKernels,
): Promise<Float64Array> {
  if (residuals !== null) return linear(layout, opened[0]!, kernels);
  const point = await pooled(layout, opened, { start, dispersion: dispersion ?? 1, kernels });
  return point.slice(0, layout.columns);
}

/** Parts of a layout that sums are pooled by. */
type PooledLayout = Pick<RegressionLayout, "columns" | "intervals" | "family"> & {
  readonly design: Pick<RegressionDesign, "columns" | "blocks" | "hasIntercept">;
};

/** The next sum of a path with noise is asked for at the coefficients to predict with of all sums so far. */
export const pooledNext =
  (layout: PooledLayout, start: Start | null, kernels: NumericKernels): Next =>
  (opened) => {
    const { squares, information, informationStdDev } = opened.at(-1)!;
    const dispersion = Math.max(1, (squares ?? 0) / Math.max(information[0]!, informationStdDev));
    return pooled(layout, opened, { start, dispersion, kernels });
  };

/** A sum with the intervals of a Cox regression as one intercept, from which its columns are told apart as others' are. */
interface Folded {
  /** [d] */
  readonly score: Float64Array;
  /** [d × d] */
  readonly information: Float64Array;
  readonly weight: number;
  /** [d] from where the path began. */
  readonly moved: Float64Array;
  readonly scoreStdDev: number;
  readonly informationStdDev: number;
}

/**
 * Sums of one regression at different points tell of the same coefficients: z = g_t + G(β_t - β_0) on the scale of the last sum's weight,
 * G being the mean of all informations by precision. What is not linear in between counts as noise of (c²/2)²γ·tr(G)/d, c² the mean square
 * change of the linear predictor from there to the coefficients.
 * @returns [parameters]: log hazards of a Cox regression in the proportions in which the path began
 */
async function pooled(
  layout: PooledLayout,
  opened: readonly AskedSum[],
  options: {
    readonly start: Start | null;
    readonly dispersion: number;
    readonly kernels: NumericKernels;
  },
): Promise<Float64Array> {
  const { columns: p, intervals, family } = layout;
  const design = withIntercept(layout.design);
  const d = design.columns.length;
  const begin = opened[Math.min(family === "logistic" ? 1 : 0, opened.length - 1)]!.point;
  const sums = opened.map((sum) => folded(layout, sum, { begin, start: options.start }));
  const last = sums.at(-1)!;
  const hasNoise = last.scoreStdDev > 0;
  const used = hasNoise ? sums : [last];
  const matrix = new Float64Array(d * d);
  let precision = 0;
  for (const { information, weight, informationStdDev } of used) {
    const own = hasNoise ? (weight / informationStdDev) ** 2 : 1;
    precision += own;
    information.forEach((value, q) => {
      matrix[q] = matrix[q]! + (own * value * last.weight) / weight;
    });
  }
  const stdDev = hasNoise ? last.weight / Math.sqrt(precision) : 0;
  const floored = await structuredCurvature(
    matrix.map((value) => value / precision),
    design,
    stdDev,
    options.kernels,
  );
  const told = used.map(({ score, weight, moved, scoreStdDev }) => {
    const scale = last.weight / weight;
    const along = times(floored, moved);
    return { moved, target: score.map((value, j) => scale * value + along[j]!), stdDev: scale * scoreStdDev };
  });
  let trace = 0;
  for (let j = 0; j < d; j++) trace += floored[j * (d + 1)]!;
  let found = last.moved;
  for (let turn = 0; turn < (hasNoise ? turns : 1); turn++) {
    const precisions = told.map(({ moved, stdDev }) => {
      if (!hasNoise) return 1;
      const apart = moved.map((value, j) => (j === 0 ? 0 : value - found[j]!));
      const change = quadratic(floored, apart) / last.weight;
      return 1 / (stdDev ** 2 + (change / 2) ** 2 * last.weight * (trace / d));
    });
    const all = precisions.reduce((sum, one) => sum + one, 0);
    const target = new Float64Array(d);
    let variance = 0;
    told.forEach((one, t) => {
      const part = precisions[t]! / all;
      variance += (part * one.stdDev) ** 2;
      one.target.forEach((value, j) => {
        target[j] = target[j]! + part * value;
      });
    });
    found = featurePosterior(
      {
        curvature: floored,
        covariance: floored.map(
          (value, q) =>
            options.dispersion * value +
            (q === 0 ? Math.max(1, intervals) : q % (d + 1) === 0 ? 1 : 0) * variance,
        ),
        target,
        interceptStdDev: interceptStdDev[family],
        hasNoise,
        curvatureStdDev: stdDev,
      },
      design.blocks,
    );
  }
  return begin.map((value, j) => value + found[intervals === 0 ? j : j < p ? j + 1 : 0]!);
}

/** Design with an intercept: of a Cox regression one stands for all intervals. */
function withIntercept(design: PooledLayout["design"]): PooledLayout["design"] {
  if (design.hasIntercept) return design;
  return {
    ...design,
    hasIntercept: true,
    columns: [{ name: "", feature: null, level: null, offset: 0, range: 1 }, ...design.columns],
    blocks: design.blocks.map((block) => ({ ...block, from: block.from + 1 })),
  };
}

/** A weight is that of all events while noise of so many deviations may be what is apart. */
const weightDeviations = 3;

function folded(
  { columns: p, intervals }: PooledLayout,
  sum: AskedSum,
  { begin, start }: { readonly begin: Float64Array; readonly start: Start | null },
): Folded {
  const { scoreStdDev, informationStdDev } = sum;
  const order = sum.point.length;
  const d = intervals === 0 ? p : p + 1;
  const at = (j: number) => (intervals === 0 ? j : j < p ? j + 1 : 0);
  const score = new Float64Array(d);
  const information = new Float64Array(d * d);
  const moved = new Float64Array(d);
  for (let i = 0; i < order; i++) {
    score[at(i)] = score[at(i)]! + sum.score[i]!;
    for (let j = 0; j < order; j++) {
      const q = at(i) * d + at(j);
      information[q] = information[q]! + sum.information[i * order + j]!;
    }
    if (i < p) moved[at(i)] = sum.point[i]! - begin[i]!;
  }
  let weight = Math.max(information[0]!, informationStdDev, minWeight);
  if (start !== null) {
    // At the coefficients the information of an intercept is the number of events, which has a sum of its own with less noise.
    const events = start.events.reduce((total, value) => total + value, 0);
    const least = start.eventsStdDev * Math.sqrt(start.events.length);
    const noise = weightDeviations * informationStdDev * Math.sqrt(Math.max(1, intervals));
    if (Math.abs(information[0]! - events) <= noise) weight = Math.max(events, least, minWeight);
    information[0] = weight;
  }
  // The intervals' mean by their weights.
  let all = 0;
  for (let k = p; k < order; k++) {
    const own = Math.max(sum.information[k * (order + 1)]!, weight * 1e-3);
    all += own;
    moved[0] = moved[0]! + own * (sum.point[k]! - begin[k]!);
  }
  if (intervals > 0) moved[0] = moved[0]! / all;
  return { score, information, weight, moved, scoreStdDev, informationStdDev };
}

/** The noise of J and the residual variance are those at the coefficients. */
const linearTurns = 6;
/** Limits of an outcome's variance in units of its range. */
const residualLimits = [1e-9, 1 / 4] as const;

/** Gβ = c of one Gram matrix [G c; c' v]. */
async function linear(
  { columns: d }: RegressionLayout,
  { score, information, squares, informationStdDev: stdDev }: AskedSum,
  kernels: NumericKernels,
): Promise<Float64Array> {
  const floored = await plainCurvature(information, d, stdDev, kernels);
  const rows = Math.max(1, information[0]!);
  let coefficients: Float64Array = new Float64Array(d);
  // Of no rows nothing is predicted but the middle.
  if (information[0]! <= 0 && stdDev === 0) return new Float64Array(d);
  let [, residualVariance] = residualLimits as readonly [number, number];
  for (let turn = 0; turn < linearTurns; turn++) {
    // Of the noise matrix E that of E(β, -1): σ²/2·(|b|²I + bb').
    const length = 1 + coefficients.reduce((sum, value) => sum + value ** 2, 0);
    const b = coefficients;
    const covariance = floored.map((value, q) => {
      const [i, j] = [Math.floor(q / d), q % d];
      return residualVariance * value + (stdDev ** 2 / 2) * ((i === j ? length : 0) + b[i]! * b[j]!);
    });
    coefficients = posterior({
      curvature: floored,
      covariance,
      target: score,
      interceptStdDev: interceptStdDev.linear,
      hasNoise: stdDev > 0,
    });
    const explained = coefficients.reduce((sum, value, j) => sum + value * score[j]!, 0);
    // The noisy sum of squares is the least there is by what coefficients follow noise and sampling: tr(A⁻¹J) in expectation.
    const inverse = solvedMatrix(cholesky(floored, d), d, covariance);
    let left = squares! - 2 * explained + quadratic(information, coefficients);
    for (let j = 0; j < d; j++) left += inverse[j * (d + 1)]!;
    residualVariance = Math.min(residualLimits[1], Math.max(residualLimits[0], left / rows));
  }
  return coefficients;
}

import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { noiseStdDev, type SoundStage } from "@consilium/core/study/soundSums";
import { type EvaluationResult, scaledResult } from "../shared/evaluation/evaluationResult.js";
import { encodeCoefficients, roundedCoefficients } from "./coefficients.js";
import { type Curvature, plainCurvature, structuredCurvature } from "./curvature.js";
import { cholesky, fromTriangle, quadratic, solvedMatrix, times } from "./dense.js";
import { cutsOf, marginScale } from "./marginScale.js";
import { errorOf, type NormalEquations, posterior } from "./posterior.js";
import { type RegressionLayout, type RegressionStudy, regressionLayout } from "./study.js";

/** What a regression comes to, on the scale of its columns: all of it computed from noisy sums. */
export interface RegressionResult {
  /** [d], the intercept first. */
  readonly coefficients: Float64Array;
  /** [d × d] their mean squared error, from sampling and noise. */
  readonly error: Float64Array;
  /** τ: around 0 with this standard deviation a coefficient was believed to lie. */
  readonly priorStdDev: number;
  /** Directions of the coefficients that noise hides, or that no row tells of. */
  readonly hidden: number;
  /** Rows of training, with the noise. */
  readonly rows: { readonly count: number; readonly noiseStdDev: number };
  /** Of a logistic regression. */
  readonly classes: {
    /** Rows of the label's second level, with the noise. */
    readonly positives: { readonly count: number; readonly noiseStdDev: number };
    /** Σ p(1-p) at the end. */
    readonly information: number;
  } | null;
  /** Of a linear regression, in units of the outcome's range. */
  readonly fit: { readonly residualVariance: number; readonly variance: number } | null;
  /** Standard deviation of the noise in an entry of each stage's sum, in units of 1. */
  readonly noiseStdDevs: Readonly<Record<string, number>>;
  readonly evaluation: EvaluationResult | null;
}

type Ask = (
  stage: SoundStage,
  broadcast: Broadcast,
) => Promise<{ readonly sums: Float64Array; readonly stdDev: number }>;

type Kernels = Pick<SumConversation, "sum" | "survivors" | "kernels">;

/**
 * A regression, aggregator side, over whatever adds the sites' vectors.
 * @param check - runs what judges a sum, and may turn its RangeError into an error of its own
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function regressionConversation(options: {
  readonly study: RegressionStudy;
  readonly conversation: Kernels;
  readonly check?: (judge: () => Float64Array) => Float64Array;
}): Promise<RegressionResult> {
  const { study, conversation } = options;
  const check = options.check ?? ((judge) => judge());
  const noiseStdDevs: Record<string, number> = {};
  const ask: Ask = async (stage, broadcast) => {
    const total = await conversation.sum(stage.id, broadcast);
    const sums = check(() => unscaledSum(study, stage, total));
    const unit = stage.integersPerUnit;
    const stdDev = noiseStdDev(study, stage, conversation.survivors) / unit;
    noiseStdDevs[stage.id] = stdDev;
    return { sums: sums.map((sum) => sum / unit), stdDev };
  };
  const layout = regressionLayout(study);
  const found =
    study.parameters.family === "linear"
      ? await linear(layout, ask, conversation)
      : await logistic(layout, ask, conversation);
  return { ...found, noiseStdDevs };
}

type Found = Omit<RegressionResult, "noiseStdDevs">;

/** An intercept is believed to within these: in log-odds, and in the outcome's range. */
const interceptStdDev = { logistic: 10, linear: 2 } as const;
/** The noise of J and the residual variance are those at the coefficients: found by turns. */
const turns = 6;

/** [G c; c' v] = Σ (x, y)(x, y)': β̂ solves Gβ = c as far as noise lets it. */
async function linear(layout: RegressionLayout, ask: Ask, { kernels }: Kernels): Promise<Found> {
  const { columns: d, gram } = layout;
  const { sums, stdDev } = await ask(gram, {});
  const whole = fromTriangle(sums, d + 1);
  const matrix = new Float64Array(d * d);
  const target = new Float64Array(d);
  for (let i = 0; i < d; i++) {
    target[i] = whole[i * (d + 1) + d]!;
    for (let j = 0; j < d; j++) matrix[i * d + j] = whole[i * (d + 1) + j]!;
  }
  const rows = Math.max(1, matrix[0]!);
  const curvature = await plainCurvature(matrix, d, stdDev, kernels);
  let residualVariance = residualMost;
  let coefficients: Float64Array = new Float64Array(d);
  let priorStdDev = 1;
  let equations: NormalEquations | null = null;
  for (let turn = 0; turn < turns; turn++) {
    const covariance = linearCovariance(curvature, coefficients, { residualVariance, stdDev });
    equations = {
      curvature: curvature.floored,
      covariance,
      target,
      interceptStdDev: interceptStdDev.linear,
      hasNoise: stdDev > 0,
    };
    ({ coefficients, priorStdDev } = posterior(equations));
    const b = Float64Array.of(...coefficients, -1);
    // The noisy sum of squares is the least there is by what coefficients follow noise and sampling: tr(A⁻¹J) in expectation.
    const followed = traceOf(solvedMatrix(cholesky(curvature.floored, d), d, covariance), d);
    residualVariance = Math.min(
      residualMost,
      Math.max(residualLeast, (quadratic(whole, b) + followed) / rows),
    );
  }
  const error = errorOf(equations!, curvature.resolved, priorStdDev);
  const mean = target[0]! / rows;
  return {
    coefficients,
    error,
    priorStdDev,
    hidden: curvature.hidden,
    rows: { count: matrix[0]!, noiseStdDev: stdDev },
    classes: null,
    fit: {
      residualVariance,
      variance: Math.max(0, whole[(d + 1) ** 2 - 1]! / rows - mean ** 2),
    },
    evaluation: null,
  };
}

/** An outcome within its bounds has no more variance than this, in units of its range. */
const residualMost = 1 / 4;
const residualLeast = 1e-9;

/**
 * J of c - Gβ: s²G of the rows, and of the noise matrix E that of E(β, -1), whose covariance is σ²/2·(|b|²I + bb') with b = (β, -1),
 * for E has variance σ² on the diagonal and σ²/2 off it.
 */
function linearCovariance(
  { floored }: Curvature,
  coefficients: Float64Array,
  { residualVariance, stdDev }: { readonly residualVariance: number; readonly stdDev: number },
): Float64Array {
  const d = coefficients.length;
  const length = 1 + coefficients.reduce((sum, value) => sum + value ** 2, 0);
  const noise = stdDev ** 2 / 2;
  return floored.map((value, p) => {
    const [i, j] = [Math.floor(p / d), p % d];
    return residualVariance * value + noise * ((i === j ? length : 0) + coefficients[i]! * coefficients[j]!);
  });
}

function traceOf(matrix: Float64Array, d: number): number {
  let sum = 0;
  for (let i = 0; i < d; i++) sum += matrix[i * d + i]!;
  return sum;
}

/** Of the steps the last half is what coefficients are released from: by then they are near. */
const lastPart = 0.5;

/**
 * Fixed-Hessian Newton: ¼X'X is at least the log loss's second derivative everywhere [BL88], so that one matrix serves all steps. The
 * information at the end is what intervals come from (docs/methods/regression.md).
 */
async function logistic(layout: RegressionLayout, ask: Ask, { kernels }: Kernels): Promise<Found> {
  const { columns: d, design, gram, gradients, information, evaluation } = layout;
  const bound = await ask(gram, {});
  const bounding = fromTriangle(bound.sums, d);
  const fixed = await structuredCurvature(bounding, design, bound.stdDev, kernels);
  let coefficients: Float64Array = new Float64Array(d);
  // Of the gradients so far, each with Hβ of where it was taken, a mean that forgets the first ones: weights 2/(t+1).
  let target: Float64Array = new Float64Array(d);
  let variance = 0;
  const points: Float64Array[] = [];
  const slopes: Float64Array[] = [];
  let firstStdDev = 0;
  let gradientStdDev = 0;
  for (const [index, stage] of gradients.entries()) {
    const { sums, stdDev } = await ask(stage, index === 0 ? {} : encodeCoefficients(coefficients));
    if (index === 0) firstStdDev = stdDev;
    gradientStdDev = stdDev;
    points.push(coefficients);
    slopes.push(sums);
    const weight = 2 / (index + 2);
    const here = times(fixed.floored, coefficients);
    target = target.map((value, j) => (1 - weight) * value + weight * (sums[j]! + here[j]!));
    variance = (1 - weight) ** 2 * variance + (weight * stdDev) ** 2;
    coefficients = roundedCoefficients(
      posterior({
        curvature: fixed.floored,
        covariance: withNoise(fixed.floored, d, variance),
        target,
        interceptStdDev: interceptStdDev.logistic,
        hasNoise: stdDev > 0,
      }).coefficients,
    );
  }
  const last = await ask(information!, encodeCoefficients(coefficients));
  const curvature = await structuredCurvature(fromTriangle(last.sums, d), design, last.stdDev, kernels);
  const used = Math.ceil(lastPart * gradients.length);
  const point = meanOf(points.slice(-used));
  const slope = meanOf(slopes.slice(-used));
  const moved = times(curvature.floored, point);
  const equations: NormalEquations = {
    curvature: curvature.floored,
    covariance: withNoise(curvature.floored, d, gradientStdDev ** 2 / used),
    target: slope.map((value, j) => value + moved[j]!),
    interceptStdDev: interceptStdDev.logistic,
    hasNoise: gradientStdDev > 0,
  };
  const found = posterior(equations);
  const released = roundedCoefficients(found.coefficients);
  const rows = 4 * bound.sums[0]!;
  const common = {
    coefficients: released,
    error: errorOf(equations, curvature.resolved, found.priorStdDev),
    priorStdDev: found.priorStdDev,
    hidden: curvature.hidden,
    rows: { count: rows, noiseStdDev: 4 * bound.stdDev },
    classes: {
      // The first gradient is that at probability ½.
      positives: {
        count: slopes[0]![0]! + rows / 2,
        noiseStdDev: Math.hypot(firstStdDev, 2 * bound.stdDev),
      },
      information: last.sums[0]!,
    },
    fit: null,
  };
  if (evaluation === null) return { ...common, evaluation: null };
  const scale = marginScale(design, released, fixed.floored);
  const { sums, stdDev } = await ask(evaluation, { ...encodeCoefficients(released), ...cutsOf(scale) });
  return { ...common, evaluation: scaledResult(sums, stdDev, scale) };
}

function withNoise(matrix: Float64Array, d: number, variance: number): Float64Array {
  return matrix.map((value, p) => (p % (d + 1) === 0 ? value + variance : value));
}

function meanOf(vectors: readonly Float64Array[]): Float64Array {
  return vectors[0]!.map((_, j) => vectors.reduce((sum, one) => sum + one[j]!, 0) / vectors.length);
}

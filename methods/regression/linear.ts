import type { SumConversation } from "@consilium/core/learning/sums";
import type { Ask, Found } from "./conversation.js";
import { type Curvature, plainCurvature } from "./curvature.js";
import { cholesky, fromTriangle, quadratic, solvedMatrix } from "./dense.js";
import { errorOf, type NormalEquations, posterior } from "./posterior.js";
import type { RegressionLayout } from "./study.js";

/** An intercept is believed to lie within this of the middle, in parts of the outcome's range. */
const interceptStdDev = 2;
/** The noise of J and the residual variance are those at the coefficients: found by turns. */
const turns = 6;

/** [G c; c' v] = Σ (x, y)(x, y)': β̂ solves Gβ = c as far as noise lets it. */
export async function linear(
  layout: RegressionLayout,
  ask: Ask,
  { kernels }: Pick<SumConversation, "kernels">,
): Promise<Found> {
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
      interceptStdDev,
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
  const error = errorOf(equations!, { resolved: curvature.resolved, priorStdDev });
  const mean = target[0]! / rows;
  return {
    coefficients,
    predicting: coefficients,
    error,
    priorStdDev,
    hidden: curvature.hidden,
    rows: { count: matrix[0]!, noiseStdDev: stdDev },
    classes: null,
    events: null,
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

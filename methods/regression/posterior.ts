import {
  cholesky,
  inverseDiagonal,
  logDeterminant,
  product,
  solved,
  solvedMatrix,
  symmetric,
  times,
} from "./dense.js";

export interface NormalEquations {
  /** A of the estimate: positive definite. */
  readonly curvature: Float64Array;
  /** J: positive definite. */
  readonly covariance: Float64Array;
  /** z. */
  readonly target: Float64Array;
  /** τ0. */
  readonly interceptStdDev: number;
  /** True where τ is chosen; otherwise it is the widest, which is next to none. */
  readonly hasNoise: boolean;
}

/** τ is one of these: each √2 times the one before. */
const priorStdDevs = Array.from(
  { length: 21 },
  (_, i) => 2 ** (Math.floor(i / 2) - 5) * (i % 2 === 0 ? 1 : Math.SQRT2),
);

/**
 * Coefficients from noisy normal equations z = Aβ + e, Cov e = J, of which A is known as far as noise lets it be. Each coefficient but the
 * intercept is believed to lie around 0 with one standard deviation τ: where data are plenty τ hardly matters, and where noise hides a
 * coefficient it is drawn towards 0 as far as the others say.
 *
 *   β̂ = Σ p(τ | z)·(AJ⁻¹A + S⁻¹)⁻¹AJ⁻¹z,  S = diag(τ0², τ², …, τ²), every τ as likely as the next before z is seen
 * @returns β̂ [d]
 */
export function posterior(equations: NormalEquations): Float64Array {
  const { target, interceptStdDev, hasNoise } = equations;
  const d = target.length;
  const { evidence, precision } = toldBy(equations);
  const found = (hasNoise ? priorStdDevs : priorStdDevs.slice(-1)).map((priorStdDev) => {
    const lower = cholesky(withPrior(precision, d, interceptStdDev, priorStdDev), d);
    const coefficients = solved(lower, d, evidence);
    const fit = evidence.reduce((sum, value, j) => sum + value * coefficients[j]!, 0);
    // Up to what does not depend on τ.
    const logLikelihood = (fit - logDeterminant(lower, d)) / 2 - (d - 1) * Math.log(priorStdDev);
    return { coefficients, logLikelihood };
  });
  const most = Math.max(...found.map(({ logLikelihood }) => logLikelihood));
  const mean = new Float64Array(d);
  let all = 0;
  for (const { coefficients, logLikelihood } of found) {
    const weight = Math.exp(logLikelihood - most);
    all += weight;
    coefficients.forEach((value, j) => {
      mean[j] = mean[j]! + weight * value;
    });
  }
  return mean.map((value) => value / all);
}

/** AJ⁻¹z and AJ⁻¹A: what the equations tell, whatever is believed. */
function toldBy({ curvature, covariance, target }: NormalEquations) {
  const d = target.length;
  const factor = cholesky(covariance, d);
  return {
    evidence: times(curvature, solved(factor, d, target)),
    precision: symmetric(product(curvature, solvedMatrix(factor, d, curvature), d), d),
  };
}

/** τ² of a feature is believed to be about 1, as much as half a coefficient would tell: little, so that features differ as they do. */
const featureWeight = 0.5;
const featureTurns = 10;
/** A's noise counts by so much of its variance: what A is known by beside its sums leaves less than all. */
const curvaturePart = 1 / 4;

/**
 * As `posterior`, with one τ for each feature, found by turns (expectation and maximisation): a feature that tells much is drawn to 0
 * less than others. Of a feature with one coefficient τ follows that coefficient, so that no interval of known
 * rate belongs to it.
 * @param equations.curvatureStdDev - of the noise of an entry of A, a quarter of whose square times τ² is added to a coefficient's entry of J
 */
export function featurePosterior(
  equations: NormalEquations & { readonly curvatureStdDev: number },
  blocks: readonly { readonly from: number; readonly width: number }[],
): Float64Array {
  const { target, interceptStdDev, hasNoise, curvatureStdDev } = equations;
  const d = target.length;
  const believed = new Float64Array(d).fill(hasNoise ? 1 : priorStdDevs.at(-1)! ** 2);
  believed[0] = interceptStdDev ** 2;
  const told = () => {
    const covariance = equations.covariance.slice();
    for (let j = 1; j < d; j++)
      covariance[j * (d + 1)] =
        covariance[j * (d + 1)]! + curvaturePart * curvatureStdDev ** 2 * believed[j]!;
    const { evidence, precision } = toldBy({ ...equations, covariance });
    return { evidence, lower: cholesky(withBeliefs(precision, believed), d) };
  };
  let { evidence, lower } = told();
  for (let turn = 0; hasNoise && turn < featureTurns; turn++) {
    const coefficients = solved(lower, d, evidence);
    const variances = inverseDiagonal(lower, d);
    for (const { from, width } of blocks) {
      let squares = 0;
      for (let j = from; j < from + width; j++) squares += coefficients[j]! ** 2 + variances[j]!;
      believed.fill((squares + featureWeight) / (width + featureWeight), from, from + width);
    }
    ({ evidence, lower } = told());
  }
  return solved(lower, d, evidence);
}

function withPrior(
  precision: Float64Array,
  d: number,
  interceptStdDev: number,
  priorStdDev: number,
): Float64Array {
  const variances = new Float64Array(d).fill(priorStdDev ** 2);
  variances[0] = interceptStdDev ** 2;
  return withBeliefs(precision, variances);
}

function withBeliefs(precision: Float64Array, variances: Float64Array): Float64Array {
  const d = variances.length;
  const out = precision.slice();
  variances.forEach((variance, j) => {
    out[j * (d + 1)] = out[j * (d + 1)]! + 1 / variance;
  });
  return out;
}

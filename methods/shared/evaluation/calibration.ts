import type { Calibration } from "@consilium/core/learning/trees/link";

/**
 * Calibration of a model's log-odds by noisy counts of held-out rows [Pla99]: log-odds a + b·x of the second class, x
 * the log-odds that the method's loss implies. With ỹ_j of ñ_j rows of range j in the second class, noise included,
 *
 *   g(a, b) = Σ_j (ỹ_j - ñ_j·p_j)·(1, x_j)
 *
 * is the score of the logistic likelihood. It is linear in the counts, so noise leaves its mean 0 at the true a and b, and its
 * covariance is J = I + σ²·Σ_j ((1-p_j)² + p_j²)·(1, x_j)(1, x_j)ᵀ, I that of the rows. The estimate is the least of
 * gᵀJ⁻¹g + d ᵀS⁻¹d, d the distance from what the loss implies, a = 0 and b = 1: the more noise, the less it leaves that
 * (docs/methods/evaluation.md#calibration).
 */

/** Counts of one range of scores. */
export interface CalibrationRange {
  /** By the link. */
  readonly logOdds: number;
  /** Noisy. */
  readonly rows: number;
  /** Noisy: those of the second class. */
  readonly positives: number;
}

export interface CalibrationFit extends Calibration {
  /** Standard deviation of the log-odds at the rows' mean, and of the slope. */
  readonly levelStdDev: number;
  readonly slopeStdDev: number;
  /** How much too small the mean log-loss of these rows is, in expectation, because they were fitted. */
  readonly optimism: number;
  /** T = gᵀJ⁻¹g where a = 0 and b = 1: χ² with two degrees of freedom of a model that needs no calibration. */
  readonly misfit: number;
}

/** T of a correction that is twice as large as its own error, in expectation: one for each of the two numbers. */
const worthwhileMisfit = 4;

/**
 * What is released of a fit: the log-odds that the loss implies, unless a calibration corrects more than its own error adds
 * (docs/methods/evaluation.md#worthwhile). With Δ the correction that is right and V the covariance of the one that is fitted, the former
 * costs ΔᵀV⁻¹Δ where it is left out, the latter trace(V⁻¹V) = 2 where it is made, and E[T] = 2 + ΔᵀV⁻¹Δ. So it is made where T > 4.
 */
export function worthwhile(fit: CalibrationFit): CalibrationFit {
  return isWorthwhile(fit) ? fit : { ...fit, intercept: 0, slope: 1, optimism: 0 };
}

export const isWorthwhile = ({ misfit }: Pick<CalibrationFit, "misfit">): boolean =>
  misfit > worthwhileMisfit;

/** What the loss implies is believed to within these standard deviations: of the level and of the slope. */
const priorStdDev = 3;
/** The order of rows stays whatever the counts say. */
const slopeLeast = 2 ** -10;
const stepsMost = 100;

type Pair = readonly [number, number];
/** Symmetric: [[a, b], [b, c]]. */
type Matrix = readonly [a: number, b: number, c: number];

/** @param noiseStdDev - of the noise in each of a range's two counts */
export function fittedCalibration(ranges: readonly CalibrationRange[], noiseStdDev: number): CalibrationFit {
  const { total, centre, centred } = aroundMean(ranges);
  const prior: Pair = [centre, 1];
  const at = ([level, slope]: Pair) => conditionsAt(centred, noiseStdDev, level, slope);
  const implied = at(prior);
  let theta: Pair = prior;
  for (let step = 0; step < stepsMost; step++) {
    const [dLevel, dSlope] = stepFrom(at(theta), theta, prior);
    // A step in which no range's log-odds move by more than 1: far from the solution the slopes there mean little.
    const most = Math.max(1, Math.abs(dLevel), ...centred.map(({ x }) => Math.abs(dLevel + dSlope * x)));
    theta = [theta[0] + dLevel / most, Math.max(slopeLeast, theta[1] + dSlope / most)];
    if (Math.abs(dLevel) + Math.abs(dSlope) < 1e-9) break;
  }
  const { information, covariance } = at(theta);
  const posterior = inverse(precisionOf(information, covariance));
  return {
    intercept: theta[0] - theta[1] * centre,
    slope: theta[1],
    levelStdDev: Math.sqrt(posterior[0]),
    slopeStdDev: Math.sqrt(posterior[2]),
    optimism: total > 0 ? traceOfProduct(posterior, information) / total : 0,
    misfit: dot(implied.score, times(inverse(implied.covariance), implied.score)),
  };
}

/**
 * Standard deviation of a fit's intercept, the log-odds at a score of 0. Where a class is rare that is far from most rows and yet
 * where they say most, so it does not follow from those of level and slope.
 * @param ranges - those of the fit
 */
export function interceptStdDev(
  ranges: readonly CalibrationRange[],
  noiseStdDev: number,
  { intercept, slope }: Calibration,
): number {
  const { centre, centred } = aroundMean(ranges);
  const { information, covariance } = conditionsAt(centred, noiseStdDev, intercept + slope * centre, slope);
  const [level, both, own] = inverse(precisionOf(information, covariance));
  return Math.sqrt(level - 2 * centre * both + centre ** 2 * own);
}

/** Log-odds less their mean over the rows. */
function aroundMean(ranges: readonly CalibrationRange[]) {
  const weights = ranges.map(({ rows }) => Math.max(0, rows));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const centre =
    total > 0 ? ranges.reduce((sum, { logOdds }, j) => sum + weights[j]! * logOdds, 0) / total : 0;
  return { total, centre, centred: ranges.map((range) => ({ ...range, x: range.logOdds - centre })) };
}

interface Conditions {
  /** g. */
  readonly score: Pair;
  /** I, at least a little of it: the step divides by it. */
  readonly information: Matrix;
  /** J. */
  readonly covariance: Matrix;
}

function conditionsAt(
  ranges: readonly (CalibrationRange & { readonly x: number })[],
  noiseStdDev: number,
  level: number,
  slope: number,
): Conditions {
  const tiny = 1e-12;
  let [g0, g1] = [0, 0];
  let [i0, i1, i2] = [tiny, 0, tiny];
  let [j0, j1, j2] = [0, 0, 0];
  for (const { x, rows, positives } of ranges) {
    const p = 1 / (1 + Math.exp(-(level + slope * x)));
    const residual = positives - rows * p;
    g0 += residual;
    g1 += residual * x;
    const inside = Math.max(0, rows) * p * (1 - p);
    i0 += inside;
    i1 += inside * x;
    i2 += inside * x * x;
    const noise = noiseStdDev ** 2 * ((1 - p) ** 2 + p ** 2);
    j0 += noise;
    j1 += noise * x;
    j2 += noise * x * x;
  }
  return { score: [g0, g1], information: [i0, i1, i2], covariance: [i0 + j0, i1 + j1, i2 + j2] };
}

/** (I·J⁻¹·I + S⁻¹)⁻¹·(I·J⁻¹·g - S⁻¹·d). */
function stepFrom({ score, information, covariance }: Conditions, theta: Pair, prior: Pair): Pair {
  const weighted = times(information, times(inverse(covariance), score));
  const drawn: Pair = [
    weighted[0] - (theta[0] - prior[0]) / priorStdDev ** 2,
    weighted[1] - (theta[1] - prior[1]) / priorStdDev ** 2,
  ];
  return times(inverse(precisionOf(information, covariance)), drawn);
}

/** I·J⁻¹·I + S⁻¹. */
function precisionOf(information: Matrix, covariance: Matrix): Matrix {
  const [a, b, c] = information;
  const left = times(inverse(covariance), [a, b]);
  const right = times(inverse(covariance), [b, c]);
  const own = 1 / priorStdDev ** 2;
  return [a * left[0] + b * left[1] + own, a * right[0] + b * right[1], b * right[0] + c * right[1] + own];
}

function inverse([a, b, c]: Matrix): Matrix {
  const determinant = a * c - b * b;
  // All ranges at one score leave the slope to what the loss implies.
  const safe = determinant > 1e-300 ? determinant : Number.POSITIVE_INFINITY;
  return safe === determinant ? [c / safe, -b / safe, a / safe] : [1 / a, 0, 0];
}

const times = ([a, b, c]: Matrix, [x, y]: Pair): Pair => [a * x + b * y, b * x + c * y];

const dot = ([a, b]: Pair, [c, d]: Pair) => a * c + b * d;

const traceOfProduct = (m: Matrix, n: Matrix) => m[0] * n[0] + 2 * m[1] * n[1] + m[2] * n[2];

import { roundedCoefficients } from "../coefficients.js";
import { quadratic, times } from "../dense.js";
import { dot, generalisedInverse, semidefinite } from "../inference/matrices.js";
import { Score } from "../inference/score.js";
import type { SeenSpreads } from "../inference/spreads.js";
import type { OpenedSum, Start } from "../openedSum.js";

/** A sum that was opened, and where it was asked for. */
export interface AskedSum extends OpenedSum {
  /** [d] */
  readonly point: Float64Array;
}

/** Asks for score and information at a point. */
export type Ask = (point: Float64Array) => Promise<OpenedSum>;

/** Where the next sum is asked for, of at least one that was opened: [d]. */
export type Next = (opened: readonly AskedSum[]) => Promise<Float64Array>;

/** Result of a regression, on the scale of its columns. */
export interface Fit {
  readonly score: Score;
  /** All sums, in the order in which they were asked for. */
  readonly opened: readonly AskedSum[];
  readonly start: Start | null;
  /** φ of counts: by how much they vary more than Poisson's, at least 1; null of others. */
  readonly dispersion: number | null;
  /** Without privacy: whether the gradient is 0. With noise: whether the last sum asks for no more than it can tell. */
  readonly hasArrived: boolean;
  /** No finite coefficients fit: columns tell the outcome without exception. */
  readonly isSeparated: boolean;
  /** Variances of a linear regression, in units of the outcome's range; null of others. */
  readonly residuals: { readonly residualVariance: number; readonly variance: number } | null;
}

/** g'I⁻¹g, in squared standard errors, below which a gradient is 0; and where it no longer falls, for what is left is rounding. */
const zeroGradient = 1e-6;
const zeroWithRounding = 1e-3;
/** Changes of the linear predictor beyond this are no small ones. */
const maxChange = 1;
/** T of no change, a coefficient. Of paths that arrive it is at most some 30; noise of earlier sums is in it. */
const maxMisfit = 50;
/** Steps by the last sum alone are for noise of less, beside the sum's weight, than the variance of a column six deviations wide. */
const maxNoise = 1 / 36;
/** And for fewer columns than these: from there on noise of the whole matrix hides what they go by. */
const steppedColumns = 12;
const logOddsReach = { perSpread: 2.5, level: 15 } as const;
export const linearReach = { perSpread: 0.5, level: 1 } as const;

/** An intercept first. */
export function interceptFirst(d: number): Float64Array {
  const ones = new Float64Array(d);
  ones[0] = 1;
  return ones;
}

/**
 * The sums of a path with noise, the last of them where the path ends.
 * @param options.opened - those before `start`
 * @param options.step - from the newest sum; taken where `next` is left out
 */
export async function walked(
  ask: Ask,
  options: {
    readonly start: Float64Array;
    readonly ones: Float64Array;
    readonly sums: number;
    readonly spreads: SeenSpreads;
    /** From the newest sum, where its own information shows through its noise. */
    readonly step: (sum: AskedSum) => Float64Array;
    /** From all sums, where it does not; left out: as where it does. */
    readonly next?: Next | undefined;
    readonly opened?: readonly AskedSum[];
  },
): Promise<AskedSum[]> {
  const { start, ones, sums, spreads, step, next } = options;
  const opened = [...(options.opened ?? [])];
  let point = roundedCoefficients(start);
  while (opened.length < sums) {
    const sum = { ...(await ask(point)), point };
    opened.push(sum);
    spreads.add(sum.information, sum.informationStdDev);
    if (opened.length === sums) break;
    const { information, informationStdDev } = sum;
    const isSeen = maxNoise * quadratic(information, ones) > informationStdDev * Math.sqrt(dot(ones, ones));
    const isStep = isSeen && point.length - dot(ones, ones) < steppedColumns;
    point = roundedCoefficients(isStep || next === undefined ? moved(point, step(sum)) : await next(opened));
  }
  return opened;
}

/** Newton's steps until the gradient is 0, along directions that records tell of alone. */
export async function newton(
  ask: Ask,
  options: {
    readonly start: Float64Array;
    readonly ones: Float64Array;
    readonly sums: number;
    /** Maximum move of the linear predictor in a step, root mean square. */
    readonly reach: number;
    /** Where records weigh no more than this together, columns separate the outcome and coefficients grow without end; 0 by default. */
    readonly leastWeight?: number;
    readonly spreads: SeenSpreads;
  },
): Promise<{ readonly opened: AskedSum[]; readonly hasArrived: boolean }> {
  const { ones, sums, reach, spreads, leastWeight = 0 } = options;
  const opened: AskedSum[] = [];
  let point = roundedCoefficients(options.start);
  let before = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < sums; turn++) {
    const sum = await ask(point);
    opened.push({ ...sum, point });
    spreads.add(sum.information, 0);
    const weight = Math.max(quadratic(sum.information, ones), 1e-300);
    if (weight < leastWeight) break;
    const { step, decrement } = newtonStep(sum, point.length);
    const isRounding = decrement < zeroWithRounding && decrement > before / 4;
    if (decrement < zeroGradient || isRounding) return { opened, hasArrived: true };
    before = decrement;
    const change = Math.sqrt(Math.max(0, quadratic(sum.information, step)) / weight);
    const by = Math.min(1, reach / Math.max(change, 1e-300));
    point = roundedCoefficients(point.map((value, j) => value + by * step[j]!));
  }
  return { opened, hasArrived: false };
}

/** I⁻g and g'I⁻g, without directions that no record tells of. */
function newtonStep({ score, information }: OpenedSum, d: number) {
  const step = times(generalisedInverse(information, d).inverse, score);
  return { step, decrement: dot(step, score) };
}

/** True where the last sum asks for no more than its expansion holds for: it shows a path that stopped short. */
export const arrivedAt = ({ change, remainder, misfit, point }: Score): boolean =>
  change <= maxChange && remainder <= 1 && misfit <= maxMisfit * point.length;

/** The score test of the last sum of a regression of a rate or of odds. */
export function scoreOf(
  last: AskedSum,
  options: {
    readonly ones: Float64Array;
    readonly curve: number;
    readonly spreads?: SeenSpreads;
    readonly dispersion?: number;
  },
): Score {
  const d = last.point.length;
  const { ones, curve, spreads, dispersion = 1 } = options;
  return new Score({
    point: last.point,
    score: last.score,
    information: last.information,
    sampling: semidefinite(last.information, d).map((value) => dispersion * value),
    scoreStdDev: last.scoreStdDev,
    informationStdDev: last.informationStdDev,
    ones,
    curve,
    ...(spreads === undefined ? {} : { spreads: spreads.bounds }),
    reach: logOddsReach,
  });
}

const moved = (point: Float64Array, step: Float64Array): Float64Array =>
  point.map((value, j) => value + step[j]!);

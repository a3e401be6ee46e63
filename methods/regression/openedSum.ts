import type { SoundStage } from "@consilium/core/study/soundSums";
import type { RegressionLayout } from "./study.js";

/** Score and information of one sum, as far as its noise lets them be known: sums over records in units of 1. */
export interface OpenedSum {
  /** [d] Σ r·x. */
  readonly score: Float64Array;
  /** [d × d] symmetric, Σ w·xx'; of a Cox regression 0 between two different intervals, without noise. */
  readonly information: Float64Array;
  /** Standard deviation of the noise of an entry of `score`. */
  readonly scoreStdDev: number;
  /** On the diagonal of `information`; divided by √2 off it. */
  readonly informationStdDev: number;
  /** Σ r² of a Poisson and a linear regression; null of others. */
  readonly squares: number | null;
  readonly squaresStdDev: number;
  /** Poisson: rows at the bound of their residual. Cox: patients whose follow-up was cut. Null of others. */
  readonly bounded: number | null;
  readonly boundedStdDev: number;
}

/** Totals that a Poisson or a Cox regression begins at. */
export interface Start {
  /** [1], or [K] by interval: what was counted. */
  readonly events: Float64Array;
  /** [1] in the exposure's unit, or rows where there is none; [K] in horizons. */
  readonly exposures: Float64Array;
  /** Standard deviations of the noise of an entry. */
  readonly eventsStdDev: number;
  readonly exposuresStdDev: number;
}

/**
 * The sum of `gram`, at coefficients of 0, or of one of `sums`, at the coefficients that were broadcast.
 * @param sums - the stage's sum in units of 1: over its integers per unit
 * @param stdDev - of the noise of an entry, of a Gram matrix on its diagonal, in the same unit
 */
export function openedSum(
  layout: RegressionLayout,
  stage: SoundStage,
  sums: Float64Array,
  stdDev: number,
): OpenedSum {
  const { columns: p, intervals, parameters: d, unit } = layout;
  if (stage.id === layout.gram?.id) return openedGram(sums, d, openedStdDevs(layout, stage, stdDev), stdDev);
  const factor = informationFactor(layout, stage);
  const information = new Float64Array(d * d);
  let at = d;
  const next = (i: number, j: number) => {
    const value = sums[at++]! * (i === j ? factor : factor * Math.SQRT1_2);
    information[i * d + j] = value;
    information[j * d + i] = value;
  };
  for (let i = 0; i < p; i++) for (let j = i; j < p; j++) next(i, j);
  for (let i = 0; i < p; i++) for (let k = 0; k < intervals; k++) next(i, p + k);
  for (let k = 0; k < intervals; k++) next(p + k, p + k);
  const isPoisson = layout.count !== null;
  const squares = isPoisson ? 2 * unit ** 2 * sums[at++]! : null;
  const hasBound = isPoisson || intervals > 0;
  return {
    score: sums.slice(0, d).map((value) => unit * value),
    information,
    ...openedStdDevs(layout, stage, stdDev),
    squares,
    squaresStdDev: isPoisson ? 2 * unit ** 2 * stdDev : 0,
    bounded: hasBound ? 2 * sums[at]! : null,
    boundedStdDev: hasBound ? 2 * stdDev : 0,
  };
}

/** Noise of score and information. @param stdDev - of an entry of the stage's sum, as of `openedSum` */
export function openedStdDevs(
  layout: RegressionLayout,
  stage: SoundStage,
  stdDev: number,
): Pick<OpenedSum, "scoreStdDev" | "informationStdDev"> {
  if (stage.id === layout.gram?.id) return { scoreStdDev: stdDev * Math.SQRT1_2, informationStdDev: stdDev };
  return {
    scoreStdDev: layout.unit * stdDev,
    informationStdDev: informationFactor(layout, stage) * stdDev,
  };
}

/** By which an entry of the information is longer than it is sent. */
function informationFactor(
  { unit, squaredNorm, sums, informationWeights }: RegressionLayout,
  { id }: SoundStage,
) {
  const weight = informationWeights[sums.findIndex((stage) => stage.id === id)];
  if (weight === undefined) throw new RangeError(`stage ${id} sums no derivatives`);
  return unit * Math.sqrt(squaredNorm / weight);
}

function openedGram(
  sums: Float64Array,
  d: number,
  stdDevs: ReturnType<typeof openedStdDevs>,
  stdDev: number,
): OpenedSum {
  const matrix = openedMatrix(sums, d + 1);
  const information = new Float64Array(d * d);
  const score = new Float64Array(d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) information[i * d + j] = matrix[i * (d + 1) + j]!;
    score[i] = matrix[i * (d + 1) + d]!;
  }
  return {
    score,
    information,
    ...stdDevs,
    squares: matrix[d * (d + 2)]!,
    squaresStdDev: stdDev,
    bounded: null,
    boundedStdDev: 0,
  };
}

/** [order × order] of an upper triangle row by row, as a sum of aa' comes; of `squares` Σ q²·xx'. */
export function openedMatrix(sums: Float64Array, order: number): Float64Array {
  const matrix = new Float64Array(order * order);
  let at = 0;
  for (let i = 0; i < order; i++)
    for (let j = i; j < order; j++) {
      matrix[i * order + j] = sums[at]!;
      matrix[j * order + i] = sums[at++]!;
    }
  return matrix;
}

/** The sum of `start`. @param sums - and stdDev as of `openedSum` */
export function openedStart(layout: RegressionLayout, sums: Float64Array, stdDev: number): Start {
  const { count, exposure, intervals } = layout;
  if (count === null)
    return {
      events: sums.slice(0, intervals),
      exposures: sums.slice(intervals, 2 * intervals),
      eventsStdDev: stdDev,
      exposuresStdDev: stdDev,
    };
  const most = exposure?.most ?? 1;
  return {
    events: Float64Array.of(sums[0]! * count.most),
    exposures: Float64Array.of(sums[1]! * most),
    eventsStdDev: stdDev * count.most,
    exposuresStdDev: stdDev * most,
  };
}

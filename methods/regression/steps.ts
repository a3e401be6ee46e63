import type { SumConversation } from "@consilium/core/learning/sums";
import { scaledResult } from "../shared/evaluation/evaluationResult.js";
import { encodeCoefficients, roundedCoefficients } from "./coefficients.js";
import type { Answer, Ask, Found } from "./conversation.js";
import { type Curvature, structuredCurvature } from "./curvature.js";
import { fromTriangle, quadratic, times } from "./dense.js";
import { cutsOf, marginScale } from "./marginScale.js";
import { errorOf, featurePosterior, type NormalEquations, posterior } from "./posterior.js";
import { baselineName, type RegressionLayout } from "./study.js";

/** Logistic, Poisson and Cox regressions: Newton's steps by noisy gradients (docs/methods/regression.md#steps). */

type Family = "logistic" | "poisson" | "cox";

/** An intercept is believed to lie within these of where it begins: log-odds of 0, or the logarithm of the mean rate. */
const interceptStdDev = { logistic: 10, poisson: 3, cox: 3 } as const;
/**
 * With few coefficients the likeliest τ may be too small for one that noise hides: intervals allow for logarithms of ratios of this size
 * over a column's range.
 */
const sizeStdDev = 1;
/** Of the steps the last half is what coefficients are released from: by then they are near. */
const lastPart = 0.5;

/** A gradient and where it was taken. */
interface Taken {
  readonly point: Float64Array;
  readonly slope: Float64Array;
  /** Of a Poisson regression: the sum of squared residuals; otherwise 0. */
  readonly squared: number;
  readonly stdDev: number;
}

export async function stepped(
  family: Family,
  layout: RegressionLayout,
  ask: Ask,
  { kernels, part }: Pick<SumConversation, "kernels" | "part">,
): Promise<Found> {
  const { design, gram, gradients, gradientsBefore, count } = layout;
  const bound = await ask(gram, {});
  const first = await ask(gradients[0]!, {});
  const start = startOf(family, layout, bound, first);
  const fixed = await structuredCurvature(start.bounding, design, bound.stdDev * start.rate, kernels);
  // Counts are in units of the largest, and so vary by their mean over it.
  const unit = count?.most ?? 1;
  const baseline = new BaselineHazards(layout, first);
  let curvature = fixed.floored;
  let told: Information | null = null;
  let coefficients = start.taken.point;
  const taken: Taken[] = [];
  const informed = async (): Promise<Information> =>
    informationOf(
      layout,
      await ask(layout.information!, broadcastOf(layout, coefficients, baseline)),
      bound,
      kernels,
    );
  for (const [index, stage] of gradients.entries()) {
    if (index === gradientsBefore) {
      told = await informed();
      curvature = told.curvature.floored;
    } else if (family === "logistic") curvature = steppingBound(fixed.floored, coefficients);
    const one =
      index === 0
        ? start.taken
        : takenAt(
            coefficients,
            layout,
            await ask(stage, broadcastOf(layout, coefficients, baseline)),
            baseline,
          );
    taken.push(one);
    // All gradients so far, put to what is known of the second derivatives by now.
    const mean = new ForgettingMean();
    for (const { point, slope, stdDev } of taken)
      mean.add(sum(slope, times(curvature, less(point, start.taken.point))), stdDev);
    const moved = featurePosterior(
      {
        curvature,
        covariance: withNoise(curvature, 1 / unit, mean.variance),
        target: mean.value,
        interceptStdDev: interceptStdDev[family],
        hasNoise: one.stdDev > 0,
      },
      design.blocks,
    );
    coefficients = roundedCoefficients(sum(start.taken.point, moved));
  }
  const predicting = coefficients;
  told ??= await informed();
  const used = taken.slice(-Math.ceil(lastPart * taken.length));
  const { stdDev } = used.at(-1)!;
  const point = meanOf(used.map((one) => one.point));
  const known = told.curvature;
  const dispersion = count === null ? null : dispersionOf(used, told, unit);
  const { fromStart, error, priorStdDev } = settled(
    {
      curvature: known.floored,
      covariance: withNoise(known.floored, (dispersion ?? 1) / unit, stdDev ** 2 / used.length),
      target: sum(meanOf(used.map((one) => one.slope)), times(known.floored, less(point, start.taken.point))),
      interceptStdDev: interceptStdDev[family],
      hasNoise: stdDev > 0,
    },
    { ...told, from: less(point, start.taken.point) },
  );
  const found = {
    coefficients: roundedCoefficients(sum(start.taken.point, fromStart)),
    predicting,
    error,
    priorStdDev,
    hidden: known.hidden,
    fit: null,
    evaluation: null,
  };
  if (family !== "logistic")
    return {
      ...found,
      rows: null,
      classes: null,
      events: eventsOf(layout, { bound, first, dispersion, baseline }),
    };
  const rows = 4 * bound.sums[0]!;
  const classes = {
    // The first gradient is that at probability ½.
    positives: {
      count: first.sums[0]! + rows / 2,
      noiseStdDev: Math.hypot(first.stdDev, 2 * bound.stdDev),
    },
    information: told.weight,
  };
  const common = { ...found, rows: { count: rows, noiseStdDev: 4 * bound.stdDev }, classes, events: null };
  if (layout.evaluation === null) return common;
  const scale = marginScale(design, predicting, fixed.floored);
  const counted = await ask(layout.evaluation, { ...encodeCoefficients(predicting), ...cutsOf(scale) });
  const evaluation = part("evaluation", () => scaledResult(counted.sums, counted.stdDev, scale));
  return { ...common, evaluation };
}

/**
 * Coefficients and their error. What the information lacks of the truth counts as far as coefficients β are from the mean point b of the
 * gradients: by E(β - b), E being noise in the diagonal and in the intercept's row and column, for `structuredCurvature` leaves next to
 * none elsewhere.
 */
function settled(
  equations: NormalEquations,
  { curvature, stdDev, from }: Information & { readonly from: Float64Array },
) {
  const d = from.length;
  const { coefficients, priorStdDev } = posterior(equations);
  const errorWith = (covariance: Float64Array) =>
    errorOf(equations, { resolved: curvature.resolved, covariance, priorStdDev, missedStdDev: sizeStdDev });
  const first = errorWith(equations.covariance);
  if (stdDev === 0) return { fromStart: coefficients, error: first, priorStdDev };
  const apart = less(coefficients, from);
  const moment = (i: number, j: number) => first[i * d + j]! + apart[i]! * apart[j]!;
  const covariance = equations.covariance.slice();
  const add = (i: number, j: number, value: number) => {
    covariance[i * d + j] = covariance[i * d + j]! + value * stdDev ** 2;
  };
  for (let j = 0; j < d; j++) {
    add(j, j, moment(j, j));
    if (j === 0) continue;
    add(0, 0, moment(j, j) / 2);
    add(j, j, moment(0, 0) / 2);
    add(0, j, moment(0, j) / 2);
    add(j, 0, moment(0, j) / 2);
  }
  return { fromStart: coefficients, error: errorWith(covariance), priorStdDev };
}

/** A rate that sums of next to nothing give. */
const rateLeast = 2 ** -20;

/**
 * Where steps begin: at log-odds of 0, or at the mean rate of events, which the first two sums tell along with the gradient there. The
 * weights of rows are then those of the Gram matrix times that rate.
 */
function startOf(
  family: Family,
  { columns: d }: RegressionLayout,
  bound: Answer,
  first: Answer,
): { readonly bounding: Float64Array; readonly rate: number; readonly taken: Taken } {
  const matrix = fromTriangle(bound.sums, d);
  const point = new Float64Array(d);
  const slope = first.sums.slice(0, d);
  if (family === "logistic")
    return { bounding: matrix, rate: 1, taken: { point, slope, squared: 0, stdDev: first.stdDev } };
  const events = Math.max(first.sums[0]!, first.stdDev, rateLeast);
  const rate = Math.max(rateLeast, events / Math.max(matrix[0]!, bound.stdDev, rateLeast));
  point[0] = Math.log(rate);
  const stdDev = Math.hypot(first.stdDev, rate * bound.stdDev);
  return {
    bounding: matrix.map((value) => rate * value),
    rate,
    taken: {
      point: roundedCoefficients(point),
      slope: slope.map((value, j) => value - rate * matrix[j]!),
      squared: 0,
      stdDev,
    },
  };
}

function takenAt(
  point: Float64Array,
  { columns: d, intervals }: RegressionLayout,
  { sums, stdDev }: Answer,
  baseline: BaselineHazards,
): Taken {
  baseline.step(sums.subarray(d, d + intervals), stdDev);
  return { point, slope: sums.slice(0, d), squared: 2 * (sums[d + intervals] ?? 0), stdDev };
}

/** A mean of gradients that forgets the first ones: weights 2/(t+1). */
class ForgettingMean {
  #count = 0;
  value = new Float64Array(0);
  /** Of the noise in an entry. */
  variance = 0;

  add(one: Float64Array, stdDev: number): void {
    const weight = 2 / (this.#count + 2);
    this.value =
      this.#count === 0 ? one.slice() : one.map((value, j) => (1 - weight) * this.value[j]! + weight * value);
    this.variance = (this.#count === 0 ? 0 : (1 - weight) ** 2 * this.variance) + (weight * stdDev) ** 2;
    this.#count++;
  }
}

/** A log hazard is believed to lie within this of the mean hazard's. */
const baselineStdDev = 1;

/**
 * Log hazards of a Cox regression's intervals beside the intercept, by steps of their own: each is told by its interval's part of the
 * residuals, and what they have in common is the intercept's.
 */
class BaselineHazards {
  /** Of each interval the events, no fewer than one standard deviation of their noise. */
  readonly #events: Float64Array;
  readonly #mean = new ForgettingMean();
  values: Float64Array;

  constructor({ columns, intervals }: RegressionLayout, first: Answer) {
    this.#events = first.sums
      .slice(columns, columns + intervals)
      .map((events) => Math.max(events, first.stdDev, rateLeast));
    this.values = new Float64Array(intervals);
  }

  step(residuals: Float64Array, stdDev: number): void {
    if (this.values.length === 0) return;
    const events = this.#events;
    this.#mean.add(
      residuals.map((residual, k) => residual + events[k]! * this.values[k]!),
      stdDev,
    );
    const { value, variance } = this.#mean;
    const moved = value.map(
      (target, k) =>
        (events[k]! * target) / (events[k]! ** 2 + (events[k]! + variance) / baselineStdDev ** 2),
    );
    const all = events.reduce((total, one) => total + one, 0);
    const common = moved.reduce((total, one, k) => total + (events[k]! / all) * one, 0);
    this.values = roundedCoefficients(moved.map((one) => one - common));
  }
}

function broadcastOf(
  { intervals }: RegressionLayout,
  coefficients: Float64Array,
  { values }: BaselineHazards,
) {
  return { ...encodeCoefficients(coefficients), ...(intervals === 0 ? {} : { [baselineName]: values }) };
}

interface Information {
  readonly curvature: Curvature;
  /** The sum of weights. */
  readonly weight: number;
  /** Standard deviation of what an entry lacks of the truth, as far as the sums tell. */
  readonly stdDev: number;
}

/**
 * The information drawn to the Gram matrix, which noise hides less: as far as the two differ by no more than noise does (James and Stein).
 * What it lacks of the truth is then, by Stein's estimate of the risk, that part of the noise which is left; chance may hide some more.
 */
async function informationOf(
  { columns: d, design }: RegressionLayout,
  { sums, stdDev }: Answer,
  bound: Answer,
  kernels: SumConversation["kernels"],
): Promise<Information> {
  const scale = Math.max(sums[0]!, stdDev) / Math.max(bound.sums[0]!, bound.stdDev);
  const entries = (d * (d + 1)) / 2;
  const noise = stdDev ** 2 + (scale * bound.stdDev) ** 2;
  const matrix = fromTriangle(sums, d);
  const near = fromTriangle(bound.sums, d).map((value) => scale * value);
  const apart = less(matrix, near);
  const distance = apart.reduce((total, value) => total + value ** 2, 0);
  const kept = noise === 0 ? 1 : Math.max(0, 1 - (noise * entries) / distance);
  const left =
    Math.max(kept, Math.sqrt(2 / entries)) * stdDev ** 2 + ((1 - kept) * scale * bound.stdDev) ** 2;
  const lacking = Math.min(stdDev, Math.sqrt(left));
  const blended = sum(
    near,
    apart.map((value) => kept * value),
  );
  return {
    curvature: await structuredCurvature(blended, design, lacking, kernels),
    weight: sums[0]!,
    stdDev: lacking,
  };
}

/** Squares of residuals beside their means, which Poisson's variance is; less than that is not believed. */
function dispersionOf(used: readonly Taken[], { weight, stdDev }: Information, unit: number): number {
  const squares = used.reduce((total, { squared }) => total + squared, 0) / used.length;
  return Math.max(1, (unit * squares) / Math.max(weight, stdDev, rateLeast));
}

function eventsOf(
  { count, exposure, followUp }: RegressionLayout,
  sums: {
    readonly bound: Answer;
    readonly first: Answer;
    readonly dispersion: number | null;
    readonly baseline: BaselineHazards;
  },
): NonNullable<Found["events"]> {
  const { bound, first, dispersion, baseline } = sums;
  const noisy = ({ sums: [total], stdDev }: Answer, unit: number) => ({
    count: total! * unit,
    noiseStdDev: stdDev * unit,
  });
  return {
    total: noisy(first, count?.most ?? 1),
    exposure: noisy(bound, exposure?.most ?? followUp?.edges.at(-1) ?? 1),
    dispersion,
    baseline: baseline.values,
  };
}

/** Gauss and Hermite's nodes of five points, for means over a normal distribution. */
const normalNodes = [
  [0, 0.5333333],
  [1.3556262, 0.2220759],
  [-1.3556262, 0.2220759],
  [2.85697, 0.0112574],
  [-2.85697, 0.0112574],
] as const;
/** Steps by this part of a bound on the second derivatives still draw near: they are at most twice as long as Newton's. */
const boundPartLeast = 0.5;

/**
 * The bound ¼X'X on second derivatives [BL88], less what is known of it: p(1-p) at these coefficients, on average over log-odds that are
 * normal with the mean and variance that the bound tells, in parts of ¼.
 */
function steppingBound(bound: Float64Array, coefficients: Float64Array): Float64Array {
  const weight = bound[0]!;
  const mean = coefficients.reduce((total, value, j) => total + (bound[j]! / weight) * value, 0);
  const stdDev = Math.sqrt(Math.max(0, quadratic(bound, coefficients) / weight - mean ** 2));
  const part = normalNodes.reduce((total, [node, share]) => {
    const p = 1 / (1 + Math.exp(-(mean + stdDev * node)));
    return total + share * 4 * p * (1 - p);
  }, 0);
  return bound.map((value) => Math.max(boundPartLeast, part) * value);
}

/** A matrix by a factor, and noise of a variance on its diagonal. */
function withNoise(matrix: Float64Array, factor: number, variance: number): Float64Array {
  const d = Math.sqrt(matrix.length);
  return matrix.map((value, p) => factor * value + (p % (d + 1) === 0 ? variance : 0));
}

const sum = (a: Float64Array, b: Float64Array) => a.map((value, j) => value + b[j]!);
const less = (a: Float64Array, b: Float64Array) => a.map((value, j) => value - b[j]!);

function meanOf(vectors: readonly Float64Array[]): Float64Array {
  return vectors[0]!.map((_, j) => vectors.reduce((total, one) => total + one[j]!, 0) / vectors.length);
}

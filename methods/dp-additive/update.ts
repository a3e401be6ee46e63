import { onLeafGrid } from "../shared/trees/leafGrid.js";
import { channels } from "../shared/trees/secondOrder.js";
import type { Curves } from "./curves.js";
import { type AdditiveLayout, curveMost } from "./study.js";

/**
 * From an epoch's noisy sums to the next curves: docs/methods/boosted-trees.md#dp-additive-update. Everything here is computed from
 * what is released.
 */

/** Of a study, what updates go by. */
export interface UpdateRule {
  readonly layout: Pick<AdditiveLayout, "features" | "offsets">;
  /** λ. */
  readonly lambda: number;
}

/** A model between two epochs. */
export interface BoostingState {
  readonly curves: Curves;
  /** [Σ bins] of the noise in each number of the curves, as far as it is known. */
  readonly variances: Float64Array;
  /** η. */
  readonly rate: number;
  /** The update that made these curves; null before the first, and after one that was taken back in part. */
  readonly last: Update | null;
}

/** An update with what taking it back in part needs. */
interface Update {
  readonly before: Pick<BoostingState, "curves" | "variances">;
  /** What was added, η included. */
  readonly intercept: number;
  readonly steps: Float64Array;
  /** The loss's slope along it, before it. */
  readonly slope: number;
  /** [Σ bins] what an earlier error loses by the update at η = 1, and what variance it adds there. */
  readonly pulls: Float64Array;
  readonly added: Float64Array;
}

/** What the first epoch's sums say of the rows themselves, for every margin is 0 there: g = ±½ and h = ¼. */
export interface FirstCounts {
  /** [Σ bins] rows of each bin, noisy. */
  readonly rows: Float64Array;
  readonly rowsStdDev: number;
  /** Rows of the label's two levels, noisy, and the standard deviation of each. */
  readonly classes: readonly [number, number];
  readonly classStdDev: number;
}

/** Sums of g and h by bin with the variance of their noise. */
interface Derivatives {
  readonly g: Float64Array;
  readonly h: Float64Array;
  readonly gVariance: number;
  readonly hVariance: number;
}

/** No update of a bin or of the intercept is larger, before η. */
const stepMost = 3;
/** What the intercept lacks after the first epoch is supposed to have a standard deviation of ¼. */
const interceptLambda = 16;
/** An update is taken back in part where noise alone would make it look as if it raised the loss in 2.3 % of cases at most. */
const overshootDeviations = 2;

/**
 * The first epoch: the intercept is the log-odds of the classes' counts, and the curves take their first step from there. The
 * derivatives at that intercept follow from the sums, since g and h tell the classes of a bin's rows.
 * @param sums - [2 × Σ bins] g and h of each bin, in units of 1
 * @param stdDev - of the noise in one entry, in the same
 */
export function firstState(
  rule: UpdateRule,
  options: { readonly sums: Float64Array; readonly stdDev: number; readonly rate: number },
): { readonly state: BoostingState; readonly counts: FirstCounts } {
  const { sums, stdDev, rate } = options;
  const { g, h } = apart(sums);
  const pooled = pooledTotal(rule, g, h);
  const classStdDev = Math.sqrt(5) * stdDev * pooled.deviations;
  // Of n rows with P of the second level: g adds up to n/2 - P, and h to n/4.
  const classes = [2 * pooled.h + pooled.g, 2 * pooled.h - pooled.g] as const;
  const smoothing = Math.max(1, classStdDev);
  const [first, second] = classes.map((rows) => Math.max(0, rows) + smoothing);
  const intercept = limited(Math.log(second! / first!));
  const p = 1 / (1 + Math.exp(-intercept));
  const tilt = 4 * p - 2;
  const curvature = 4 * p * (1 - p);
  const derivatives: Derivatives = {
    g: g.map((own, b) => own + tilt * h[b]!),
    h: h.map((own) => curvature * own),
    gVariance: (1 + tilt ** 2) * stdDev ** 2,
    hVariance: (curvature * stdDev) ** 2,
  };
  const curves: Curves = { intercept, values: new Float64Array(g.length) };
  const before = { curves, variances: new Float64Array(g.length) };
  return {
    state: updated(rule, { before, rate, derivatives, interceptStep: 0, slope: 0 }),
    counts: { rows: h.map((own) => 4 * own), rowsStdDev: 4 * stdDev, classes, classStdDev },
  };
}

/** Every later epoch. @param options - as of the first */
export function nextState(
  rule: UpdateRule,
  state: BoostingState,
  options: { readonly sums: Float64Array; readonly stdDev: number },
): BoostingState {
  const { sums, stdDev } = options;
  const { g, h } = apart(sums);
  const pooled = pooledTotal(rule, g, h);
  const part = keptPart(rule, state.last, g, pooled, stdDev);
  if (part !== null) return takenBack(state, part);
  const total = Math.max(0, pooled.h);
  const below = total ** 2 + interceptLambda * (stdDev * pooled.deviations) ** 2;
  const interceptStep = below > 0 ? clipped((-pooled.g * total) / below) : 0;
  const variance = stdDev ** 2;
  return updated(rule, {
    before: { curves: state.curves, variances: state.variances },
    rate: state.rate,
    derivatives: { g, h, gVariance: variance, hVariance: variance },
    interceptStep,
    slope: pooled.g * interceptStep,
  });
}

function updated(
  rule: UpdateRule,
  options: {
    readonly before: Pick<BoostingState, "curves" | "variances">;
    readonly rate: number;
    readonly derivatives: Derivatives;
    readonly interceptStep: number;
    /** The loss's slope along the intercept's step. */
    readonly slope: number;
  },
): BoostingState {
  const { before, rate, derivatives, interceptStep } = options;
  const { steps, pulls, added } = curveSteps(rule, derivatives, interceptStep);
  const scaled = steps.map((step) => rate * step);
  const slope = scaled.reduce((sum, step, b) => sum + step * derivatives.g[b]!, options.slope);
  const last: Update = { before, intercept: interceptStep, steps: scaled, slope, pulls, added };
  return { ...applied(last, rate, 1), rate, last };
}

/** The curves with a part of an update, from 0 to 1. @param rate - that the update was made with */
function applied(update: Update, rate: number, part: number): Pick<BoostingState, "curves" | "variances"> {
  const { before, steps, pulls, added } = update;
  const eta = part * rate;
  return {
    curves: {
      intercept: limited(before.curves.intercept + part * update.intercept),
      values: before.curves.values.map((value, b) => limited(value + part * steps[b]!)),
    },
    variances: before.variances.map(
      (variance, b) => (1 - eta * pulls[b]!) ** 2 * variance + eta ** 2 * added[b]!,
    ),
  };
}

/**
 * The part of the last update after which, by the secant through both epochs' slopes, the loss is least; null where by that it
 * went down, or noise may have made it look so.
 */
function keptPart(
  { layout: { features, offsets } }: UpdateRule,
  last: Update | null,
  g: Float64Array,
  pooled: Pooled,
  stdDev: number,
): number | null {
  if (last === null || !(last.slope < 0)) return null;
  let slope = pooled.g * last.intercept;
  let variance = 0;
  features.forEach((_, f) => {
    for (let b = offsets[f]!; b < offsets[f + 1]!; b++) {
      slope += g[b]! * last.steps[b]!;
      variance += (last.steps[b]! + pooled.weights[f]! * last.intercept) ** 2;
    }
  });
  if (slope - overshootDeviations * stdDev * Math.sqrt(variance) <= -last.slope) return null;
  return last.slope / (last.slope - slope);
}

function takenBack({ last, rate }: BoostingState, part: number): BoostingState {
  return { ...applied(last!, rate, part), rate: part * rate, last: null };
}

/**
 * Of each bin -G·H/(H² + λ(H + Var)), the linear estimate of least mean square error of what its log-odds lack, before η; less
 * each feature's mean over its rows' hessians, which the intercept has. A bin without a hessian stays as it is.
 */
function curveSteps(
  { layout: { features, offsets }, lambda }: UpdateRule,
  { g, h, gVariance, hVariance }: Derivatives,
  interceptStep: number,
): { readonly steps: Float64Array; readonly pulls: Float64Array; readonly added: Float64Array } {
  const steps = new Float64Array(g.length);
  const pulls = new Float64Array(g.length);
  const added = new Float64Array(g.length);
  features.forEach((_, f) => {
    const [from, to] = [offsets[f]!, offsets[f + 1]!];
    const weights = new Float64Array(to - from);
    for (let b = from; b < to; b++) {
      const own = Math.max(0, h[b]!);
      const gain = gainOf(own, lambda, gVariance);
      const rest = g[b]! + own * interceptStep;
      weights[b - from] = own;
      steps[b] = clipped(-gain * rest);
      pulls[b] = gain * own;
      const { square, variance } = gainMoments(h[b]!, Math.sqrt(hVariance), lambda, gVariance);
      // The gradient without its noise is not known; its square is, on average.
      added[b] = gVariance * square + Math.max(0, rest ** 2 - gVariance) * variance;
    }
    centre(steps.subarray(from, to), added.subarray(from, to), weights);
  });
  return { steps, pulls, added };
}

/**
 * The curves that are released: of each feature the mean over its rows is the intercept's, so that a number of a curve tells a bin
 * from the feature's mean. Margins stay as they are.
 * @param rows - [Σ bins]
 */
export function centredCurves(
  { features, offsets }: UpdateRule["layout"],
  { curves, variances }: Pick<BoostingState, "curves" | "variances">,
  rows: Float64Array,
): { readonly curves: Curves; readonly stdDevs: Float64Array } {
  const values = curves.values.slice();
  const left = variances.slice();
  let intercept = curves.intercept;
  features.forEach((_, f) => {
    const [from, to] = [offsets[f]!, offsets[f + 1]!];
    const weights = rows.slice(from, to).map((own) => Math.max(0, own));
    const taken = centre(values.slice(from, to), left.subarray(from, to), weights);
    const mean = onLeafGrid(taken.mean);
    for (let b = from; b < to; b++) {
      values[b] = limited(values[b]! - mean);
      if (weights[b - from] === 0) left[b]! += taken.variance;
    }
    intercept += mean;
  });
  return { curves: { intercept: limited(intercept), values }, stdDevs: left.map(Math.sqrt) };
}

/** What a gradient is multiplied with, but for its sign: H/(H² + λ(H + Var)). */
function gainOf(hessian: number, lambda: number, gVariance: number): number {
  const below = hessian ** 2 + lambda * (hessian + gVariance);
  return below > 0 ? hessian / below : 0;
}

/** Mean square and variance of the gain under the hessian's noise: by three points of Gauss and Hermite. */
function gainMoments(
  hessian: number,
  stdDev: number,
  lambda: number,
  gVariance: number,
): { readonly square: number; readonly variance: number } {
  const gainAt = (points: number) =>
    gainOf(Math.max(0, hessian + points * Math.sqrt(3) * stdDev), lambda, gVariance);
  if (stdDev === 0) return { square: gainAt(0) ** 2, variance: 0 };
  const [low, middle, high] = [gainAt(-1), gainAt(0), gainAt(1)];
  const mean = (low + 4 * middle + high) / 6;
  const square = (low ** 2 + 4 * middle ** 2 + high ** 2) / 6;
  return { square, variance: Math.max(0, square - mean ** 2) };
}

/**
 * Takes the weighted mean away from values that weigh anything, in place, and makes their variances those of what is left.
 * @returns the mean and its variance; 0 where nothing weighs
 */
function centre(
  values: Float64Array,
  variances: Float64Array,
  weights: Float64Array,
): { readonly mean: number; readonly variance: number } {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0)) return { mean: 0, variance: 0 };
  let [mean, meanVariance] = [0, 0];
  weights.forEach((weight, b) => {
    mean += (weight / total) * values[b]!;
    meanVariance += (weight / total) ** 2 * variances[b]!;
  });
  weights.forEach((weight, b) => {
    if (weight === 0) return;
    values[b]! -= mean;
    variances[b] = Math.max(0, variances[b]! * (1 - (2 * weight) / total) + meanVariance);
  });
  return { mean, variance: meanVariance };
}

/** All rows' sums of g and h from every feature's, each weighted by the inverse of its noise: of how many bins it has. */
interface Pooled {
  readonly g: number;
  readonly h: number;
  /** Of each feature. */
  readonly weights: Float64Array;
  /** Standard deviation of the noise in g or h, in those of one entry. */
  readonly deviations: number;
}

function pooledTotal(
  { layout: { features, offsets } }: UpdateRule,
  g: Float64Array,
  h: Float64Array,
): Pooled {
  const inverses = features.reduce((sum, { bins }) => sum + 1 / bins, 0);
  const weights = Float64Array.from(features, ({ bins }) => 1 / bins / inverses);
  const pooled = (values: Float64Array) =>
    features.reduce((sum, _, f) => {
      const own = values.subarray(offsets[f]!, offsets[f + 1]!);
      return sum + weights[f]! * own.reduce((all, value) => all + value, 0);
    }, 0);
  const deviations = Math.sqrt(features.reduce((sum, { bins }, f) => sum + weights[f]! ** 2 * bins, 0));
  return { g: pooled(g), h: pooled(h), weights, deviations };
}

function apart(sums: Float64Array): { g: Float64Array; h: Float64Array } {
  const [g, h] = [0, 1].map((channel) =>
    Float64Array.from({ length: sums.length / channels }, (_, b) => sums[channels * b + channel]!),
  );
  return { g: g!, h: h! };
}

const clipped = (step: number) => Math.max(-stepMost, Math.min(stepMost, step));

const limited = (value: number) => onLeafGrid(Math.max(-curveMost, Math.min(curveMost, value))) + 0;

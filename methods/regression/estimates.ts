import { type Feature, levelsOf } from "@consilium/core/study/features";
import { interceptName, type RegressionDesign } from "./columns.js";
import type { RegressionResult } from "./conversation.js";
import type { Fit } from "./fits/fit.js";
import type { Score } from "./inference/score.js";
import { type RegressionStudy, regressionLayout } from "./study.js";

/**
 * Why a coefficient is too imprecise to interpret: the steps had not arrived; a level, or the intercept beside it, rests on fewer than
 * ten events; no bounded interval holds; or none does of a number whose values lie close together within its declared bounds.
 */
export const impreciseReasons = ["not-arrived", "few-events", "wide-bounds", "unbounded"] as const;
export type Imprecise = (typeof impreciseReasons)[number];

/** A coefficient: the change for an increase of a number by its declared step, or for a level in place of the reference. */
export interface Estimate {
  /** The feature's name, or `feature=level`; `(intercept)`. */
  readonly name: string;
  /** Null of the intercept. */
  readonly feature: string | null;
  readonly level: string | null;
  /** The level that a level is compared with. */
  readonly reference: string | null;
  readonly unit: string | null;
  /** Increase of a number that the coefficient is for; null of a level and the intercept. */
  readonly per: number | null;
  /** Null where it is too imprecise to interpret. */
  readonly found: Found | null;
  readonly imprecise: Imprecise | null;
}

export interface Found {
  readonly coefficient: number;
  /** Half of the interval's width over 1.96, of sampling and noise. */
  readonly stdError: number;
  readonly low: number;
  readonly high: number;
  /** p value of no effect; null of the intercept. */
  readonly pValue: number | null;
  /** e to the coefficient and the ends of its interval: an odds, rate or hazard ratio. Null of the intercept, and of a linear regression. */
  readonly ratio: { readonly value: number; readonly low: number; readonly high: number } | null;
}

/** Minimum number of events, about, of a level that is printed. */
const minLevelWeight = 10;
/** A number of no larger standard deviation, in parts of its declared range, has bounds that are wide beside its values. */
const wideSpread = 1 / 20;

/**
 * Coefficients of every column in its own units; the intercept's, first, is at 0 of every number and the reference of every category.
 * @param pause - awaited between coefficients
 */
export async function estimatesOf(
  study: RegressionStudy,
  result: RegressionResult,
  pause?: () => Promise<void>,
): Promise<Estimate[]> {
  const { design, family } = regressionLayout(study);
  const { score } = result.fit;
  const { offset } = outcomeScale(study);
  const reasons = reasonsFor(study, result.fit);
  const estimates: Estimate[] = [];
  for (const [j, column] of design.columns.entries()) {
    const isIntercept = column.name === interceptName;
    const declared = column.feature === null ? null : study.features[column.feature]!;
    const per = declared?.type === "numeric" ? (declared.per ?? 1) : null;
    const row = rowOf(study, j).map((weight) => weight * (per ?? 1));
    const named = column.feature === null ? null : namesOf(declared!, column.level);
    const common = {
      name: column.name,
      ...(named ?? { feature: null, level: null, reference: null, unit: null }),
      per,
    };
    const interval = reasons[j] === null ? await score.interval(row, { pause }) : null;
    if (interval === null) {
      const isWide = column.level === null && !isIntercept && score.spread[j]! < wideSpread;
      const imprecise = reasons[j] ?? (isWide && study.privacy !== "none" ? "wide-bounds" : "unbounded");
      estimates.push({ ...common, found: null, imprecise });
    } else {
      const shift = isIntercept ? offset : 0;
      const ends = { low: interval.low + shift, high: interval.high + shift };
      const coefficient = interval.value + shift;
      const found: Found = {
        coefficient,
        stdError: interval.stdError,
        ...ends,
        pValue: noEffect(study, score, j),
        ratio: family !== "linear" && !isIntercept ? ratioOf(coefficient, ends) : null,
      };
      estimates.push({ ...common, found, imprecise: null });
    }
    await pause?.();
  }
  return estimates;
}

/** [d] why coefficients of a study are not looked for at all, null where they are. */
export function reasonsFor(study: RegressionStudy, fit: Fit): (Imprecise | null)[] {
  const { design, family, parameters: d } = regressionLayout(study);
  const categories: Category[] = design.blocks
    .filter(({ from }) => design.columns[from]!.level !== null)
    .map(({ from, width }) => ({ from, width, low: -design.columns[from]!.offset }));
  const needsEvents = family !== "linear" && study.privacy !== "none";
  return reasonsOf(fit, needsEvents ? categories : [], d);
}

/** [d] weights of the scale's coefficients in one of a column's own units. */
function rowOf(study: RegressionStudy, j: number): Float64Array {
  const { design, parameters } = regressionLayout(study);
  const { range } = outcomeScale(study);
  const row = new Float64Array(parameters);
  row.set(unitWeights(design, j).map((weight) => weight * range));
  return row;
}

/** p value of no effect of a column, by sampling and noise; null of the intercept. */
export function noEffect(study: RegressionStudy, score: Score, j: number): number | null {
  if (regressionLayout(study).design.columns[j]!.name === interceptName) return null;
  return score.pValue([rowOf(study, j)], [0]);
}

/** A category's columns; each is `low` at every other level. */
interface Category {
  readonly from: number;
  readonly width: number;
  readonly low: number;
}

/** Events where the sum was asked for, or in the records, whichever are fewer: where it was asked for too high a rate the former are too many. */
const eventsOf = ({ weight, excess }: { readonly weight: number; readonly excess: number }) =>
  weight + Math.min(0, excess);

/**
 * Why coefficients are not looked for at all, null where they are. All of a category are contrasts with its reference, so that a reference of
 * few events leaves none of them.
 * @param categories - those whose levels need events
 * @param d - number of coefficients
 */
export function reasonsOf(
  { score, hasArrived }: Pick<Fit, "score" | "hasArrived">,
  categories: readonly Category[],
  d: number,
): (Imprecise | null)[] {
  const reasons = new Array<Imprecise | null>(d).fill(hasArrived ? null : "not-arrived");
  if (!hasArrived) return reasons;
  for (const { from, width, low } of categories) {
    const levels = Array.from({ length: width }, (_, i) => ({
      weight: score.levelWeight(from + i, low),
      excess: score.excess(from + i, low),
    }));
    const reference = levels.reduce(
      ({ weight, excess }, one) => ({ weight: weight - one.weight, excess: excess - one.excess }),
      { weight: score.weight, excess: score.excess(null, low) },
    );
    levels.forEach((level, i) => {
      if (Math.min(eventsOf(level), eventsOf(reference)) < minLevelWeight) reasons[from + i] = "few-events";
    });
  }
  // The intercept is the contrast of every level.
  if (reasons.includes("few-events"))
    for (let j = 0; j < d; j++) if (score.ones[j] !== 0) reasons[j] = "few-events";
  return reasons;
}

/** e to the power of a coefficient; null where no number holds it: one unit of a column may be many times its range. */
export function ratioOf(
  coefficient: number,
  { low, high }: { readonly low: number; readonly high: number },
): { readonly value: number; readonly low: number; readonly high: number } | null {
  const ratio = { value: Math.exp(coefficient), low: Math.exp(low), high: Math.exp(high) };
  return Number.isFinite(ratio.high) ? ratio : null;
}

function namesOf(feature: Feature, level: number | null) {
  if (feature.type === "numeric")
    return { feature: feature.name, level: null, reference: null, unit: feature.unit ?? null };
  const levels = levelsOf(feature);
  return { feature: feature.name, level: levels[level!]!, reference: levels[0]!, unit: null };
}

/** [d] by which the scale's coefficients make one in the column's units: η = Σ β_j (v_j - offset_j)/range_j. */
function unitWeights({ columns }: RegressionDesign, j: number): Float64Array {
  return Float64Array.from(columns, ({ offset, range }, i) => {
    if (columns[j]!.name === interceptName) return i === j ? 1 : -offset / range;
    return i === j ? 1 / range : 0;
  });
}

/** [d] coefficients in the units of their columns, from those on the columns' scale. */
export function inUnits(study: RegressionStudy, coefficients: Float64Array): Float64Array {
  const { design } = regressionLayout(study);
  const { offset, range } = outcomeScale(study);
  return coefficients.map((_, j) => {
    const own = unitWeights(design, j).reduce((sum, weight, i) => sum + weight * coefficients[i]!, 0);
    return own * range + (design.columns[j]!.name === interceptName ? offset : 0);
  });
}

/**
 * A linear regression's outcome is offset + range times what the scale's coefficients say; of others 0 and 1.
 */
export function outcomeScale(study: RegressionStudy): { readonly offset: number; readonly range: number } {
  const { design, family } = regressionLayout(study);
  const { outcome } = design.roles;
  const declared = family !== "linear" || outcome === null ? null : study.features[outcome]!;
  if (declared?.type !== "numeric") return { offset: 0, range: 1 };
  const { min, max } = declared;
  return { offset: min + (max - min) / 2, range: max - min };
}

import { type Feature, levelsOf } from "@consilium/core/study/features";
import { z95 } from "../shared/evaluation/normal.js";
import { interceptName, type RegressionDesign } from "./columns.js";
import type { RegressionResult } from "./conversation.js";
import { stdDevOf } from "./posterior.js";
import { type RegressionStudy, regressionLayout, usefulHalfWidth } from "./study.js";

/** A coefficient in the units of its column: what one unit more, or a level in place of the reference, goes with. */
export interface Estimate {
  /** The feature's name, or `feature=level`; `(intercept)`. */
  readonly name: string;
  /** Null of the intercept. */
  readonly feature: string | null;
  readonly level: string | null;
  /** The level that a level is compared with. */
  readonly reference: string | null;
  readonly unit: string | null;
  readonly coefficient: number;
  /** Of sampling and noise. */
  readonly stdError: number;
  readonly low: number;
  readonly high: number;
  /** e to the coefficient and the ends of its interval: an odds, rate or hazard ratio. Null of the intercept, and of a linear regression. */
  readonly ratio: { readonly value: number; readonly low: number; readonly high: number } | null;
  /** The interval over the column's whole range, in logarithms of a ratio or parts of the outcome's range, is wider than is of use. */
  readonly isWide: boolean;
}

/** Of every column in its own units, the intercept first: that at 0 of every number and the reference of every category. */
export function estimatesOf(study: RegressionStudy, result: RegressionResult): Estimate[] {
  const { design } = regressionLayout(study);
  const { family } = study.parameters;
  const outcome = outcomeScale(study);
  const means = inUnits(study, result.coefficients);
  return design.columns.map((column, j): Estimate => {
    const weights = unitWeights(design, j);
    const isIntercept = column.name === interceptName;
    const coefficient = means[j]!;
    const stdError = stdDevOf(result.error, weights) * outcome.range;
    const interval = { low: coefficient - z95 * stdError, high: coefficient + z95 * stdError };
    const own = Float64Array.from(design.columns, (_, i) => (i === j ? 1 : 0));
    const named = column.feature === null ? null : namesOf(study.features[column.feature]!, column.level);
    return {
      name: column.name,
      ...(named ?? { feature: null, level: null, reference: null, unit: null }),
      coefficient,
      stdError,
      ...interval,
      ratio: family !== "linear" && !isIntercept ? ratioOf(coefficient, interval) : null,
      isWide: !isIntercept && z95 * stdDevOf(result.error, own) > usefulHalfWidth[family],
    };
  });
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
    if (j === 0) return i === 0 ? 1 : -offset / range;
    return i === j ? 1 / range : 0;
  });
}

/** [d] coefficients in the units of their columns, from those on the columns' scale. */
export function inUnits(study: RegressionStudy, coefficients: Float64Array): Float64Array {
  const { design } = regressionLayout(study);
  const { offset, range } = outcomeScale(study);
  return coefficients.map((_, j) => {
    const own = unitWeights(design, j).reduce((sum, weight, i) => sum + weight * coefficients[i]!, 0);
    return own * range + (j === 0 ? offset : 0);
  });
}

/**
 * The outcome is offset + range times what the scale's coefficients say: a linear regression's, the logarithm of the count for one unit
 * of exposure, or of the hazard in one unit of time. Log-odds are as they are.
 */
export function outcomeScale(study: RegressionStudy): { readonly offset: number; readonly range: number } {
  const { design, count, exposure, followUp } = regressionLayout(study);
  if (count !== null) return { offset: Math.log(count.most / (exposure?.most ?? 1)), range: 1 };
  if (followUp !== null) return { offset: -Math.log(followUp.edges.at(-1)!), range: 1 };
  const { outcome } = design.roles;
  const declared = outcome === null ? null : study.features[outcome]!;
  if (declared?.type !== "numeric") return { offset: 0, range: 1 };
  const { min, max } = declared;
  return { offset: min + (max - min) / 2, range: max - min };
}

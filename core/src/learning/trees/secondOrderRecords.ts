import type { SecondOrderSettings } from "../../study/secondOrder.js";
import { leafExponent } from "../../study/secondOrder.js";

/**
 * What a record adds: the first and second derivative of the log loss by its margin, g = p - y and h = p(1 - p), as
 * integers in units of 2^-k. A function of the record's label and its margin alone.
 */

const single = Math.fround;

/** Beyond this e^x is no single any more; XGBoost cuts there. */
const exponentMost = 88.7;

/** The margin that every row begins with: the log-odds of the base score. */
export function baseMargin(settings: SecondOrderSettings): number {
  const { baseScore, sums } = settings;
  // + 0: never -0.
  if (sums === "exact") return single(-Math.log(single(single(1 / single(baseScore)) - 1))) + 0;
  return Math.round(Math.log(baseScore / (1 - baseScore)) * 2 ** leafExponent) / 2 ** leafExponent + 0;
}

/** A margin with one more tree's leaf: in single precision as XGBoost adds, or exactly on the grid of leaves. */
export function addLeaf(settings: SecondOrderSettings, margin: number, leaf: number): number {
  return settings.sums === "exact" ? single(margin + leaf) : margin + leaf;
}

/**
 * Writes a record's pair of integers.
 * @param margin - what the trees so far add up to
 * @param isPositive - y = 1
 * @param out - g at `at`, h after it
 */
export type WriteGradient = (margin: number, isPositive: boolean, out: Float64Array, at: number) => void;

export function gradientWriter(settings: SecondOrderSettings): WriteGradient {
  return settings.sums === "exact" ? singleGradient(settings) : boundedGradient(settings);
}

/** XGBoost's own numbers, in single precision, then the nearest integers. */
function singleGradient({ gridExponent }: SecondOrderSettings): WriteGradient {
  const unit = 2 ** gridExponent;
  return (margin, isPositive, out, at) => {
    const power = single(Math.exp(Math.min(-margin, exponentMost)));
    const p = single(1 / single(power + 1));
    out[at] = Math.round(single(p - (isPositive ? 1 : 0)) * unit) + 0;
    out[at + 1] = Math.round(single(p * single(1 - p)) * unit);
  };
}

/**
 * Cut toward zero, which lengthens neither, and checked in integers: g² + h² ≤ 4^k whatever came before. In reals it
 * holds with p² + p²(1 - p)² ≤ 1, and alike for 1 - p.
 */
function boundedGradient({ gridExponent }: SecondOrderSettings): WriteGradient {
  const unit = 2 ** gridExponent;
  const limit = 4 ** gridExponent;
  return (margin, isPositive, out, at) => {
    const p = 1 / (1 + Math.exp(-margin));
    const g = Math.trunc((p - (isPositive ? 1 : 0)) * unit) + 0;
    // At most ¼ of the unit whatever rounding did: accounting by loss distributions rests on it.
    let h = Math.min(Math.trunc(p * (1 - p) * unit), unit / 4);
    // Both squares are below 2^53, so this is exact; |g| alone never exceeds the unit.
    while (g * g + h * h > limit) h--;
    out[at] = g;
    out[at + 1] = h;
  };
}

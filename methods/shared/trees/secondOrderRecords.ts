import { gradientLimit, gradientMost, noisyBaseMargin, type SecondOrderSettings } from "./secondOrder.js";

/**
 * What a record adds: the first and second derivative of the log loss by its margin, g = p - y and h = p(1 - p), as
 * integers in units of 2^-k. A function of the record's label and its margin alone.
 */

const single = Math.fround;

/** Beyond this e^x is no single any more; XGBoost cuts there. */
const exponentMost = 88.7;

/**
 * The margin that every row begins with: the log-odds of the base score; of several classes the base score itself, which
 * all classes have and none gains by.
 */
export function baseMargin(settings: SecondOrderSettings): number {
  const { baseScore, sums, outputs } = settings;
  if (outputs > 1) return single(baseScore);
  // + 0: never -0.
  if (sums === "exact") return single(-Math.log(single(single(1 / single(baseScore)) - 1))) + 0;
  return noisyBaseMargin(settings);
}

/** A margin with one more tree's leaf: in single precision as XGBoost adds, or exactly on the grid of leaves. */
export function addLeaf(settings: SecondOrderSettings, margin: number, leaf: number): number {
  return settings.sums === "exact" ? single(margin + leaf) : margin + leaf;
}

/**
 * Writes a record's pair of integers.
 * @param margins - what the trees so far add up to, the record's own from `from`: one for each output
 * @param isPositive - the record is of the class whose tree it is: y = 1
 * @param out - g at `at`, h after it
 */
export type WriteGradient = (
  margins: Float64Array,
  from: number,
  isPositive: boolean,
  out: Float64Array,
  at: number,
) => void;

/** @param tree - for which the record adds */
export function gradientWriter(settings: SecondOrderSettings, tree: number): WriteGradient {
  if (settings.outputs > 1) return softmaxGradient(settings, tree % settings.outputs);
  return settings.sums === "exact"
    ? singleGradient(settings)
    : boundedGradient(settings.gridExponent, {
        limit: gradientLimit(settings, tree),
        most: gradientMost(settings, tree),
      });
}

/** XGBoost's own numbers, in single precision, then the nearest integers. */
function singleGradient({ gridExponent }: Pick<SecondOrderSettings, "gridExponent">): WriteGradient {
  const unit = 2 ** gridExponent;
  return (margins, from, isPositive, out, at) => {
    const power = single(Math.exp(Math.min(-margins[from]!, exponentMost)));
    const p = single(1 / single(power + 1));
    out[at] = Math.round(single(p - (isPositive ? 1 : 0)) * unit) + 0;
    out[at + 1] = Math.round(single(p * single(1 - p)) * unit);
  };
}

/**
 * Those of one class of several: p = e^F_c / Σ e^F, g = p - y, and h = 2p(1 - p), which bounds the loss's curvature in all
 * classes' margins at once. XGBoost's least h of 10^-16 is below the grid.
 */
function softmaxGradient({ gridExponent, outputs }: SecondOrderSettings, own: number): WriteGradient {
  const unit = 2 ** gridExponent;
  return (margins, from, isPositive, out, at) => {
    let most = margins[from]!;
    for (let c = 1; c < outputs; c++) most = Math.max(most, margins[from + c]!);
    const power = (c: number) => single(Math.exp(single(margins[from + c]! - most)));
    let total = 0;
    for (let c = 0; c < outputs; c++) total += power(c);
    const p = single(power(own) / single(total));
    out[at] = Math.round(single(p - (isPositive ? 1 : 0)) * unit) + 0;
    out[at + 1] = Math.round(single(single(2 * p) * single(1 - p)) * unit);
  };
}

/**
 * Cut toward zero, which lengthens neither, and checked in integers: g² + h² ≤ `limit` whatever came before. In reals it holds
 * with p² + p²(1 - p)², which is largest at the largest margin, and alike for 1 - p.
 * @param bound.limit - in units of 4^-k, at most 4^k
 * @param bound.most - of |g|, in units of 2^-k
 */
export function boundedGradient(
  gridExponent: number,
  bound: { readonly limit: number; readonly most: number },
): WriteGradient {
  const unit = 2 ** gridExponent;
  const { limit } = bound;
  const most = Math.min(bound.most, Math.floor(Math.sqrt(limit)));
  return (margins, from, isPositive, out, at) => {
    const p = 1 / (1 + Math.exp(-margins[from]!));
    const g = Math.max(-most, Math.min(most, Math.trunc((p - (isPositive ? 1 : 0)) * unit))) + 0;
    // At most ¼ of the unit whatever rounding did: accounting by loss distributions rests on it.
    let h = Math.min(Math.trunc(p * (1 - p) * unit), unit / 4);
    // Both squares are below 2^53, so this is exact; g² alone never exceeds the limit.
    while (g * g + h * h > limit) h--;
    out[at] = g;
    out[at + 1] = h;
  };
}

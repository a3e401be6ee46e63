import type { Broadcast } from "@consilium/core/study/broadcast";
import { cutsName, scoreBins } from "@consilium/core/study/evaluation";
import type { ScoreScale } from "../shared/evaluation/scoreScale.js";
import type { RegressionDesign } from "./columns.js";
import { quadratic } from "./dense.js";

/**
 * Where the evaluation cuts a row's log-odds η = β'x into ranges: at quantiles of a logistic distribution with the mean and variance that
 * the noisy Gram matrix gives η, and at 0, the decision's threshold. It follows from what is public by then.
 * @param gram - [d × d] proportional to Σ xx', positive definite
 */
export function marginScale(
  design: RegressionDesign,
  coefficients: Float64Array,
  gram: Float64Array,
): ScoreScale {
  const { low, high } = marginBounds(design, coefficients);
  const weight = gram[0]!;
  const mean = coefficients.reduce((sum, value, j) => sum + value * gram[j]!, 0) / weight;
  const variance = Math.max(spreadLeast ** 2, quadratic(gram, coefficients) / weight - mean ** 2);
  const spread = (Math.sqrt(variance) * Math.sqrt(3)) / Math.PI;
  const quantile = (part: number) => mean + spread * (Math.log(part) - Math.log1p(-part));
  const below = (margin: number) => 1 / (1 + Math.exp(-(margin - mean) / spread));
  const inner = Array.from({ length: scoreBins - 2 }, (_, i) => quantile((i + 1) / (scoreBins - 1)));
  const cuts = Float64Array.from([...inner, 0]).sort();
  const ends = Array.from({ length: scoreBins }, (_, b) => ({
    from: cuts[b - 1] ?? Number.NEGATIVE_INFINITY,
    to: cuts[b] ?? Number.POSITIVE_INFINITY,
  }));
  return {
    cuts,
    isReached: ends.map(({ from, to }) => to > low && from < high),
    isSecond: ends.map(({ from }) => from >= 0),
    logOdds: ends.map(({ from, to }) => {
      const middle = quantile((below(from) + below(to)) / 2);
      return Math.min(Math.max(from, low, middle), to, high);
    }),
    widths: ends.map(({ from, to }) => Math.max(0, Math.min(to, high) - Math.max(from, low))),
  };
}

/** Cuts of a model that says the same of every row must still ascend. */
const spreadLeast = 2 ** -10;

export const cutsOf = ({ cuts }: ScoreScale): Broadcast => ({ [cutsName]: cuts });

/** The least and the most log-odds that a row within the declared bounds can have. */
function marginBounds(
  { columns, blocks }: RegressionDesign,
  coefficients: Float64Array,
): { readonly low: number; readonly high: number } {
  let [low, high] = [coefficients[0]!, coefficients[0]!];
  for (const { from, width } of blocks) {
    const own = coefficients.subarray(from, from + width);
    if (columns[from]!.level === null) {
      low -= Math.abs(own[0]!) / 2;
      high += Math.abs(own[0]!) / 2;
      continue;
    }
    const reference = -own.reduce((sum, value) => sum + value, 0) * columns[from]!.offset;
    low += reference + Math.min(0, ...own);
    high += reference + Math.max(0, ...own);
  }
  return { low, high };
}

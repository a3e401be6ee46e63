/**
 * When an odds, rate or hazard ratio is shown as "cannot be told": where the ends of its interval of 95 % are more than a factor of
 * 1,000 apart, such as 0.03 to 40. Pages and pictures say so in place of the number; files keep all numbers.
 */

/** Columns of ratios in tables of results; the interval of each is in `<name>_low` and `<name>_high`. */
export const ratioColumns = ["odds_ratio", "rate_ratio", "hazard_ratio"] as const;

const factorMost = 1_000;

/** Of a ratio's interval of 95 %. */
export function isRatioTold({ low, high }: { readonly low: number; readonly high: number }): boolean {
  return high <= factorMost * low;
}

/** Of the interval of a ratio's logarithm; told where there is none. */
export function isLogRatioTold({
  low,
  high,
}: {
  readonly low: number | null;
  readonly high: number | null;
}): boolean {
  return low === null || high === null || high - low <= Math.log(factorMost);
}

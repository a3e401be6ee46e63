const relativeTolerance = 2 ** -46;

/**
 * The least positive number at which a decreasing bound is at most `target`. What is returned has passed that test, so
 * where the bound rounds against us, so does the search.
 *
 * Bisection of the logarithm with interpolation (ITP) [OT20]: never many more evaluations than bisection needs, a
 * handful where the bound is smooth.
 * @param bound - of a positive number; positive, decreasing
 * @param low - positive; its bound is above `target`
 * @param high - its bound is at most `target`
 * @returns at most a relative 2^-46 above the least number that passes
 */
export function leastWithin(
  bound: (value: number) => number,
  target: number,
  low: number,
  high: number,
): number {
  const slack = (value: number) => Math.log(target / bound(value));
  let passing = high;
  let failing = low;
  let above = slack(passing);
  let below = slack(failing);
  if (!(above >= 0 && below < 0)) throw new RangeError("the ends of this search do not bracket the target");
  const width = () => Math.log(passing / failing);
  const truncation = 0.2 / width();
  const steps = Math.ceil(Math.log2(width() / relativeTolerance)) + 1;
  for (let step = 0; width() > relativeTolerance; step++) {
    // Positions are logarithms above that of `failing`.
    const half = width() / 2;
    const regula = (-below * width()) / (above - below);
    const towards = Math.sign(half - regula);
    const nudge = truncation * width() ** 2;
    const truncated = nudge <= Math.abs(half - regula) ? regula + towards * nudge : half;
    const radius = (relativeTolerance / 2) * 2 ** (steps - step) - half;
    const chosen = Math.abs(truncated - half) <= radius ? truncated : half - towards * Math.max(radius, 0);
    // Never nearer to an end than half of the tolerance: a step must be worth its evaluation.
    const inside = Math.min(Math.max(chosen, relativeTolerance / 2), width() - relativeTolerance / 2);
    const middle = failing * Math.exp(inside);
    if (!(middle > failing && middle < passing)) break;
    const value = slack(middle);
    if (value >= 0) [passing, above] = [middle, value];
    else [failing, below] = [middle, value];
  }
  return passing;
}

import { z95 } from "@consilium/core/linalg/z95";

/** A number with an interval of 95 %. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Share of a measure's range that its interval may cover. */
const maxCovered = 0.5;

/** True of an interval that covers most of the range that its measure has, so that it is too imprecise to interpret. @param range - from 0 */
export const isImprecise = ({ low, high }: Pick<Estimate, "low" | "high">, range = 1): boolean =>
  high - low > maxCovered * range;

/**
 * A proportion p of two noisy counts. With C of n rows inside, C̃ and ñ their noisy sums over c cells inside and w others,
 * C̃ - p·ñ has mean 0 and variance n·p(1-p) + σ²·(c(1-p)² + w·p²): the interval is every p in [0, 1] for which it is at most
 * z standard deviations, with ñ for n. Without noise that is Wilson's interval [Wil27], without sampling Fieller's [Fie54].
 * @returns all of [0, 1] with value ½ where there are no rows to speak of
 */
export function proportion(options: {
  readonly inside: number;
  readonly rows: number;
  readonly insideCells: number;
  readonly otherCells: number;
  readonly noiseStdDev: number;
  /** In place of that of 95 %. */
  readonly z?: number;
}): Estimate {
  const { inside, rows, insideCells: c, otherCells: w, noiseStdDev, z = z95 } = options;
  const noise = (z * noiseStdDev) ** 2;
  const n = Math.max(rows, 0);
  const sampling = z ** 2 * n;
  // a·p² + b·p + d ≤ 0
  const a = rows ** 2 + sampling - noise * (c + w);
  const b = -2 * inside * rows - sampling + 2 * noise * c;
  const d = inside ** 2 - noise * c;
  const value = rows > 0 ? clip(inside / rows) : 0.5;
  const discriminant = b ** 2 - 4 * a * d;
  if (!(rows > 0 && a > 0 && discriminant >= 0)) return { value, low: 0, high: 1 };
  const root = Math.sqrt(discriminant);
  return {
    value,
    low: Math.min(value, clip((-b - root) / (2 * a))),
    high: Math.max(value, clip((-b + root) / (2 * a))),
  };
}

/**
 * The mean of independent estimates. Half widths add in squares, each side by itself; those of estimates of which nothing is
 * known add as they are.
 */
export function meanOf(estimates: readonly Estimate[]): Estimate {
  const value = estimates.reduce((sum, one) => sum + one.value, 0) / estimates.length;
  const unknown = estimates.filter(({ low, high }) => low === 0 && high === 1);
  const known = estimates.filter((one) => !unknown.includes(one));
  const spread = (side: (one: Estimate) => number) => {
    const width = (one: Estimate) => Math.abs(side(one) - one.value);
    const worst = unknown.reduce((sum, one) => sum + width(one), 0);
    return (Math.hypot(...known.map(width)) + worst) / estimates.length;
  };
  return {
    value,
    low: clip(value - spread((one) => one.low)),
    high: clip(value + spread((one) => one.high)),
  };
}

const clip = (x: number) => Math.min(1, Math.max(0, x));

import type { ColumnBlock } from "@consilium/core/study/design";
import { type Feature, levelsOf } from "@consilium/core/study/features";
import seedrandom from "seedrandom";
import { normalStream } from "../draws/gaussian.js";
import { normalBelow } from "../evaluation/normal.js";

/** Guess of a table, beside what the study declares of it. */
export interface Situation {
  /** Standard deviation of a number, in parts of its declared range; null: every value between its bounds alike. */
  readonly spread: number | null;
  /** Mean of a number less the middle of its bounds, in parts of its range. */
  readonly offset: number;
  /** Correlation of two columns, in the standard normal numbers behind them. */
  readonly correlation: number;
  /** Whether every level of a category is as frequent; else the second is half as frequent as the first, the third a third, and so on. */
  readonly isEven: boolean;
  /** Standard deviation of the logarithm of odds among rows, by all columns together; of a rate or a hazard half of it. */
  readonly effect: number;
  /** Variance of what multiplies a count's mean besides. */
  readonly frailty: number;
  /** Standard deviation of a linear outcome besides what columns explain, in parts of its range. */
  readonly residual: number;
  /** Part of the rows with the event, where a study does not say it. */
  readonly part: number;
  /** Mean count, in parts of the largest, where a study does not say it. */
  readonly count: number;
  /** Part of the follow-up's horizon from which on patients are followed no further; the end is between it and the horizon. */
  readonly followed: number;
  /** Area under the ROC curve of a model. */
  readonly area: number;
}

/**
 * The best case: values fill their bounds evenly, columns have nothing to do with each other or with the outcome. The likely one, measured on the
 * tables of docs/methods/forecast.md: two thirds of a number's values lie in a third of its bounds, a little below their middle.
 */
export const situations = {
  best: {
    spread: null,
    offset: 0,
    correlation: 0,
    isEven: true,
    effect: 0,
    frailty: 0,
    residual: 0.1,
    part: 0.5,
    count: 1 / 8,
    followed: 1,
    area: 0.95,
  },
  likely: {
    spread: 1 / 6,
    offset: -0.1,
    correlation: 0.3,
    isEven: false,
    effect: 1,
    frailty: 1,
    residual: 0.12,
    part: 0.25,
    count: 1 / 10,
    followed: 0,
    area: 0.8,
  },
} as const satisfies Record<string, Situation>;

/** Rows are drawn up to so many; each stands for several of a larger table. */
const maxRows = 1_000;

export interface ExpectedColumns {
  /** Labels are null: who knows what they depend on sets them. */
  readonly block: ColumnBlock;
  /** [rows] standard normal: all columns together, each to the same part. */
  readonly sums: Float64Array;
  readonly uniform: () => number;
  readonly normal: () => number;
}

/**
 * Rows that are nobody's, the same ones each time.
 * @param options.rows - of the table that they stand for
 * @param options.maxRowsPerSite - no more are drawn
 * @param options.seed - of other rows
 */
export function expectedColumns(
  features: readonly Feature[],
  { spread, offset, correlation, isEven }: Situation,
  options: { readonly rows: number; readonly maxRowsPerSite: number; readonly seed?: number },
): ExpectedColumns {
  const rows = Math.min(maxRows, options.rows, options.maxRowsPerSite);
  const random = seedrandom(`forecast ${options.seed ?? 0}`);
  const uniform = () => random.double();
  const normal = normalStream(uniform);
  const columns = features.map(() => new Float64Array(rows));
  const sums = new Float64Array(rows);
  const [own, common] = [Math.sqrt(1 - correlation), Math.sqrt(correlation)];
  const shares = features.map((feature) =>
    feature.type === "numeric" ? [] : levelShares(levelsOf(feature).length, isEven),
  );
  const scale = 1 / Math.sqrt(features.length * (1 + (features.length - 1) * correlation));
  for (let r = 0; r < rows; r++) {
    const all = normal();
    for (const [f, feature] of features.entries()) {
      const z = common * all + own * normal();
      sums[r] = sums[r]! + z * scale;
      columns[f]![r] =
        feature.type === "numeric"
          ? within(feature, spread === null ? normalBelow(z) : 0.5 + offset + spread * z)
          : levelAt(shares[f]!, normalBelow(z));
    }
  }
  return { block: { rows, columns, labels: null }, sums, uniform, normal };
}

/** @param part - of the range from the lower bound on */
export function within({ min, max }: { readonly min: number; readonly max: number }, part: number): number {
  return min + (max - min) * Math.min(1, Math.max(0, part));
}

/** Frequencies of a category's levels. */
export function levelShares(levels: number, isEven: boolean): readonly number[] {
  const parts = Array.from({ length: levels }, (_, level) => (isEven ? 1 : 1 / (level + 1)));
  const all = parts.reduce((sum, part) => sum + part, 0);
  return parts.map((part) => part / all);
}

/** @param part - from 0 to 1 */
export function levelAt(shares: readonly number[], part: number): number {
  let left = part;
  for (let level = 0; level < shares.length - 1; level++) {
    left -= shares[level]!;
    if (left < 0) return level;
  }
  return shares.length - 1;
}

/** Offset at which an increasing function of it has a value, by halving. */
export function solvedFor(value: number, of: (offset: number) => number): number {
  let [low, high] = [-30, 30];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (of(middle) < value) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Times of follow-up with constant hazards, of which a part ends in the event.
 * @param logHazards - [rows] but for a constant
 */
export function followedUp(
  logHazards: Float64Array,
  options: {
    readonly part: number;
    readonly followed: number;
    readonly horizon: number;
    readonly uniform: () => number;
  },
): { readonly times: Float64Array; readonly hasEvent: readonly boolean[] } {
  const { part, followed, horizon, uniform } = options;
  // Where most have the event, follow-up was long.
  const from = Math.max(followed, part / 2);
  const ends = logHazards.map(() => from + (1 - from) * uniform());
  const waits = logHazards.map(() => -Math.log(1 - uniform()));
  const timeAt = (r: number, at: number) => waits[r]! * Math.exp(-at - logHazards[r]!);
  const at = solvedFor(
    Math.min(part, 0.99),
    (x) => ends.reduce((sum, end, r) => sum + (timeAt(r, x) < end ? 1 : 0), 0) / ends.length,
  );
  return {
    times: ends.map((end, r) => horizon * Math.min(end, timeAt(r, at))),
    hasEvent: Array.from(ends, (end, r) => timeAt(r, at) < end),
  };
}

/** The middle of widths, of which null is wider than all. */
export function middleOf(widths: readonly (number | null)[]): number | null {
  const sorted = [...widths].sort(
    (a, b) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY),
  );
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

/** The part of the rows with the event, as the study states it; null where it does not. */
export function statedPart({
  participation: { expectedEvents },
  rows,
}: {
  readonly participation: { readonly expectedEvents?: number | undefined };
  readonly rows: number;
}): number | null {
  return expectedEvents === undefined ? null : Math.min(1, expectedEvents / rows);
}

/** The best case's width, no wider than the likely one: what is likely for other reasons may make an interval narrower. */
export const narrower = (best: number | null, likely: number | null): number | null =>
  best === null || likely === null ? (best ?? likely) : Math.min(best, likely);

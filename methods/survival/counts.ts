import { nearestCounts } from "../shared/counts/nearestCounts.js";
import { groupCells } from "./study.js";

/** Events and censorings of one group. */
export interface GroupCounts {
  /** [B] */
  readonly events: Float64Array;
  /** [B] */
  readonly censored: Float64Array;
  /** Still followed at the horizon. */
  readonly beyond: number;
}

/** A group's counts from its cells, in the order in which records add to them. */
function asCounts(cells: Float64Array): GroupCounts {
  const intervals = (cells.length - 1) / 2;
  const every = (from: number) => Float64Array.from({ length: intervals }, (_, b) => cells[2 * b + from]!);
  return { censored: every(0), events: every(1), beyond: cells[2 * intervals]! };
}

/** Valid counts of every group. @param sums - of all groups, noisy */
export function groupCounts(sums: Float64Array, intervals: number): GroupCounts[] {
  const size = groupCells(intervals);
  return Array.from({ length: sums.length / size }, (_, g) =>
    asCounts(nearestCounts(sums.subarray(g * size, (g + 1) * size))),
  );
}

/** Records under observation when each interval begins, [B]. */
export function atRisk({ events, censored, beyond }: GroupCounts): Float64Array {
  const numbers = new Float64Array(events.length);
  let left = beyond;
  for (let b = events.length - 1; b >= 0; b--) {
    left += events[b]! + censored[b]!;
    numbers[b] = left;
  }
  return numbers;
}

/** Standard deviation of the noise in the number at risk when interval b begins: that of all cells from there on. */
export const atRiskStdDev = (stdDev: number, intervals: number, b: number) =>
  stdDev * Math.sqrt(groupCells(intervals - b));

/** A number at risk tells something where it is above 0 by so many standard deviations of its noise. */
export const riskDeviations = 2;

/** Below this nobody is at risk: sums of counts without noise that are 0 but for rounding. */
export const nobody = 1e-6;

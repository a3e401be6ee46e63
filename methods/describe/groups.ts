import { z95 } from "@consilium/core/linalg/z95";
import type { Estimate } from "../shared/evaluation/estimate.js";
import type { Total } from "./consistent.js";
import type { DescribeResult } from "./conversation.js";
import type { ColumnStatistics } from "./statistics.js";
import type { DescribeStudy } from "./study.js";

/** How all records are called among groups. */
export const overall = "overall";

export interface Group {
  readonly name: string;
  /** As a heading of a column. */
  readonly heading: string;
  readonly statistics: (column: DescribeResult["columns"][number]) => ColumnStatistics;
  /** How many there are; the interval covers the noise. */
  readonly records: Estimate;
}

/** All records, then each level of the label. */
export function groupsOf(study: DescribeStudy, { consistent }: DescribeResult): Group[] {
  const { label } = study;
  const all: Group = {
    name: overall,
    heading: overall,
    statistics: (column) => column.all,
    records: recordsOf(consistent.total),
  };
  const levels = label?.levels ?? [];
  return [
    all,
    ...levels.map((level, g) => ({
      name: level,
      // Headings differ in more than letter case, as readers of files want it.
      heading: isUnlike(levels, g) ? `${label!.name}: ${level}` : `${label!.name}: ${level} (${g + 1})`,
      statistics: (column: DescribeResult["columns"][number]) => column.groups[g]!,
      records: recordsOf(consistent.groups[g]!),
    })),
  ];
}

function isUnlike(levels: readonly string[], at: number): boolean {
  return levels.every((level, i) => i === at || level.toLowerCase() !== levels[at]!.toLowerCase());
}

function recordsOf({ noisy, stdDev }: Total): Estimate {
  const [value, low, high] = [0, -z95 * stdDev, z95 * stdDev].map((off) => Math.max(0, noisy + off));
  return { value: value!, low: low!, high: high! };
}

import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import { noiseStdDev } from "@consilium/core/study/soundSums";
import { type ConsistentTables, consistentTables } from "./consistent.js";
import {
  type CellStatistics,
  type ColumnStatistics,
  cellStatistics,
  columnStatistics,
} from "./statistics.js";
import { type DescribeStudy, describeLayout } from "./study.js";

/** What descriptive statistics come to: all of it computed from one noisy sum. */
export interface DescribeResult {
  /** The sum as it came, in the stage's own integers. */
  readonly sums: Float64Array;
  /** Standard deviation of the noise in each of its entries. */
  readonly noiseStdDev: number;
  readonly consistent: ConsistentTables;
  /** Of each column, over all records and of each group; without a label over all alone. */
  readonly columns: readonly {
    readonly all: ColumnStatistics;
    readonly groups: readonly ColumnStatistics[];
  }[];
  /** Of each two-way table. */
  readonly pairs: readonly CellStatistics[];
}

/**
 * Descriptive statistics, aggregator side, over whatever adds the sites' vectors.
 * @param check - runs what judges a sum, and may turn its RangeError into an error of its own
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function describeConversation(options: {
  readonly study: DescribeStudy;
  readonly conversation: Pick<SumConversation, "sum" | "survivors">;
  readonly check?: (judge: () => Float64Array) => Float64Array;
}): Promise<DescribeResult> {
  const { study, conversation } = options;
  const check = options.check ?? ((judge) => judge());
  const layout = describeLayout(study);
  const total = await conversation.sum(layout.stage.id, {});
  const sums = check(() => unscaledSum(study, layout.stage, total));
  const stdDev = noiseStdDev(study, layout.stage, conversation.survivors);
  const consistent = consistentTables(layout, sums, stdDev);
  const columns = study.features.map((feature, f) => {
    const { all, groups } = consistent.tables[f]!;
    const statistics = (table: typeof all) => columnStatistics(feature, layout.features[f]!, table);
    return { all: statistics(all), groups: study.label === undefined ? [] : groups.map(statistics) };
  });
  const pairs = consistent.tables.slice(columns.length).map(({ all }) => cellStatistics(all, null));
  return { sums, noiseStdDev: stdDev, consistent, columns, pairs };
}

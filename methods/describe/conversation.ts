import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import { noiseStdDev } from "@consilium/core/study/soundSums";
import { type ConsistentTables, consistentTables } from "./consistent.js";
import { type NumberSums, numberSums } from "./numbers.js";
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
  /** Of each column; null of a category. */
  readonly numbers: readonly ({ readonly groups: readonly NumberSums[]; readonly all: NumberSums } | null)[];
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
  const { stage } = describeLayout(study);
  const total = await conversation.sum(stage.id, {});
  const sums = check(() => unscaledSum(study, stage, total));
  return describeResult(study, sums, noiseStdDev(study, stage, conversation.survivors));
}

/**
 * What follows from the noisy sum.
 * @param sums - in the stage's own integers
 * @param stdDev - of the noise in each of its entries
 */
export function describeResult(study: DescribeStudy, sums: Float64Array, stdDev: number): DescribeResult {
  const layout = describeLayout(study);
  const consistent = consistentTables(layout, sums, stdDev);
  const numbers = layout.numbers.map(
    (sections) => sections && numberSums(sections, layout.groups, sums, stdDev),
  );
  const columns = study.features.map((_, f) => {
    const { all, groups } = consistent.tables[f]!;
    const { missing } = layout.features[f]!;
    const [sections, own] = [layout.numbers[f]!, numbers[f]!];
    const statistics = (table: typeof all, sums: NumberSums | undefined) =>
      columnStatistics(table, missing, sections && { sections, sums: sums! });
    return {
      all: statistics(all, own?.all),
      groups: study.label === undefined ? [] : groups.map((table, g) => statistics(table, own?.groups[g])),
    };
  });
  const pairs = consistent.tables.slice(columns.length).map(({ all }) => cellStatistics(all, null));
  return { sums, noiseStdDev: stdDev, consistent, numbers, columns, pairs };
}

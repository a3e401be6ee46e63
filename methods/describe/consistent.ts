import { nearestCounts } from "../shared/counts/nearestCounts.js";
import type { DescribeLayout, Marginal } from "./study.js";

/**
 * Noisy tables made consistent in two projections (docs/methods/describe.md#describe-consistent). First all are moved, by least
 * squares, so that each has the same number of records in each group: that is linear, so what comes of it is still unbiased and
 * Gaussian, and intervals are computed from it. Then, with these totals kept, each is moved to the nearest table without negative
 * counts: that is what is released as counts.
 */
export interface ConsistentTables {
  /** Records of each group, at least 0, and of all. */
  readonly groups: readonly Total[];
  readonly total: Total;
  /** As the layout's marginals: one column's by group and over all groups, or the two-way table as it is. */
  readonly tables: readonly { readonly groups: readonly CountTable[]; readonly all: CountTable }[];
}

export interface Total {
  readonly noisy: number;
  readonly stdDev: number;
}

/** One table of counts with what is known of its noise. */
export interface CountTable {
  /** [cells] unbiased, negative ones among them, with one total. */
  readonly noisy: Float64Array;
  /** [cells] at least 0, with the same total (0 where that is negative). */
  readonly counts: Float64Array;
  /** Variance of the noise in each cell as it was summed. */
  readonly cellVariance: number;
  /** Variance of the noise in the total. */
  readonly totalVariance: number;
}

/**
 * @param sums - the stage's sum, in its own integers
 * @param stdDev - of the noise in one entry of it; 0 without noise
 */
export function consistentTables(
  layout: DescribeLayout,
  sums: Float64Array,
  stdDev: number,
): ConsistentTables {
  const { marginals, groups } = layout;
  const noisy = marginals.map(({ offset, cells, weight }) =>
    sums.slice(offset, offset + cells).map((sum) => sum / weight),
  );
  const totals = combinedTotals(marginals, noisy, groups, stdDev);
  const kept = totals.groups.map(({ noisy: rows }) => Math.max(0, rows));
  const keptInAll = kept.reduce((sum, rows) => sum + rows, 0);
  const tables = marginals.map((marginal, i) => {
    const cellVariance = (stdDev / marginal.weight) ** 2;
    const table = (own: Float64Array, total: Total, most: number): CountTable => {
      const moved = withTotal(own, total);
      const totalVariance = total.stdDev ** 2;
      return { noisy: moved, counts: nearestCounts(moved, most), cellVariance, totalVariance };
    };
    if (marginal.features.length === 2) {
      const all = table(noisy[i]!, totals.total, keptInAll);
      return { groups: [], all };
    }
    const size = marginal.cells / groups;
    const byGroup = totals.groups.map((total, g) =>
      table(noisy[i]!.subarray(g * size, (g + 1) * size), total, kept[g]!),
    );
    return { groups: byGroup, all: summed(byGroup, totals.total) };
  });
  return { ...totals, tables };
}

/**
 * Least squares: the sum over a table's c cells tells how many records there are, with variance c·σ²/w². One column's tables tell it
 * of each group, two-way tables of all groups together.
 */
function combinedTotals(
  marginals: readonly Marginal[],
  noisy: readonly Float64Array[],
  groups: number,
  stdDev: number,
): Pick<ConsistentTables, "groups" | "total"> {
  const sumOf = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
  const own = new Float64Array(groups);
  let ownWeight = 0;
  let pairs = 0;
  let pairsWeight = 0;
  marginals.forEach(({ features, cells, weight }, i) => {
    const precision = weight ** 2 / cells;
    if (features.length === 2) {
      pairs += precision * sumOf(noisy[i]!);
      pairsWeight += precision;
      return;
    }
    const size = cells / groups;
    for (let g = 0; g < groups; g++)
      own[g]! += groups * precision * sumOf(noisy[i]!.subarray(g * size, (g + 1) * size));
    ownWeight += groups * precision;
  });
  // Without noise all tables say the same, which a mean of them may miss by a rounding.
  if (stdDev === 0) {
    const size = marginals[0]!.cells / groups;
    const exact = Array.from({ length: groups }, (_, g) => ({
      noisy: sumOf(noisy[0]!.subarray(g * size, (g + 1) * size)),
      stdDev: 0,
    }));
    return { groups: exact, total: { noisy: exact.reduce((sum, one) => sum + one.noisy, 0), stdDev: 0 } };
  }
  const means = own.map((sum) => sum / ownWeight);
  const inAll = sumOf(means);
  const allWeight = ownWeight / groups;
  const total = (allWeight * inAll + pairs) / (allWeight + pairsWeight);
  const shift = (total - inAll) / groups;
  const totalVariance = 1 / (allWeight + pairsWeight);
  const groupVariance = 1 / ownWeight - 1 / (groups * ownWeight) + totalVariance / groups ** 2;
  return {
    groups: [...means].map((mean) => ({ noisy: mean + shift, stdDev: stdDev * Math.sqrt(groupVariance) })),
    total: { noisy: total, stdDev: stdDev * Math.sqrt(totalVariance) },
  };
}

/** Moved to the total by the same for each cell: the nearest table that has it. */
function withTotal(values: Float64Array, { noisy, stdDev }: Total): Float64Array {
  if (stdDev === 0) return values.slice();
  const shift = (noisy - values.reduce((sum, value) => sum + value, 0)) / values.length;
  return values.map((value) => value + shift);
}

function summed(tables: readonly CountTable[], total: Total): CountTable {
  const [first, ...others] = tables;
  const add = (pick: (table: CountTable) => Float64Array) =>
    others.reduce((sums, table) => sums.map((sum, i) => sum + pick(table)[i]!), pick(first!).slice());
  return {
    noisy: add(({ noisy }) => noisy),
    counts: add(({ counts }) => counts),
    cellVariance: tables.reduce((sum, { cellVariance }) => sum + cellVariance, 0),
    totalVariance: total.stdDev ** 2,
  };
}

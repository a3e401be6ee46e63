import { nearestCounts } from "../shared/counts/nearestCounts.js";

/**
 * Noisy tables of counts of the same records made consistent by least squares (docs/methods/synthetic-table.md#consistent): a table is
 * its total, what each column says by itself, and what only both together say. These parts are orthogonal, so each is estimated by
 * itself, from all tables that tell of it.
 */

/** Of one column, or of two: [first's cells × second's]. */
export interface NoisyTable {
  readonly columns: readonly [number] | readonly [number, number];
  /** In records. */
  readonly counts: Float64Array;
  /** Of the noise in each count, but for a factor that all tables share. */
  readonly weight: number;
}

export interface Margins {
  /** All records, as all tables together say. */
  readonly total: { readonly noisy: number; readonly stdDev: number };
  /** Of each column, its counts: none negative, with the total; all 0 where that is not positive. */
  readonly counts: readonly Float64Array[];
}

const sumOf = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);

/** @param sizes - cells of each column @param stdDev - σ: a count of weight w has noise of standard deviation σ/w */
export function pooledMargins(
  sizes: readonly number[],
  tables: readonly NoisyTable[],
  stdDev: number,
): Margins {
  let [total, precision] = [0, 0];
  const sums = sizes.map((size) => ({ centred: new Float64Array(size), precision: 0 }));
  for (const table of tables) {
    const own = table.weight ** 2 / table.counts.length;
    total += own * sumOf(table.counts);
    precision += own;
    for (const [side, column] of table.columns.entries()) {
      const margin = marginOf(table, sizes, side);
      const mean = sumOf(margin) / margin.length;
      // A count of the margin adds up so many of the table.
      const weight = (table.weight ** 2 * margin.length) / table.counts.length;
      const sum = sums[column]!;
      for (let b = 0; b < margin.length; b++) sum.centred[b]! += weight * (margin[b]! - mean);
      sum.precision += weight;
    }
  }
  const noisy = total / precision;
  const counts = sums.map(({ centred, precision: own }) =>
    nearestCounts(
      centred.map((sum) => sum / own + noisy / centred.length),
      noisy,
    ),
  );
  return { total: { noisy, stdDev: stdDev / Math.sqrt(precision) }, counts };
}

function marginOf({ columns, counts }: NoisyTable, sizes: readonly number[], side: number): Float64Array {
  const [, second] = columns;
  if (second === undefined) return counts;
  const width = sizes[second]!;
  const margin = new Float64Array(sizes[columns[side]!]!);
  counts.forEach((count, cell) => {
    margin[side === 0 ? Math.floor(cell / width) : cell % width]! += count;
  });
  return margin;
}

export interface DependentTable {
  /** With the margins' total, some of them negative. */
  readonly counts: Float64Array;
  /** Whether its dependence is more than chance makes of noise. */
  readonly standsOut: boolean;
}

/** The square of noise is beyond its mean by so many standard deviations with a probability of 0.022 at most, by χ² of one degree of freedom. */
const standingDeviations = 3;

/**
 * A two-way table with the margins of all tables. What only this table says, how far its counts are from those of independent columns, is
 * noise in part: it is multiplied with 1 - (the noise's expected square)/(its own square), and with 0 where that is negative [JS61].
 * @param rows - the first column's margin, and `own` the second's, with one total
 * @param stdDev - of the noise in a count of this table
 */
export function dependentTable(
  { counts }: Pick<NoisyTable, "counts">,
  { rows, own, stdDev }: { readonly rows: Float64Array; readonly own: Float64Array; readonly stdDev: number },
): DependentTable {
  const [height, width] = [rows.length, own.length];
  const total = sumOf(rows);
  if (!(total > 0)) return { counts: new Float64Array(counts.length), standsOut: false };
  const mean = sumOf(counts) / counts.length;
  const [rowMeans, ownMeans] = [new Float64Array(height), new Float64Array(width)];
  for (let a = 0; a < height; a++) {
    for (let b = 0; b < width; b++) {
      const count = counts[a * width + b]!;
      rowMeans[a]! += count / width;
      ownMeans[b]! += count / height;
    }
  }
  const independent = counts.map((_, cell) => (rows[Math.floor(cell / width)]! * own[cell % width]!) / total);
  const apart = counts.map((count, cell) => {
    const [a, b] = [Math.floor(cell / width), cell % width];
    const additive = rows[a]! / width + own[b]! / height - total / counts.length;
    return count - rowMeans[a]! - ownMeans[b]! + mean + additive - independent[cell]!;
  });
  const freedom = (height - 1) * (width - 1);
  const noise = freedom * stdDev ** 2;
  const square = apart.reduce((sum, one) => sum + one ** 2, 0);
  const kept = square > 0 ? Math.max(0, 1 - noise / square) : 0;
  return {
    counts: independent.map((count, cell) => count + kept * apart[cell]!),
    standsOut: square > noise * (1 + standingDeviations * Math.sqrt(2 / freedom)),
  };
}

import { type ColumnBlock, type DesignColumn, designColumns } from "@consilium/core/study/design";
import { notFinite } from "@consilium/methods/shared/plans/broadcastFaults";
import type { PaperPcaStudy } from "./study.js";

/**
 * Rows as ELFedPCA [ZY22, step 2] uses them: mapped to the units of the analysis, centred by the mean over all sites,
 * divided by their length.
 */

/** The exact mean and number of rows over all sites: what the stage `moments` publishes. */
export interface PcaMoments {
  /** Rows over all sites, 2 or more. */
  readonly n: number;
  /** [d] in units of the analysis: declared units (`scale: none`), or the declared range as 0 to 1. */
  readonly mean: Float64Array;
}

/** A study's design columns in the units of the analysis. */
export interface AnalysisColumns {
  readonly columns: readonly DesignColumn[];
  /** Whether a value is mapped to (value - min) / (max - min) first. */
  readonly toUnitRange: boolean;
  /** [d] the declared bounds in units of the analysis. */
  readonly low: Float64Array;
  readonly high: Float64Array;
}

export function analysisColumns(study: PaperPcaStudy): AnalysisColumns {
  const columns = designColumns(study.features);
  const toUnitRange = study.parameters.scale === "declared";
  return {
    columns,
    toUnitRange,
    low: Float64Array.from(columns, (column) => (toUnitRange ? 0 : column.min)),
    high: Float64Array.from(columns, (column) => (toUnitRange ? 1 : column.max)),
  };
}

/** How far from the mean counts as on it, as a fraction of the declared range. */
const centreTolerance = 2 ** -40;

/**
 * Distances from the mean at or below which a coordinate counts as zero, per column. A row all of whose coordinates
 * do has no direction: its centred values are rounding errors of the mean, and it stays zero instead of being
 * blown up to length 1.
 *
 * It is 2^-40 of the declared range, or the mean's own resolution where that is coarser: n rows summed by `sites`
 * sites in steps of `sumSteps`, and the rounding of doubles of the column's magnitude.
 * @param sumSteps - [d] grid step of the ring at each column of the stage `moments`
 * @returns [d] in units of the analysis
 */
export function zeroThresholds(options: {
  readonly layout: AnalysisColumns;
  readonly sumSteps: (column: number) => number;
  readonly n: number;
  readonly sites: number;
}): Float64Array {
  const { layout, sumSteps, n, sites } = options;
  return layout.low.map((low, j) => {
    const high = layout.high[j]!;
    const ofMean = (sites * sumSteps(j)) / n;
    const ofDoubles = 4 * Number.EPSILON * Math.max(Math.abs(low), Math.abs(high));
    return Math.max(centreTolerance * (high - low), ofMean + ofDoubles);
  });
}

/**
 * Writes rows of a block, centred and divided by their length.
 * @param from - first row of the block
 * @param rows - number of rows, from + rows ≤ block.rows
 * @param thresholds - [d] as `zeroThresholds` gives them
 * @param out - at least [rows × d], overwritten row-major; each row has length 1 or is zero
 * @throws ConsiliumError VALUE_NOT_FINITE naming the column
 */
export function fillNormalised(options: {
  readonly block: ColumnBlock;
  readonly from: number;
  readonly rows: number;
  readonly layout: AnalysisColumns;
  readonly mean: Float64Array;
  readonly thresholds: Float64Array;
  readonly out: Float64Array;
}): void {
  const { block, from, rows, layout, mean, thresholds, out } = options;
  const d = mean.length;
  layout.columns.forEach((column, j) => {
    const source = block.columns[column.feature]!;
    const centre = mean[j]!;
    const { level, min } = column;
    if (level !== null) {
      for (let r = 0, o = j; r < rows; r++, o += d) out[o] = (source[from + r] === level ? 1 : 0) - centre;
    } else if (layout.toUnitRange) {
      const range = column.max - min;
      for (let r = 0, o = j; r < rows; r++, o += d) out[o] = (source[from + r]! - min) / range - centre;
    } else {
      for (let r = 0, o = j; r < rows; r++, o += d) out[o] = source[from + r]! - centre;
    }
  });
  for (let r = 0; r < rows; r++) {
    const broken = normaliseRow(out.subarray(r * d, (r + 1) * d), thresholds);
    if (broken !== null) throw notFinite(layout.columns[broken]!.name);
  }
}

/**
 * Divides a centred row by its length, in place; a row within `thresholds` in every column becomes zero.
 * @param row - [d]
 * @returns null, or the index of the first entry that is not finite (the row is then unspecified)
 */
export function normaliseRow(row: Float64Array, thresholds: Float64Array): number | null {
  if (row.every((value, j) => Math.abs(value) <= thresholds[j]!)) {
    row.fill(0);
    return null;
  }
  let squares = 0;
  for (let j = 0; j < row.length; j++) squares += row[j]! * row[j]!;
  if (!(squares >= 1e-200 && squares <= 1e200)) {
    const broken = row.findIndex((value) => !Number.isFinite(value));
    if (broken >= 0) return broken;
    // Near the ends of a double's range squares lose bits: bring the largest entry to 1 first.
    const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    for (let j = 0; j < row.length; j++) row[j] = row[j]! / largest;
    squares = 0;
    for (let j = 0; j < row.length; j++) squares += row[j]! * row[j]!;
  }
  const length = Math.sqrt(squares);
  for (let j = 0; j < row.length; j++) row[j] = row[j]! / length;
  return null;
}

/** Rows per slice so that a slice of `d` columns fits a cache of a few MiB. */
export function rowsPerSlice(d: number): number {
  return Math.max(1, Math.floor(2 ** 18 / d));
}

import { checkRows } from "@consilium/core/learning/stageTable";
import { type ColumnBlock, type DesignColumn, DesignRows, designColumns } from "@consilium/core/study/design";
import type { Feature } from "@consilium/core/study/features";
import type { Study } from "@consilium/core/study/study";
import { notFinite } from "../plans/broadcastFaults.js";
import { levelUnit } from "./localLearning.js";

/**
 * Unit coordinates of rows: a number is (x - min)/(max - min) by its declared bounds, a level's column ½ or 0. Two rows
 * that differ in a category differ by 1 over its columns, as much as the two ends of a number's range.
 */

/**
 * @param from - the first row of the block to take
 * @param out - at least [rows × D], row-major; overwritten
 * @throws ConsiliumError VALUE_NOT_FINITE naming the column
 */
export function fillUnitRows(options: {
  readonly block: ColumnBlock;
  readonly columns: readonly DesignColumn[];
  readonly from: number;
  readonly rows: number;
  readonly out: Float64Array;
}): void {
  const { block, columns, from, rows, out } = options;
  const d = columns.length;
  columns.forEach((column, j) => {
    const source = block.columns[column.feature]!;
    const { level, min } = column;
    const range = column.max - min;
    for (let r = 0, o = j; r < rows; r++, o += d) {
      const value = source[from + r]!;
      out[o] = level === null ? (value - min) / range : value === level ? levelUnit : 0;
      if (level === null && !Number.isFinite(value)) throw notFinite(column.name);
    }
  });
}

/** Writes records in unit coordinates. */
export const unitRowsOf = (features: readonly Feature[]) => new DesignRows(features, levelUnit);

/** For each design column the feature that it belongs to. */
export function featureOfColumn(features: readonly Feature[]): Uint32Array {
  return Uint32Array.from(designColumns(features), (column) => column.feature);
}

/** A whole table in unit coordinates. */
export interface UnitTable {
  readonly rows: number;
  /** D. */
  readonly columns: number;
  /** [rows × D] row-major. */
  readonly values: Float64Array;
  /** [rows] the label's level. */
  readonly labels: Uint16Array;
}

/**
 * @param keeps - asked once a row, in their order: whether the table holds it
 * @throws ConsiliumError as `checkRows`; VALUE_NOT_FINITE
 */
export async function readUnitTable(
  study: Study,
  blocks: AsyncIterable<ColumnBlock>,
  keeps: () => boolean = () => true,
): Promise<UnitTable> {
  const columns = designColumns(study.features);
  const d = columns.length;
  const parts: { readonly values: Float64Array; readonly labels: Uint16Array }[] = [];
  let seen = 0;
  let rows = 0;
  for await (const block of blocks) {
    seen += block.rows;
    checkRows(seen, study);
    const values = new Float64Array(block.rows * d);
    fillUnitRows({ block, columns, from: 0, rows: block.rows, out: values });
    // Blocks may be used again by their owner.
    const labels = block.labels!.slice(0, block.rows);
    let kept = 0;
    for (let r = 0; r < block.rows; r++) {
      if (!keeps()) continue;
      if (kept < r) {
        values.copyWithin(kept * d, r * d, (r + 1) * d);
        labels[kept] = labels[r]!;
      }
      kept++;
    }
    rows += kept;
    parts.push(
      kept === block.rows
        ? { values, labels }
        : { values: values.slice(0, kept * d), labels: labels.slice(0, kept) },
    );
  }
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return { rows, columns: d, ...only };
  const values = new Float64Array(rows * d);
  const labels = new Uint16Array(rows);
  let at = 0;
  for (const part of parts) {
    values.set(part.values, at * d);
    labels.set(part.labels, at);
    at += part.labels.length;
  }
  return { rows, columns: d, values, labels };
}

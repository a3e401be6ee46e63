import type { ColumnBlock } from "@consilium/core/study/design";
import { foldRecords } from "@consilium/gate/fold";
import { type RecordBlock, RecordReader } from "@consilium/gate/record";
import type { Fold } from "./vectors.js";

/**
 * The gate's fold with a fault put into it: a full block keeps the first rows that come, over all of its parts, so that a record of
 * one part pushes out one of another. Of records that say their block themselves.
 */
export const firstRowsOfBlock: Fold = (options) => {
  const { query, contributor, features, records } = options;
  const own = contributor();
  if (query.kind !== "blocks" || own.kind !== "blocks") return foldRecords(options);
  const { placeOf } = own;
  const rowsOf = new Map<number, number>();
  const reader = new RecordReader(features);
  async function* kept(): AsyncGenerator<RecordBlock> {
    if (query.kind !== "blocks") return;
    for await (const block of records) {
      reader.open(block);
      const chosen: number[] = [];
      for (let r = 0; r < block.rows; r++) {
        reader.load(r);
        const of = Math.floor(placeOf(reader.record) / query.parts);
        const before = rowsOf.get(of) ?? 0;
        if (of < 0 || before === query.rowsMost) continue;
        rowsOf.set(of, before + 1);
        chosen.push(r);
      }
      yield selected(block, chosen);
    }
  }
  return foldRecords({ ...options, records: kept() });
};

const selected = ({ columns, labels }: RecordBlock, rows: readonly number[]): ColumnBlock => ({
  rows: rows.length,
  columns: columns.map((column) => Float64Array.from(rows, (r) => column[r]!)),
  labels: labels === null ? null : Uint16Array.from(rows, (r) => labels[r]!),
});

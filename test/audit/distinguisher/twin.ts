import type { ColumnBlock } from "@consilium/core/study/design";
import { foldRecords } from "@consilium/gate/fold";
import { type RecordBlock, RecordReader } from "@consilium/gate/record";
import { placesOf } from "./places.js";
import type { Fold } from "./vectors.js";

/**
 * The gate's fold with a fault put into it: a block keeps the first records that come, over all of its parts, as many as a table
 * has at most; so one of another part is pushed out. Of records that say their block themselves.
 */
export const firstRowsOfBlock: Fold = (options) => {
  const { query, features, records, rowsAtMost } = options;
  if (query.kind !== "blocks" || query.deal !== "record") return foldRecords(options);
  const { parts } = query;
  const placeOf = placesOf(options);
  const rowsOf = new Map<number, number>();
  const reader = new RecordReader(features);
  async function* kept(): AsyncGenerator<RecordBlock> {
    for await (const block of records) {
      reader.open(block);
      const chosen: number[] = [];
      for (let r = 0; r < block.rows; r++) {
        reader.load(r);
        const place = placeOf(reader.record);
        const of = Math.floor(place / parts);
        const before = rowsOf.get(of) ?? 0;
        if (place === -1 || before === rowsAtMost) continue;
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

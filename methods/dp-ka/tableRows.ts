import { syntheticRowsMost } from "../shared/release/syntheticRowsMost.js";
import type { ReleasedTable } from "./conversation.js";

/** Rows of one chunk. */
const chunkRows = 8_192;

/** Rows made of a released table, cell by cell. */
export interface TableRows {
  readonly rows: number;
  /** Each row's bins of the table's features, then its class: [rows × (features + 1)]. */
  chunks(): Generator<{ readonly rows: number; readonly levels: Uint16Array }>;
}

/**
 * As many rows of each cell and class as its noisy count says, rounded, none where that is negative. They follow from the
 * table alone, so nothing is drawn. More than `syntheticRowsMost`, or than `rowsMost`, are thinned out alike everywhere.
 */
export function tableRows(table: ReleasedTable, rowsMost: number): TableRows {
  const most = Math.min(rowsMost, syntheticRowsMost);
  const wanted = table.kept.flatMap(({ bins, counts }) =>
    counts.map((count, label) => ({ levels: [...bins, label], rows: Math.max(0, Math.round(count)) })),
  );
  const total = wanted.reduce((sum, { rows }) => sum + rows, 0);
  const groups =
    total <= most
      ? wanted
      : wanted.map(({ levels, rows }) => ({ levels, rows: Math.floor((rows * most) / total) }));
  return {
    rows: groups.reduce((sum, { rows }) => sum + rows, 0),
    *chunks() {
      for (const { levels, rows } of groups) {
        for (let left = rows; left > 0; left -= chunkRows) {
          const count = Math.min(left, chunkRows);
          const out = new Uint16Array(count * levels.length);
          for (let r = 0; r < count; r++) out.set(levels, r * levels.length);
          yield { rows: count, levels: out };
        }
      }
    },
  };
}

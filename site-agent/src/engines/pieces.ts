import { stat } from "node:fs/promises";
import type { Piece } from "../data/decode.js";
import type { OpenedSource } from "../data/openSource.js";
import { defaultReadLimits } from "../data/source.js";
import type { SharedDatabase } from "../data/sources/postgres/sharedDatabase.js";

/** How a table is divided among readers. */
export interface Division {
  readonly format: "csv" | "parquet" | "jsonl" | "postgres";
  /** What each reads, none of them nothing; of a database as many as there are readers, each its share of the one query. */
  readonly pieces: readonly (readonly Piece[])[];
  /** Null for files. */
  readonly database: SharedDatabase | null;
}

/**
 * Divides a table of files among readers, every row once: Parquet by rows, other files as a whole.
 * @returns null where only one process can read it
 */
export async function divisionOf(opened: OpenedSource, readers: number): Promise<Division | null> {
  const { config, format, files } = opened;
  if (format === "parquet") {
    const { parquetRows } = await import("../data/sources/parquet/source.js");
    const rows = await parquetRows(config, files, defaultReadLimits);
    return rows && { format, pieces: byRows(files, rows, readers), database: null };
  }
  if ((format !== "csv" && format !== "jsonl") || files.length < 2) return null;
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return { format, pieces: bySize(files, sizes, readers), database: null };
}

/** Divides the rows of a query. */
export const divisionOfDatabase = (table: string, database: SharedDatabase, readers: number): Division => ({
  format: "postgres",
  pieces: Array.from({ length: readers }, () => [{ file: table }]),
  database,
});

/** As many rows to each. A file's last rows are those to its end. */
export function byRows(files: readonly string[], rows: readonly number[], readers: number): Piece[][] {
  const total = rows.reduce((sum, count) => sum + count, 0);
  const shares: Piece[][] = Array.from({ length: readers }, () => []);
  let before = 0;
  for (const [f, file] of files.entries()) {
    const end = before + rows[f]!;
    // Its columns are checked all the same.
    if (rows[f] === 0) shares[0]!.push({ file, range: { from: 0, to: null } });
    for (const [at, share] of shares.entries()) {
      const from = Math.max(before, Math.floor((at * total) / readers));
      const to = Math.min(end, Math.floor(((at + 1) * total) / readers));
      if (from >= to) continue;
      share.push({ file, range: { from: from - before, to: to === end ? null : to - before } });
    }
    before = end;
  }
  return shares.filter((share) => share.length > 0);
}

/** The largest file first, each to the reader that has least. */
function bySize(files: readonly string[], sizes: readonly number[], readers: number): Piece[][] {
  const shares = Array.from({ length: Math.min(readers, files.length) }, () => ({
    bytes: 0,
    pieces: [] as Piece[],
  }));
  const order = files.map((_, f) => f).sort((a, b) => sizes[b]! - sizes[a]! || a - b);
  for (const f of order) {
    const least = shares.reduce((one, other) => (other.bytes < one.bytes ? other : one));
    least.pieces.push({ file: files[f]! });
    // One more, so that files without a byte are spread too, and everyone has one.
    least.bytes += sizes[f]! + 1;
  }
  return shares.map(({ pieces }) => pieces);
}

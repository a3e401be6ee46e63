import type { ColumnKind } from "@consilium/core/study/columnKinds";
import type { AnySaid } from "@consilium/words/said";
import type { CellChunk, CellRequest } from "./cells.js";
import { fault, remedied } from "./fault.js";
import type { RecordFault } from "./text/csvRecords.js";

export type { ColumnKind };

export interface SourceColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** False where the first row was taken for column names without anybody having said so. */
  readonly nameIsSchema: boolean;
}

/**
 * Counts the rows that cannot be taken apart: of a CSV file those with too many or too few fields or an open quotation mark, of JSON
 * lines those that are no object. Filled while a file is read.
 */
export interface MalformedRows {
  rows: number;
  /** Given, filled for files of text: rows by what is wrong with them, and the line of the first one, counted from 1. */
  readonly causes?: Map<LeftOutCause, { rows: number; readonly line: number }>;
  /** Given, the line ends of CSV files are counted, those within quotation marks not. */
  readonly lineEnds?: Record<"lf" | "crlf" | "cr", number>;
}

/** Why a row cannot be taken apart. */
export type LeftOutCause = RecordFault | "no-object";

/** Rows of a file, counted from 0: from the first up to the other, or to the end. */
export interface RowRange {
  readonly from: number;
  readonly to: number | null;
}

export interface ReadOptions {
  /** Ends the reading with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Parquet only: the rows to read of the file; left out, all. */
  readonly range?: RowRange | undefined;
  /** Parquet only: told the file's columns before a row is read. What it throws ends the reading. */
  readonly check?: ((columns: readonly SourceColumn[]) => void) | undefined;
  /** Given, malformed rows are left out and counted here; left out, the first one ends the reading. */
  readonly malformed?: MalformedRows | undefined;
}

/**
 * A format. A table is one or more files of it, read one after the other in the order of their names, each in the
 * order of its rows, in memory that does not grow with the file. Every source passes the suite of
 * `source.test.ts`, so that a table gives the same cells in every format.
 *
 * Methods throw ConsiliumError alone; no error holds a value of a record, in its message, properties or cause.
 */
export interface TableSource {
  /**
   * The columns of one file in file order.
   * @param wanted - names to look for; a format without a schema looks through the whole file for them
   * @returns an empty list for a file that holds nothing at all
   */
  columns(file: string, wanted?: readonly string[]): Promise<readonly SourceColumn[]>;
  /**
   * The requested cells of one file. The requests name columns that `columns` listed, each name being unique there.
   */
  read(file: string, requests: readonly CellRequest[], options: ReadOptions): AsyncIterable<CellChunk>;
}

/** How much of the machine reading may take. */
export interface ReadLimits {
  readonly threads: number;
  /** Bounds DuckDB's own buffers; blocks handed out come on top. */
  readonly memoryLimitMb: number;
}

export const defaultReadLimits: ReadLimits = { threads: 2, memoryLimitMb: 512 };

/** Counts a record that cannot be taken apart; without a count it ends the reading. @throws ConsiliumError TABLE_UNREADABLE */
export function leaveOut(
  malformed: MalformedRows | undefined,
  { cause, place, line }: { readonly cause: LeftOutCause; readonly place: AnySaid; readonly line: number },
): void {
  if (malformed === undefined) {
    const remedy = remedied(cause === "no-object" ? "line.write-objects" : "line.correct", {});
    throw fault("TABLE_UNREADABLE", `line.${cause}`, { place, line }, remedy);
  }
  malformed.rows++;
  const { causes } = malformed;
  if (causes === undefined) return;
  const known = causes.get(cause);
  if (known === undefined) causes.set(cause, { rows: 1, line });
  else known.rows++;
}

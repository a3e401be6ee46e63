import { closeSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
import { ConsiliumError } from "@consilium/core/errors";
import { type ReleaseColumn, releaseRowBytes } from "@consilium/core/release/content";

/**
 * The rows of a release as deposited: row after row, each number column as float64, then each level column as a
 * 16-bit index into its levels, all little-endian. NaN is no value, in a column that may lack one.
 */
export interface DepositedRows {
  readonly path: string;
  readonly columns: readonly ReleaseColumn[];
  readonly rows: number;
}

/** Some consecutive rows; `view` is valid until the next block is read. */
interface RowBlock {
  readonly view: DataView;
  /** Rows in this block. */
  readonly count: number;
  /** Of the first one among all rows, from 0. */
  readonly firstRow: number;
}

/** A column with the place of its values within a row. */
interface PlacedColumn {
  readonly column: ReleaseColumn;
  /** Bytes from the row's start. */
  readonly offset: number;
}

export function placeColumns(columns: readonly ReleaseColumn[]): PlacedColumn[] {
  let offset = 0;
  return columns.map((column) => {
    const placed = { column, offset };
    offset += column.type === "number" ? 8 : 2;
    return placed;
  });
}

/** Whether a number stands for no value. */
export const isMissingIn = (column: ReleaseColumn, value: number): boolean =>
  column.type === "number" && column.mayBeMissing === true && Number.isNaN(value);

const blockBytes = 4 * 1024 * 1024;

/** Reads the rows in blocks of some MiB, whatever their number. */
export async function* readBlocks(data: DepositedRows): AsyncGenerator<RowBlock> {
  const rowBytes = releaseRowBytes(data.columns);
  const rowsPerBlock = Math.max(1, Math.floor(blockBytes / rowBytes));
  const buffer = Buffer.alloc(rowsPerBlock * rowBytes);
  const handle = await open(data.path, "r");
  try {
    for (let firstRow = 0; firstRow < data.rows; firstRow += rowsPerBlock) {
      const count = Math.min(rowsPerBlock, data.rows - firstRow);
      const wanted = count * rowBytes;
      for (let have = 0; have < wanted; ) {
        const { bytesRead } = await handle.read(buffer, have, wanted - have, firstRow * rowBytes + have);
        if (bytesRead === 0) throw truncated(data);
        have += bytesRead;
      }
      yield { view: new DataView(buffer.buffer, buffer.byteOffset, wanted), count, firstRow };
    }
  } finally {
    await handle.close();
  }
}

/** Reads consecutive rows on demand, for a consumer that cannot wait. */
export class RowReader {
  private readonly file: number;
  private readonly rowBytes: number;
  private readonly buffer: Buffer;
  private nextRow = 0;

  /** @param maxRows - most rows of one `read` */
  constructor(
    private readonly data: DepositedRows,
    maxRows: number,
  ) {
    this.file = openSync(data.path, "r");
    this.rowBytes = releaseRowBytes(data.columns);
    this.buffer = Buffer.alloc(this.rowBytes * maxRows);
  }

  /** The next rows, at most as many as the reader was made for; a count of 0 after the last. */
  read(): RowBlock {
    const firstRow = this.nextRow;
    const count = Math.min(this.buffer.length / this.rowBytes, this.data.rows - firstRow);
    const wanted = count * this.rowBytes;
    for (let have = 0; have < wanted; ) {
      const read = readSync(this.file, this.buffer, have, wanted - have, firstRow * this.rowBytes + have);
      if (read === 0) throw truncated(this.data);
      have += read;
    }
    this.nextRow += count;
    return { view: new DataView(this.buffer.buffer, this.buffer.byteOffset, wanted), count, firstRow };
  }

  close(): void {
    closeSync(this.file);
  }
}

function truncated(data: DepositedRows): ConsiliumError {
  return new ConsiliumError("DEPOSIT_INVALID", `truncated data: expected ${data.rows} rows`);
}

/**
 * Refuses values that no release holds: numbers that are not finite, indices beyond the levels.
 * @throws ConsiliumError DEPOSIT_INVALID naming row and column, never the value
 */
export function checkBlock(block: RowBlock, placed: readonly PlacedColumn[], rowBytes: number): void {
  for (let row = 0; row < block.count; row++) {
    const start = row * rowBytes;
    for (const { column, offset } of placed) {
      if (holds(column, block.view, start + offset)) continue;
      const what = column.type === "number" ? "is not a finite number" : "is not one of its levels";
      throw new ConsiliumError(
        "DEPOSIT_INVALID",
        `row ${block.firstRow + row + 1}, column "${column.name}": the value ${what}`,
      );
    }
  }
}

function holds(column: ReleaseColumn, view: DataView, at: number): boolean {
  if (column.type === "level") return view.getUint16(at, true) < column.levels.length;
  const value = view.getFloat64(at, true);
  return Number.isFinite(value) || isMissingIn(column, value);
}

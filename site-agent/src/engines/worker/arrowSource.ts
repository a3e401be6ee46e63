import { plainText } from "@consilium/core/study/plainText";
import { type AsyncRecordBatchStreamReader, type RecordBatch, RecordBatchReader } from "apache-arrow";
import {
  type CellChunk,
  type CellRequest,
  cellOfText,
  type LevelIndex,
  levelCell,
  type MissingValues,
  numberCell,
} from "../../data/cells.js";
import { fault } from "../../data/fault.js";
import { patientParts } from "../../data/patientHash.js";
import type { ReadOptions, SourceColumn, TableSource } from "../../data/source.js";
import { cellsKey } from "../arrowCells.js";
import {
  type ArrowColumn,
  type ArrowNumbers,
  type ArrowTexts,
  columnOf,
  isValid,
  kindOf,
} from "./arrowColumns.js";

/**
 * Rows that come over a pipe as Arrow IPC streams, one stream for each pass over them. How they are cut into batches makes no
 * difference.
 */
export class ArrowSource implements TableSource {
  readonly #bytes: AsyncIterable<Uint8Array>;
  readonly #missing: MissingValues;
  #reader: AsyncRecordBatchStreamReader | null = null;
  /** Whether a stream's schema was read, and its batches were not. */
  #isOpen = false;

  constructor(bytes: AsyncIterable<Uint8Array>, missing: MissingValues) {
    this.#bytes = withoutWaiting(bytes);
    this.#missing = missing;
  }

  async columns(_: string, wanted: readonly string[] = []): Promise<readonly SourceColumn[]> {
    const { schema } = await this.#open();
    if (schema.metadata.has(cellsKey))
      return [...new Set(wanted)].map((name) => ({ name, kind: "any", nameIsSchema: true }));
    return schema.fields.map(({ name, type }) => ({ name, kind: kindOf(type), nameIsSchema: true }));
  }

  async *read(
    _: string,
    requests: readonly CellRequest[],
    { signal }: ReadOptions,
  ): AsyncGenerator<CellChunk> {
    const reader = await this.#open();
    this.#isOpen = false;
    const areCells = reader.schema.metadata.has(cellsKey);
    const widths = requests.map(widthOf);
    const width = widths.reduce((sum, one) => sum + one, 0);
    // Used again for each batch: a chunk is valid until the next one is asked for.
    let room: Float64Array[] = [];
    for await (const batch of reader) {
      signal?.throwIfAborted();
      if (!areCells && (room.length === 0 || room[0]!.length < batch.numRows))
        room = Array.from({ length: width }, () => new Float64Array(batch.numRows));
      yield areCells ? cellsOf(batch, width) : converted(batch, requests, { missing: this.#missing, room });
    }
  }

  /** The stream that is read now, or else the next one. */
  async #open(): Promise<AsyncRecordBatchStreamReader> {
    if (this.#reader !== null && this.#isOpen) return this.#reader;
    if (this.#reader === null)
      this.#reader = (await RecordBatchReader.from(this.#bytes)) as AsyncRecordBatchStreamReader;
    else this.#reader.reset();
    await this.#reader.open({ autoDestroy: false });
    if (this.#reader.closed) throw fault("TABLE_UNREADABLE", "stream.ended", {});
    this.#isOpen = true;
    return this.#reader;
  }
}

/**
 * The library asks for the next bytes already when those that it has are just enough, and would wait for the agent at the end of
 * each stream while the agent waits for an answer: here it is given none, and takes what it has.
 */
async function* withoutWaiting(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const some of bytes) {
    yield some;
    yield new Uint8Array(0);
  }
}

const widthOf = ({ kind }: CellRequest) => (kind === "patient" ? patientParts.length : 1);

/** Columns that are cells already. */
function cellsOf(batch: RecordBatch, width: number): CellChunk {
  const columns = batch.data.children.map(({ values, nullCount }) => {
    if (values instanceof Float64Array && nullCount === 0) return values;
    throw fault("TABLE_UNREADABLE", "stream.cells", {});
  });
  if (columns.length !== width)
    throw fault("TABLE_UNREADABLE", "stream.width", { columns: columns.length, expected: width });
  return { rows: batch.numRows, columns };
}

/** @param own.room - a column's cells each, overwritten */
function converted(
  batch: RecordBatch,
  requests: readonly CellRequest[],
  own: { readonly missing: MissingValues; readonly room: readonly Float64Array[] },
): CellChunk {
  const rows = batch.numRows;
  const { missing } = own;
  let taken = 0;
  return {
    rows,
    columns: requests.flatMap((request) => {
      const column = columnOf(batch, request.name);
      const end = taken + widthOf(request);
      const made = own.room.slice(taken, end).map((cells) => cells.subarray(0, rows));
      taken = end;
      const numbers = request.kind === "number" ? column.numbers() : null;
      const texts = request.kind === "level" ? column.texts() : null;
      if (numbers !== null && areCells(numbers, rows)) return [numbers.values];
      if (numbers !== null) fillNumbers(made[0]!, numbers, missing);
      if (request.kind === "level" && texts !== null) fillLevels(made[0]!, texts, request.levels);
      if (numbers !== null || texts !== null) return made;
      const cellOf = converter(request, column, missing);
      for (let r = 0; r < rows; r++) {
        const cell = cellOf(r);
        if (typeof cell === "number") made[0]![r] = cell;
        else for (let part = 0; part < cell.length; part++) made[part]![r] = cell[part]!;
      }
      return made;
    }),
  };
}

/** Whether numbers are cells as they stand: float64, finite, and none missing. */
function areCells(numbers: ArrowNumbers, rows: number): numbers is ArrowNumbers & { values: Float64Array } {
  const { values, validity } = numbers;
  if (validity !== null || !(values instanceof Float64Array)) return false;
  let rest = 0;
  // NaN from the first on that is not finite.
  for (let r = 0; r < rows; r++) rest += values[r]! - values[r]!;
  return rest === 0;
}

/** What `converter` makes of numbers, many times as fast. */
function fillNumbers(cells: Float64Array, { values, validity }: ArrowNumbers, missing: MissingValues): void {
  const ofNaN = missing.nan ? numberCell.missing : numberCell.notFinite;
  for (let r = 0; r < cells.length; r++) {
    const value = values[r]!;
    // An infinite value less itself is NaN too.
    cells[r] = value - value === 0 ? value : Number.isNaN(value) ? ofNaN : numberCell.notFinite;
  }
  if (validity === null) return;
  for (let r = 0; r < cells.length; r++) if (!isValid(validity, r)) cells[r] = numberCell.missing;
}

/** So many texts of a batch are remembered, a power of two. */
const textsMost = 1024;

const decoder = new TextDecoder();

/** What `converter` makes of texts. The first that differ are decoded and looked up once, which takes most of the time. */
function fillLevels(cells: Float64Array, { offsets, bytes, validity }: ArrowTexts, levels: LevelIndex): void {
  // By the hash of a text: the row that had it first and one; 0 where there is none.
  const firsts = new Int32Array(2 * textsMost);
  let count = 0;
  for (let r = 0; r < cells.length; r++) {
    if (validity !== null && !isValid(validity, r)) {
      cells[r] = levelCell.missing;
      continue;
    }
    const [from, length] = [offsets[r]!, offsets[r + 1]! - offsets[r]!];
    let hash = length;
    for (let b = from; b < from + length; b++) hash = Math.imul(hash ^ bytes[b]!, 0x01000193);
    let slot = (hash ^ (hash >>> 15)) & (2 * textsMost - 1);
    let first = firsts[slot]! - 1;
    for (; first >= 0; first = firsts[slot]! - 1) {
      const at = offsets[first]!;
      let same = offsets[first + 1]! - at === length ? 0 : -1;
      while (same >= 0 && same < length && bytes[at + same] === bytes[from + same]) same++;
      if (same === length) break;
      slot = (slot + 1) & (2 * textsMost - 1);
    }
    if (first < 0 && count++ < textsMost) firsts[slot] = r + 1;
    const text = first < 0 ? decoder.decode(bytes.subarray(from, from + length)) : null;
    cells[r] = text === null ? cells[first]! : levels.code(plainText(text));
  }
}

function converter(
  request: CellRequest,
  column: ArrowColumn,
  tables: MissingValues,
): (row: number) => number | readonly number[] {
  const cellOf = cellOfText(request, tables);
  if (request.kind === "patient")
    return (row) => cellOf(Number.isNaN(column.value(row)) ? null : column.text(row));
  if (request.kind !== "number") return (row) => cellOf(column.text(row));
  const { nan } = request.missing ?? tables;
  return (row) => {
    const value = column.value(row);
    if (typeof value !== "number") return cellOf(value);
    if (Number.isNaN(value) && nan) return numberCell.missing;
    return Number.isFinite(value) ? value : numberCell.notFinite;
  };
}

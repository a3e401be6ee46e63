import { type CellRequest, cellOfText, type MissingValues } from "../cells.js";
import { patientParts } from "../patientHash.js";
import type { CsvRecords } from "./csvRecords.js";

/** Writes the cells that fields of records are: no text is made of a number as programs write it, nor of what was met before. */

/** So many texts of a column are remembered, a power of two, none of them longer than this. */
const remembered = 2 ** 11;
const longestRemembered = 64;

export class FieldCells {
  readonly columns: readonly Float64Array[];
  readonly #cellOf: (text: string) => number | readonly number[];
  readonly #isNumber: boolean;
  /** Not where each text is looked at. */
  readonly #remembers: boolean;
  /** By hash, the place of a text and one; 0 where there is none. */
  readonly #slots = new Int32Array(2 * remembered);
  readonly #texts = Buffer.alloc(remembered * longestRemembered);
  readonly #lengths = new Uint8Array(remembered);
  readonly #values: readonly Float64Array[];
  readonly #first: Float64Array;
  #count = 0;

  /** @param rows - of the columns, which `write` fills */
  constructor(
    request: CellRequest,
    { missing, decimal, rows }: { missing: MissingValues; decimal: "." | ","; rows: number },
  ) {
    const width = request.kind === "patient" ? patientParts.length : 1;
    const columns = (length: number) => Array.from({ length: width }, () => new Float64Array(length));
    this.columns = columns(rows);
    this.#first = this.columns[0]!;
    this.#values = columns(remembered);
    this.#cellOf = cellOfText(request, missing, decimal);
    this.#isNumber = request.kind === "number";
    this.#remembers = request.kind !== "order" || request.see === undefined;
  }

  /** Writes the cell of a field of the last record into a row. */
  write(row: number, records: CsvRecords, field: number): void {
    if (this.#isNumber) {
      const number = records.numbers[field]!;
      if (!Number.isNaN(number)) {
        this.#first[row] = number;
        return;
      }
    }
    const from = records.starts[field]!;
    const to = records.ends[field]!;
    if (to - from > longestRemembered || records.quoting[field] === 2) {
      this.#put(this.columns, row, this.#cellOf(records.text(field)));
      return;
    }
    const place = this.#placeOf(records.bytes, from, to);
    if (place >= 0) {
      for (let part = 0; part < this.columns.length; part++)
        this.columns[part]![row] = this.#values[part]![place]!;
      return;
    }
    const cell = this.#cellOf(records.text(field));
    this.#put(this.columns, row, cell);
    if (this.#remembers && this.#count < remembered)
      this.#remember(records.bytes, { from, to, slot: -1 - place }, cell);
  }

  #put(columns: readonly Float64Array[], row: number, cell: number | readonly number[]): void {
    if (typeof cell === "number") columns[0]![row] = cell;
    else for (let part = 0; part < cell.length; part++) columns[part]![row] = cell[part]!;
  }

  /** The place of a text that is remembered; else −1 less the slot where it would be. */
  #placeOf(bytes: Buffer, from: number, to: number): number {
    const length = to - from;
    let hash = length;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
    const mask = this.#slots.length - 1;
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot]! - 1;
      if (place < 0) return -1 - slot;
      if (this.#lengths[place] !== length) continue;
      const start = place * longestRemembered;
      let same = 0;
      while (same < length && this.#texts[start + same] === bytes[from + same]) same++;
      if (same === length) return place;
    }
  }

  #remember(
    bytes: Buffer,
    { from, to, slot }: { from: number; to: number; slot: number },
    cell: number | readonly number[],
  ): void {
    const place = this.#count++;
    bytes.copy(this.#texts, place * longestRemembered, from, to);
    this.#lengths[place] = to - from;
    this.#slots[slot] = place + 1;
    this.#put(this.#values, place, cell);
  }
}

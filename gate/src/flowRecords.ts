import type { Contributor } from "./contributions.js";
import { flowQuery, flowSidesMost, flowStatus, flowStatuses } from "./flow.js";
import type { RecordBlock } from "./record.js";

/** Writes a record of a flow: its status, and the sides of a used one. @param numbers - as of `flowQuery` */
export function flowContributor(numbers: number): Contributor {
  const { most } = flowQuery(numbers).channels[0]!;
  return {
    kind: "histogram",
    write({ values }, cells, out) {
      cells[0] = values[0]!;
      out[0] = most;
      let touched = 1;
      for (let n = 1; values[0] === flowStatus.used && n <= numbers && touched < cells.length; n++) {
        if (values[n] === 0) continue;
        cells[touched] = flowStatuses + 2 * (n - 1) + values[n]! - 1;
        out[touched++] = 1;
      }
      return touched;
    },
  };
}

/** Rows of a table, each with its status and sides, and whose they are. */
export interface FlowRows {
  readonly rows: number;
  /** The status, then the side of each number. */
  readonly columns: readonly Float64Array[];
  /** As of `BoundedRows`; below 0 for a row without a patient. */
  readonly patient: readonly [Float64Array, Float64Array, Float64Array];
}

/** No side of any number, and after all statuses. */
const none = 0xffff;
const noStatus = 0xff;

/**
 * One record of each patient, whatever order the rows come in: used, if any of the rows is; else the first of the causes for which they are
 * left out. A number counts where it lies beyond a bound in any used row, `below` before `above`. Rows without a patient count nowhere.
 *
 * So a patient is one record, and which one follows from this patient's rows alone. That is all that the noise is sized for.
 *
 * Memory: at most `patientsMost` patients at once, 41 MiB of 2^20 and less than 96 MiB while their room is made anew. A table of more
 * patients is read again, for a further share of them each time; a patient belongs to one share, by the hash alone.
 */
export class PatientFlow {
  readonly #from: number;
  readonly #patientsMost: number;
  /** Patients whose hash begins with a number from `from` on and below this one. */
  #to = Number.POSITIVE_INFINITY;
  #size = 0;
  /** Open addressing, at most half full: a patient's place + 1; 0 where there is none. */
  #slots = new Uint32Array(0);
  #ids = new Float64Array(0);
  #status = new Uint8Array(0);
  /** [places × flowSidesMost]: the least codes 2·number + side - 1, of each number one. */
  #sides = new Uint16Array(0);

  /** @param from - where the share before ended; 0 for the first */
  constructor(from: number, patientsMost = 2 ** 20) {
    this.#from = from;
    this.#patientsMost = patientsMost;
    this.#grow(Math.min(1024, patientsMost));
  }

  /** Where the next share begins; infinite where this one ends with the last patient. */
  get to(): number {
    return this.#to;
  }

  add({ rows, columns, patient }: FlowRows): void {
    const [first, second, third] = patient;
    const status = columns[0]!;
    for (let r = 0; r < rows; r++) {
      const a = first[r]!;
      if (a < this.#from || a >= this.#to) continue;
      const place = this.#placeOf(a, second[r]!, third[r]!);
      if (place === -1) continue;
      if (status[r]! < this.#status[place]!) this.#status[place] = status[r]!;
      if (status[r] === flowStatus.used)
        for (let n = 1; n < columns.length; n++)
          if (columns[n]![r] !== 0) this.#addSide(4 * place, 2 * (n - 1) + columns[n]![r]! - 1);
    }
  }

  /** The patients of this share, once all rows were added. @param numbers - as of `flowQuery` */
  *records(numbers: number): Generator<RecordBlock> {
    const room = Math.max(64, Math.floor(2 ** 19 / (1 + numbers)));
    for (let from = 0; from < this.#size; from += room) {
      const rows = Math.min(room, this.#size - from);
      const columns = Array.from({ length: 1 + numbers }, () => new Float64Array(rows));
      for (let r = 0; r < rows; r++) {
        columns[0]![r] = this.#status[from + r]!;
        for (const code of this.#sides.subarray(4 * (from + r), 4 * (from + r + 1)))
          if (code !== none) columns[1 + (code >> 1)]![r] = 1 + (code & 1);
      }
      yield { rows, columns, labels: null };
    }
  }

  /** Keeps the least codes in their order, of each number one. @param at - the patient's first */
  #addSide(at: number, code: number): void {
    const sides = this.#sides;
    const end = at + flowSidesMost;
    let i = at;
    while (i < end && sides[i]! >> 1 < code >> 1) i++;
    if (i === end) return;
    if (sides[i]! >> 1 === code >> 1) sides[i] = Math.min(sides[i]!, code);
    else {
      sides.copyWithin(i + 1, i, end - 1);
      sides[i] = code;
    }
  }

  /** @returns -1 for a patient whom a later share has */
  #placeOf(a: number, b: number, c: number): number {
    const mask = this.#slots.length - 1;
    let slot = (a >>> 0) & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const place = this.#slots[slot]! - 1;
      if (this.#ids[3 * place] === a && this.#ids[3 * place + 1] === b && this.#ids[3 * place + 2] === c)
        return place;
    }
    if (this.#size === this.#status.length) {
      if (this.#size < this.#patientsMost) this.#grow(Math.min(2 * this.#size, this.#patientsMost));
      else this.#halve();
      return a < this.#to ? this.#placeOf(a, b, c) : -1;
    }
    this.#ids.set([a, b, c], 3 * this.#size);
    this.#status[this.#size] = noStatus;
    this.#sides.fill(none, 4 * this.#size, 4 * this.#size + 4);
    this.#slots[slot] = ++this.#size;
    return this.#size - 1;
  }

  /** Leaves the half of the patients with the greater hashes to later shares. */
  #halve(): void {
    const firsts = Float64Array.from({ length: this.#size }, (_, place) => this.#ids[3 * place]!).sort();
    this.#to = firsts[this.#size >> 1]!;
    let kept = 0;
    for (let place = 0; place < this.#size; place++) {
      if (this.#ids[3 * place]! >= this.#to) continue;
      this.#ids.copyWithin(3 * kept, 3 * place, 3 * place + 3);
      this.#sides.copyWithin(4 * kept, 4 * place, 4 * place + 4);
      this.#status[kept++] = this.#status[place]!;
    }
    this.#size = kept;
    this.#grow(this.#status.length);
  }

  #grow(room: number): void {
    const [ids, status, sides] = [this.#ids, this.#status, this.#sides];
    this.#ids = new Float64Array(3 * room);
    this.#ids.set(ids.subarray(0, 3 * this.#size));
    this.#status = new Uint8Array(room);
    this.#status.set(status.subarray(0, this.#size));
    this.#sides = new Uint16Array(4 * room);
    this.#sides.set(sides.subarray(0, 4 * this.#size));
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * room)));
    const mask = this.#slots.length - 1;
    for (let place = 0; place < this.#size; place++) {
      let slot = (this.#ids[3 * place]! >>> 0) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = place + 1;
    }
  }
}

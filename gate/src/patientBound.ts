import type { PatientRows } from "./record.js";
import { isBefore, RowNotes } from "./rowNotes.js";

/**
 * At most m rows of each patient, whatever order they come in and however they are divided among files, passes or
 * workers, as long as all rows of a patient come to one `PatientBound`.
 *
 * Of a patient with more rows the m least are used, compared by `order` and then by `key`. Both are functions of the row
 * itself (`key` is a hash of it under a secret of the site), so
 * - which rows of a patient are used depends on this patient's rows and on nothing else: adding or removing a patient
 *   changes the used rows of no other patient, and those of that patient by m at most. That is all that the
 *   noise is sized for; it does not rest on the secrecy of the key;
 * - rows with equal `order` and `key` are taken to be equal: which of them are used does not matter;
 * - another row of a patient may displace one that was used. Both belong to the patient who is the unit;
 * - nobody who does not know the secret can write a row that is certain to be used, or choose patients that collide.
 *
 * Rows are noted first (`note`, `settle`) and taken in a further pass (`take`). Where the table changes between
 * them, a patient's rows are still at most as many as were noted, and a patient that was not noted has none.
 *
 * Memory: 46 to 86 bytes a patient, half as much again while that grows; 24 bytes more for one with more than m rows;
 * and 56 MB for notes. A table whose notes need more is noted in several passes, over a share of the patients each.
 */

/** Columns over the rows of a block. */
export interface BoundedRows {
  /** Whose row it is: three whole numbers from 0 to 2^53 which are together a keyed hash of the patient. */
  readonly patient: readonly [Float64Array, Float64Array, Float64Array];
  /** Of a table that declares an order; infinite for a row that has no place in it. Never NaN. */
  readonly order: Float64Array | null;
  /** A keyed hash of the row: a whole number from 0 to 2^53. */
  readonly key: Float64Array;
}

interface PatientBoundOptions {
  /** m, from 1 to 65,535. */
  readonly maxRows: number;
  /** Rows noted at a time; at least 2m. Default: 2^20 or 2m. */
  readonly notes?: number;
}

export class PatientBound {
  readonly #maxRows: number;
  #patients = 0;
  /** Open addressing, at most half full: a patient's place + 1; 0 where there is none. */
  #slots = new Uint32Array(2048);
  /** By a patient's place, in the order in which patients first appear: the three numbers of each. */
  #ids = new Float64Array(3 * 1024);
  /** Rows noted. */
  #counts = new Uint32Array(1024);
  /** Of the rows that are used, the sum of their draws modulo 2^32. */
  #draws = new Uint32Array(1024);
  /** Rows that may still be taken. */
  #left = new Uint16Array(0);
  /** 1 + which cut holds for the patient; 0 where all rows are used. */
  #cutOf = new Uint32Array(0);
  /** Of each cut the last row that is used, and how many rows equal to it may still be taken. */
  readonly #cutOrder: number[] = [];
  readonly #cutKey: number[] = [];
  readonly #cutEqual: number[] = [];
  #phase: "first" | "further" | "settled" = "first";
  /** Of the patients with places [from, to). In the first pass of all their rows, later of those with more than m. */
  #notes: RowNotes;
  #from = 0;
  #to = Number.POSITIVE_INFINITY;

  constructor({ maxRows, notes = Math.max(2 ** 20, 2 * maxRows) }: PatientBoundOptions) {
    if (!Number.isInteger(maxRows) || maxRows < 1 || maxRows > 65_535)
      throw new RangeError("a bound on rows per patient must lie between 1 and 65535");
    if (!(notes >= 2 * maxRows))
      throw new RangeError("there must be room to note twice the rows of a patient");
    this.#maxRows = maxRows;
    this.#notes = new RowNotes(notes);
  }

  get isSettled(): boolean {
    return this.#phase === "settled";
  }

  /** Patients of whom a row was noted. */
  get patients(): number {
    return this.#patients;
  }

  /** @param draw - the row's part of its patient's draw */
  note(rows: BoundedRows, r: number, draw: number): void {
    let place = this.#find(rows, r);
    if (this.#phase === "first") {
      if (place === -1) place = this.#add(rows, r);
      this.#counts[place]!++;
      this.#draws[place]! += draw;
    } else if (place === -1 || this.#counts[place]! <= this.#maxRows) return;
    if (this.#notes.isFull) this.#shorten();
    if (place < this.#from || place >= this.#to) return;
    this.#notes.add(place, rows.order === null ? 0 : rows.order[r]!, rows.key[r]!, draw);
  }

  /** Ends a pass of notes. @returns whether rows can now be taken; otherwise they must be noted once more */
  settle(): boolean {
    if (this.#phase === "first") {
      this.#left = new Uint16Array(this.#patients);
      this.#cutOf = new Uint32Array(this.#patients);
    }
    const end = Math.min(this.#to, this.#patients);
    for (let place = this.#from; place < end; place++) this.#leave(place);
    this.#notes.keepLeast(this.#maxRows);
    for (const [place, from, to] of this.#notes.patients())
      if (this.#counts[place]! > this.#maxRows) this.#cut(place, from, to);
    this.#from = end;
    this.#to = Number.POSITIVE_INFINITY;
    while (this.#from < this.#patients && this.#counts[this.#from]! <= this.#maxRows)
      this.#leave(this.#from++);
    this.#phase = this.#from < this.#patients ? "further" : "settled";
    this.#notes = new RowNotes(this.isSettled ? 0 : this.#notes.capacity);
    return this.isSettled;
  }

  /** @returns the patient's place, from 0; -1 for a row that is not used */
  take(rows: BoundedRows, r: number): number {
    if (!this.isSettled) throw new RangeError("rows were taken before all were noted");
    const place = this.#find(rows, r);
    if (place === -1 || this.#left[place] === 0) return -1;
    const cut = this.#cutOf[place]! - 1;
    if (cut !== -1) {
      const order = rows.order === null ? 0 : rows.order[r]!;
      const key = rows.key[r]!;
      if (isBefore(this.#cutOrder[cut]!, this.#cutKey[cut]!, order, key)) return -1;
      if (order === this.#cutOrder[cut] && key === this.#cutKey[cut]) {
        if (this.#cutEqual[cut] === 0) return -1;
        this.#cutEqual[cut]!--;
      }
    }
    this.#left[place]!--;
    return place;
  }

  /** What the method needs to know of rows that were taken. @param places - as `take` returned them */
  rowsOf(places: Uint32Array): PatientRows {
    return {
      counts: Uint16Array.from(places, (place) => Math.min(this.#counts[place]!, this.#maxRows)),
      draws: Uint32Array.from(places, (place) => this.#draws[place]!),
    };
  }

  /** Lets all rows of a patient with at most m be taken, and none of others: those need a cut. */
  #leave(place: number): void {
    const count = this.#counts[place]!;
    this.#left[place] = count <= this.#maxRows ? count : 0;
  }

  /** Notes [from, to) are the rows of a patient that are used. */
  #cut(place: number, from: number, to: number): void {
    const { orders, keys, draws } = this.#notes;
    let last = from;
    let [draw, equal] = [0, 0];
    for (let i = from; i < to; i++) {
      draw += draws[i]!;
      if (isBefore(orders[last]!, keys[last]!, orders[i]!, keys[i]!)) last = i;
    }
    for (let i = from; i < to; i++) if (orders[i] === orders[last] && keys[i] === keys[last]) equal++;
    this.#draws[place] = draw;
    this.#left[place] = to - from;
    this.#cutOrder.push(orders[last]!);
    this.#cutKey.push(keys[last]!);
    this.#cutEqual.push(equal);
    this.#cutOf[place] = this.#cutOrder.length;
  }

  /** Makes room: of each patient only the m least rows, and then only half of the patients, as often as it takes. */
  #shorten(): void {
    this.#notes.keepLeast(this.#maxRows);
    while (this.#notes.size > this.#notes.capacity / 2) {
      const end = Math.min(this.#to, this.#patients);
      this.#to = this.#from + Math.ceil((end - this.#from) / 2);
      this.#notes.keepBelow(this.#to);
    }
  }

  #find({ patient: [a, b, c] }: BoundedRows, r: number): number {
    const mask = this.#slots.length - 1;
    const ids = this.#ids;
    for (let slot = (a[r]! >>> 0) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot]! - 1;
      if (place === -1) return -1;
      const at = 3 * place;
      if (ids[at] === a[r] && ids[at + 1] === b[r] && ids[at + 2] === c[r]) return place;
    }
  }

  #add({ patient: [a, b, c] }: BoundedRows, r: number): number {
    if (this.#patients === this.#counts.length) this.#grow();
    const place = this.#patients++;
    this.#ids.set([a[r]!, b[r]!, c[r]!], 3 * place);
    this.#enter(place);
    return place;
  }

  #enter(place: number): void {
    const mask = this.#slots.length - 1;
    let slot = (this.#ids[3 * place]! >>> 0) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = place + 1;
  }

  #grow(): void {
    const room = 2 * this.#counts.length;
    const [ids, counts, draws] = [this.#ids, this.#counts, this.#draws];
    this.#ids = new Float64Array(3 * room);
    this.#ids.set(ids);
    this.#counts = new Uint32Array(room);
    this.#counts.set(counts);
    this.#draws = new Uint32Array(room);
    this.#draws.set(draws);
    this.#slots = new Uint32Array(2 * room);
    for (let place = 0; place < this.#patients; place++) this.#enter(place);
  }
}

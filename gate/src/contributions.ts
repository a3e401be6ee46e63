import {
  type Answer,
  type BlocksQuery,
  cellLimit,
  type HistogramQuery,
  type ProductQuery,
  type Query,
  type VectorQuery,
} from "./query.js";
import type { OneRecord } from "./record.js";

/**
 * What methods write. A method is asked for one record at a time and is handed that record and room for its answer,
 * nothing else; the room is zeros before each question. What it writes is an integer by its type. A contribution that
 * breaks the stage's query, or an exception, is none: the outgoing data are then as if the record were absent.
 *
 * So for every method and every two tables that differ in one record the sums differ by at most `sensitivitySquared`, as
 * long as its answer is a function of the record and of public inputs, which `rehearsal.ts` is about.
 */
export type Contributor =
  | { readonly kind: "histogram"; readonly write: WriteCells }
  | { readonly kind: "vector" | "gram"; readonly write: WriteVector }
  | { readonly kind: "product"; readonly write: WriteProduct }
  | { readonly kind: "blocks"; readonly placeOf: PlaceOf; readonly answer: AnswerOf };

/**
 * @param cells - [touches] for the cells that the record adds to, ascending
 * @param values - [touches × channels] for what it adds there
 * @returns how many cells were written
 */
export type WriteCells = (record: OneRecord, cells: Int32Array, values: Int32Array) => number;

/**
 * @param out - for the record's integers
 * @returns the part that they are added to; -1 for none
 */
export type WriteVector = (record: OneRecord, out: Int32Array) => number;

/** @returns whether the record adds anything */
export type WriteProduct = (record: OneRecord, left: Int32Array, right: Int32Array) => boolean;

/**
 * @param counted - [touches], where blocks keep counts: for the cells that the record counts in, one of them perhaps several times
 * @returns where the record belongs, from 0 to `places`; -1 for nowhere
 */
export type PlaceOf = (record: OneRecord, counted: Int32Array) => number;

/** What a block answers in one part, from its records there. */
export type AnswerOf = (records: BlockRecords, out: Int32Array) => Promise<void> | void;

export interface BlockRecords {
  readonly rows: number;
  /** [cells] where blocks keep counts, and empty otherwise. */
  readonly counts: Float64Array;
  /** [rows × features] row-major, in an order that is not the table's; empty where blocks keep counts, as are the labels. */
  readonly values: Float64Array;
  readonly labels: Uint16Array;
}

/** One record's contribution: asked for, held to the query, then read by anyone who adds it up. */
export abstract class Contribution {
  /**
   * Everything that was said, to be compared: what is added is a function of it. The first says how much follows, or where it
   * belongs: 0 for no contribution, and all others are zeros then. `#room` is the same, two words at a time.
   */
  readonly words: Int32Array;
  readonly #room: Float64Array;

  constructor(length: number) {
    this.#room = new Float64Array((2 + length) >> 1);
    this.words = new Int32Array(this.#room.buffer, 0, 1 + length);
  }

  /**
   * Asks for a record's contribution.
   * @returns false where what came breaks the query; the contribution is then none
   */
  ask(record: OneRecord): boolean {
    clear(this.#room);
    let first = broken;
    try {
      first = this.held(record);
    } catch {
      // As if the record were absent.
    }
    if (first <= 0) clear(this.#room);
    else this.words[0] = first;
    return first !== broken;
  }

  /** Lets the method write, and checks all that it wrote. @returns the first word, or `broken` */
  protected abstract held(record: OneRecord): number;

  /** Makes it the part of one of k rows of a patient, who together add no more than one row may (`isDivisible`). */
  abstract divide(rows: number): void;
}

/** For the few words of a record faster than `fill`. */
function clear(room: Float64Array): void {
  for (let i = 0; i < room.length; i++) room[i] = 0;
}

/** @throws RangeError for a contributor of another kind */
export function contributionFor(query: Query, contributor: Contributor): Contribution {
  if (query.kind === "histogram" && contributor.kind === "histogram")
    return new CellsContribution(query, contributor.write);
  if (query.kind === "vector" && contributor.kind === "vector")
    return new VectorContribution(contributor.write, { ...query, isFactor: false });
  if (query.kind === "gram" && contributor.kind === "gram")
    return new VectorContribution(contributor.write, { ...query, length: query.order, isFactor: true });
  if (query.kind === "product" && contributor.kind === "product")
    return new ProductContribution(query, contributor.write);
  if (query.kind === "blocks" && contributor.kind === "blocks")
    return new PlaceContribution(query, contributor.placeOf);
  throw new RangeError(`a contributor of kind ${contributor.kind} for a query of kind ${query.kind}`);
}

export class CellsContribution extends Contribution {
  /** The first `touched` of these are what the record adds. */
  readonly cells: Int32Array;
  readonly values: Int32Array;
  readonly #write: WriteCells;
  readonly #cellCount: number;
  readonly #least: Int32Array;
  readonly #most: Int32Array;
  /** Infinity where the channels' bounds are all that limits a cell. */
  readonly #limit: number;
  /** Where each section ends, what a record adds to its cells, and to how many; null without sections. */
  readonly #ends: Float64Array | null;
  readonly #sectionLeast: Int32Array;
  readonly #sectionMost: Int32Array;
  readonly #sectionTouches: Int32Array;

  constructor(query: HistogramQuery, write: WriteCells) {
    const { touches, channels, sections } = query;
    super(touches + touches * channels.length);
    this.#write = write;
    this.#cellCount = query.cells;
    this.cells = this.words.subarray(1, 1 + touches);
    this.values = this.words.subarray(1 + touches);
    this.#limit = query.cellLimit === undefined ? Number.POSITIVE_INFINITY : cellLimit(query);
    const alone = Math.floor(Math.sqrt(this.#limit));
    this.#least = Int32Array.from(channels, ({ least }) => Math.max(least, -alone));
    this.#most = Int32Array.from(channels, ({ most }) => Math.min(most, alone));
    let end = 0;
    this.#ends = sections === undefined ? null : Float64Array.from(sections, ({ cells }) => (end += cells));
    this.#sectionLeast = Int32Array.from(sections ?? [], ({ least }) => least ?? 0);
    this.#sectionMost = Int32Array.from(sections ?? [], ({ most }) => most);
    this.#sectionTouches = Int32Array.from(sections ?? [], ({ touches }) => touches ?? 1);
  }

  get touched(): number {
    return this.words[0]!;
  }

  protected held(record: OneRecord): number {
    const { cells } = this;
    const touched = this.#write(record, cells, this.values);
    if (!(Number.isInteger(touched) && touched >= 0 && touched <= cells.length)) return broken;
    // Cells that ascend are each touched once.
    for (let i = 0, before = -1; i < touched; i++) {
      const cell = cells[i]!;
      if (cell <= before || cell >= this.#cellCount) return broken;
      before = cell;
    }
    return this.#isWithin(touched) && this.#fitsSections(touched) ? touched : broken;
  }

  divide(rows: number): void {
    divideEach(this.values, rows);
  }

  #isWithin(touched: number): boolean {
    const [values, leasts, mosts, limit] = [this.values, this.#least, this.#most, this.#limit];
    if (leasts.length === 1) {
      const [least, most] = [leasts[0]!, mosts[0]!];
      for (let i = 0; i < touched; i++) if (values[i]! < least || values[i]! > most) return false;
      return true;
    }
    for (let i = 0, v = 0; i < touched; i++) {
      let squares = 0;
      for (let c = 0; c < leasts.length; c++, v++) {
        const value = values[v]!;
        if (value < leasts[c]! || value > mosts[c]!) return false;
        squares += value * value;
      }
      if (squares > limit) return false;
    }
    return true;
  }

  /** Of cells that ascend. */
  #fitsSections(touched: number): boolean {
    const ends = this.#ends;
    if (ends === null) return true;
    for (let i = 0, section = 0, here = 0; i < touched; i++) {
      while (this.cells[i]! >= ends[section]!) {
        section++;
        here = 0;
      }
      if (++here > this.#sectionTouches[section]!) return false;
      const value = this.values[i]!;
      if (value < this.#sectionLeast[section]! || value > this.#sectionMost[section]!) return false;
    }
    return true;
  }
}

/** An integer vector of limited length for one part. */
export class VectorContribution extends Contribution {
  readonly out: Int32Array;
  readonly #write: WriteVector;
  readonly #parts: number;
  readonly #limit: number;
  readonly #isFactor: boolean;

  /** @param options.isFactor - products of two entries are added, not the entries */
  constructor(
    write: WriteVector,
    options: Pick<VectorQuery, "parts" | "length" | "limit"> & { readonly isFactor: boolean },
  ) {
    super(options.length);
    this.out = this.words.subarray(1);
    this.#write = write;
    this.#parts = options.parts;
    this.#limit = options.limit;
    this.#isFactor = options.isFactor;
  }

  /** -1 for none. */
  get part(): number {
    return this.words[0]! - 1;
  }

  protected held(record: OneRecord): number {
    const part = this.#write(record, this.out);
    if (part === -1) return 0;
    return isPlace(part, this.#parts) && squaredNorm(this.out) <= this.#limit ? 1 + part : broken;
  }

  divide(rows: number): void {
    if (this.#isFactor) divideByRoot(this.out, rows);
    else divideEach(this.out, rows);
  }
}

export class ProductContribution extends Contribution {
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly #write: WriteProduct;
  readonly #limit: number;

  constructor({ rows, columns, limit }: ProductQuery, write: WriteProduct) {
    super(rows + columns);
    this.left = this.words.subarray(1, 1 + rows);
    this.right = this.words.subarray(1 + rows);
    this.#write = write;
    this.#limit = limit;
  }

  protected held(record: OneRecord): number {
    if (this.#write(record, this.left, this.right) !== true) return 0;
    return squaredNorm(this.left) <= this.#limit && squaredNorm(this.right) <= this.#limit ? 1 : broken;
  }

  divide(rows: number): void {
    divideByRoot(this.left, rows);
    divideByRoot(this.right, rows);
  }
}

/** Where a record belongs, a part of the block that it is dealt to or of the one that it names; and what it counts in there. */
export class PlaceContribution extends Contribution {
  /** Empty where blocks keep rows. */
  readonly counted: Int32Array;
  readonly #placeOf: PlaceOf;
  readonly #places: number;
  readonly #cells: number;

  constructor({ blocks, parts, deal, counts }: BlocksQuery, placeOf: PlaceOf) {
    super(counts?.touches ?? 0);
    this.counted = this.words.subarray(1);
    this.#placeOf = placeOf;
    this.#places = deal === "lot" ? parts : blocks * parts;
    this.#cells = counts?.cells ?? 0;
  }

  /** -1 for none. */
  get place(): number {
    return this.words[0]! - 1;
  }

  protected held(record: OneRecord): number {
    const { counted } = this;
    const place = this.#placeOf(record, counted);
    if (place === -1) return 0;
    for (let i = 0; i < counted.length; i++) if (!isPlace(counted[i]!, this.#cells)) return broken;
    return isPlace(place, this.#places) ? 1 + place : broken;
  }

  divide(): void {
    throw new RangeError("a record of a block is whole");
  }
}

/** Each towards zero: k of them add up to no more than the integer was. */
function divideEach(integers: Int32Array, rows: number): void {
  for (let i = 0; i < integers.length; i++) integers[i] = Math.trunc(integers[i]! / rows);
}

/** Each by √k, towards zero, so that k·q² is at most the square of what was there, in exact integers. */
function divideByRoot(integers: Int32Array, rows: number): void {
  const root = Math.sqrt(rows);
  for (let i = 0; i < integers.length; i++) {
    const magnitude = Math.abs(integers[i]!);
    let quotient = Math.trunc(magnitude / root);
    // Where a division was rounded up. The square is within the query's limit, below 2^53: exact.
    while (rows * quotient * quotient > magnitude * magnitude) quotient--;
    integers[i] = integers[i]! < 0 ? -quotient : quotient;
  }
}

/**
 * A block's answer in one part, held to its form; zeros where it is broken, or was not given.
 * @param contributor - made for this block alone
 * @returns whether it was held
 */
export async function askBlock(
  { answer: form }: BlocksQuery,
  contributor: () => Contributor | Promise<Contributor>,
  records: BlockRecords,
  out: Int32Array,
): Promise<boolean> {
  // Not `out` itself: a method can write later to what it was handed.
  const said = new Int32Array(out.length);
  try {
    const made = await contributor();
    if (made.kind !== "blocks") throw new RangeError("no contributor of blocks");
    await made.answer(records, said);
    out.set(said);
    if (fitsForm(form, out)) return true;
  } catch {
    // As if the block were empty.
  }
  out.fill(0);
  return false;
}

function fitsForm(form: Answer, out: Int32Array): boolean {
  if (out.some((value) => value < 0)) return false;
  if (form.kind === "length") return squaredNorm(out) <= form.limit;
  let at = 0;
  for (const { entries, taken } of form.groups) {
    let here = 0;
    for (let i = 0; i < entries; i++, at++) {
      if (out[at]! > form.most) return false;
      if (out[at] !== 0) here++;
    }
    if (here > taken) return false;
  }
  return true;
}

const broken = -1;
const isPlace = (part: number, parts: number) => Number.isInteger(part) && part >= 0 && part < parts;

/**
 * Exact below 2^53, and no less than 2^53 where it is not: partial sums only grow, and so do their roundings. Four sums side by
 * side, because each addition waits for the one before it.
 */
function squaredNorm(integers: Int32Array): number {
  const whole = integers.length & ~3;
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  for (let i = 0; i < whole; i += 4) {
    first += integers[i]! * integers[i]!;
    second += integers[i + 1]! * integers[i + 1]!;
    third += integers[i + 2]! * integers[i + 2]!;
    fourth += integers[i + 3]! * integers[i + 3]!;
  }
  for (let i = whole; i < integers.length; i++) first += integers[i]! * integers[i]!;
  return first + second + third + fourth;
}

import type { BlockRecords } from "./contributions.js";
import type { BlocksQuery } from "./query.js";
import type { OneRecord } from "./record.js";

/**
 * Keeps records until the blocks are asked: at each place, a block in a part, a function of the multiset of the records that came
 * to it. So whatever is full, and whatever order records come in, one record changes what is kept at its own place
 * and nowhere else.
 *
 * Memory: 4 bytes a cell, of cells that `checkQuery` bounds; or, at a place that r > 0 rows came to,
 * room for at most 2·min(r, `rowsMost`) rows of 8·features + 6 bytes, for as many again at one place at a time while they are
 * moved, and about 2 KiB of objects (measured with Node 20), which is most of it where rows are few.
 */
export interface HeldRecords {
  /** @param counted - cells, where blocks keep counts */
  add(place: number, record: OneRecord, counted: Int32Array): void;
  /** Hands out every place that a record came to. */
  records(): Iterable<readonly [place: number, BlockRecords]>;
}

/** @param key - 32 bits, drawn: so that nobody can write a record that is certain to be kept. Privacy does not rest on it */
export function heldRecords(query: BlocksQuery, features: number, key: number): HeldRecords {
  const { blocks, parts, counts, rowsMost = 0 } = query;
  if (counts !== undefined) return new HeldCounts(blocks * parts, counts.cells);
  return new HeldRows(() => new PlaceRows({ features, key, maxRows: rowsMost }));
}

class HeldCounts implements HeldRecords {
  readonly #cells: number;
  /** [places × cells]; a cell that nothing was counted in takes no memory of the machine. */
  readonly #counts: Uint32Array;
  readonly #rows: Uint32Array;

  constructor(places: number, cells: number) {
    this.#cells = cells;
    this.#counts = new Uint32Array(places * cells);
    this.#rows = new Uint32Array(places);
  }

  add(place: number, _record: OneRecord, counted: Int32Array): void {
    const counts = this.#counts;
    const from = place * this.#cells;
    for (let i = 0; i < counted.length; i++) counts[from + counted[i]!]!++;
    this.#rows[place]!++;
  }

  *records(): Generator<readonly [number, BlockRecords]> {
    const none = { values: new Float64Array(0), labels: new Uint16Array(0) };
    for (const [place, rows] of this.#rows.entries()) {
      if (rows === 0) continue;
      // A copy: an array gives access to all that lies around it.
      const own = this.#counts.subarray(place * this.#cells, (place + 1) * this.#cells);
      yield [place, { rows, counts: Float64Array.from(own), ...none }];
    }
  }
}

class HeldRows implements HeldRecords {
  readonly #rowsAt = new Map<number, PlaceRows>();
  readonly #made: () => PlaceRows;

  constructor(made: () => PlaceRows) {
    this.#made = made;
  }

  add(place: number, record: OneRecord): void {
    let rows = this.#rowsAt.get(place);
    if (rows === undefined) {
      rows = this.#made();
      this.#rowsAt.set(place, rows);
    }
    rows.add(record);
  }

  *records(): Generator<readonly [number, BlockRecords]> {
    for (const [place, rows] of this.#rowsAt) yield [place, rows.records()];
  }
}

/** Rows of one place, those with the least hashes; of equal hashes the least by content, so that only equal rows are ever tied. */
class PlaceRows {
  readonly #features: number;
  readonly #key: number;
  readonly #maxRows: number;
  #room = 0;
  #rows = 0;
  #values = new Float64Array(0);
  /** The halves of the values. */
  #words = new Uint32Array(0);
  #labels = new Uint16Array(0);
  #hashes = new Uint32Array(0);

  constructor(options: { readonly features: number; readonly key: number; readonly maxRows: number }) {
    this.#features = options.features;
    this.#key = options.key;
    this.#maxRows = options.maxRows;
  }

  add({ values, label }: OneRecord): void {
    if (this.#rows === 2 * this.#maxRows) this.#take(this.#kept(), this.#room);
    if (this.#rows === this.#room)
      this.#take([...this.#labels.keys()], Math.min(Math.max(2, 2 * this.#room), 2 * this.#maxRows));
    const at = this.#rows++;
    this.#values.set(values, at * this.#features);
    this.#labels[at] = label;
    let hash = mixed(this.#key ^ label);
    for (let w = 2 * at * this.#features; w < 2 * (at + 1) * this.#features; w++)
      hash = mixed(hash ^ this.#words[w]!);
    this.#hashes[at] = hash;
  }

  records(): BlockRecords {
    // By content: the key decides which rows, and nothing else.
    const kept = this.#kept().sort((a, b) => this.#compared(a, b));
    this.#take(kept, kept.length);
    return { rows: kept.length, counts: new Float64Array(0), values: this.#values, labels: this.#labels };
  }

  #kept(): number[] {
    const hashes = this.#hashes;
    const all = Array.from({ length: this.#rows }, (_, row) => row);
    if (this.#rows > this.#maxRows) all.sort((a, b) => hashes[a]! - hashes[b]! || this.#compared(a, b));
    return all.slice(0, this.#maxRows);
  }

  #compared(one: number, other: number): number {
    const words = this.#words;
    const length = 2 * this.#features;
    for (let w = 0; w < length; w++) {
      const difference = words[one * length + w]! - words[other * length + w]!;
      if (difference !== 0) return difference;
    }
    return this.#labels[one]! - this.#labels[other]!;
  }

  #take(chosen: readonly number[], room: number): void {
    const features = this.#features;
    const [values, labels, hashes] = [this.#values, this.#labels, this.#hashes];
    this.#values = new Float64Array(room * features);
    this.#words = new Uint32Array(this.#values.buffer);
    this.#labels = new Uint16Array(room);
    this.#hashes = new Uint32Array(room);
    chosen.forEach((row, at) => {
      this.#values.set(values.subarray(row * features, (row + 1) * features), at * features);
      this.#labels[at] = labels[row]!;
      this.#hashes[at] = hashes[row]!;
    });
    this.#room = room;
    this.#rows = chosen.length;
  }
}

/** A word after the last steps of MurmurHash3. */
function mixed(word: number): number {
  let hash = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

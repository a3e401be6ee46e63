/** Whether one row of a patient comes before another. */
export function isBefore(order: number, key: number, otherOrder: number, otherKey: number): boolean {
  return order < otherOrder || (order === otherOrder && key < otherKey);
}

/** Notes of rows for `PatientBound`: of a patient's rows the least can be found, as long as there is room. */
export class RowNotes {
  readonly capacity: number;
  size = 0;
  #places = new Uint32Array(0);
  orders = new Float64Array(0);
  keys = new Float64Array(0);
  draws = new Uint32Array(0);

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get isFull(): boolean {
    return this.size === this.capacity;
  }

  add(place: number, order: number, key: number, draw: number): void {
    if (this.isFull) throw new RangeError("no room for a note");
    if (this.size === this.#places.length) {
      const all = Uint32Array.from({ length: this.size }, (_, i) => i);
      this.#move(all, Math.min(this.capacity, Math.max(1024, 2 * this.size)));
    }
    const at = this.size++;
    this.#places[at] = place;
    this.orders[at] = order;
    this.keys[at] = key;
    this.draws[at] = draw;
  }

  /** Sorts the notes by patient and keeps of each the m least, in no order. */
  keepLeast(m: number): void {
    const { orders, keys } = this;
    const places = this.#places.subarray(0, this.size);
    const least = places.reduce((min, place) => Math.min(min, place), Number.POSITIVE_INFINITY);
    const most = places.reduce((max, place) => Math.max(max, place), least);
    // A counting sort: afterwards each patient's entry says where its notes end.
    const ends = new Uint32Array(this.size === 0 ? 0 : most - least + 1);
    for (const place of places) if (place < most) ends[place - least + 1]!++;
    for (let p = 1; p < ends.length; p++) ends[p]! += ends[p - 1]!;
    const sorted = new Uint32Array(this.size);
    for (let i = 0; i < places.length; i++) sorted[ends[places[i]! - least]!++] = i;
    let [from, kept] = [0, 0];
    for (const to of ends) {
      const rows = sorted.subarray(from, to);
      if (rows.length > m)
        rows.sort((a, b) => (isBefore(orders[a]!, keys[a]!, orders[b]!, keys[b]!) ? -1 : 1));
      for (const row of rows.subarray(0, m)) sorted[kept++] = row;
      from = to;
    }
    this.#move(sorted.subarray(0, kept), this.#places.length);
  }

  /** Each patient's place and notes, which are those in [from, to), once they are sorted. */
  *patients(): Generator<readonly [place: number, from: number, to: number]> {
    for (let from = 0, to = 0; from < this.size; from = to) {
      const place = this.#places[from]!;
      while (to < this.size && this.#places[to] === place) to++;
      yield [place, from, to];
    }
  }

  /** Drops the notes of patients with this place and later ones. */
  keepBelow(place: number): void {
    const kept = new Uint32Array(this.size);
    let size = 0;
    for (let i = 0; i < this.size; i++) if (this.#places[i]! < place) kept[size++] = i;
    this.#move(kept.subarray(0, size), this.#places.length);
  }

  #move(chosen: Uint32Array, room: number): void {
    const { orders, keys, draws } = this;
    const places = this.#places;
    this.#places = new Uint32Array(room);
    this.orders = new Float64Array(room);
    this.keys = new Float64Array(room);
    this.draws = new Uint32Array(room);
    this.size = chosen.length;
    for (let i = 0; i < chosen.length; i++) {
      const at = chosen[i]!;
      this.#places[i] = places[at]!;
      this.orders[i] = orders[at]!;
      this.keys[i] = keys[at]!;
      this.draws[i] = draws[at]!;
    }
  }
}

/**
 * How many rows of each patient a pass has used: an open hash table over the patients' 128 bits. A slot takes 30 bytes
 * and at least 3/8, at most 3/4 of them are taken: 40 to 80 MB for a million patients, half as much again while it
 * grows. It is gone when the pass ends.
 */
export class PatientBound {
  readonly #maxRows: number;
  #capacity = 1024;
  /** Three numbers per slot: the parts of `PatientHash`. */
  #keys = new Float64Array(3 * this.#capacity);
  /** Rows used of the slot's patient; 0 marks a free slot. */
  #used = new Uint16Array(this.#capacity);
  #places = new Uint32Array(this.#capacity);
  #patients = 0;
  /** Rows that are left of each slot's patient; null while `#used` counts them. */
  #left: Uint16Array | null = null;

  /** @param maxRows - at most so many rows of each patient, 1 to 65,535 */
  constructor(maxRows: number) {
    if (!Number.isInteger(maxRows) || maxRows < 1 || maxRows > 65_535)
      throw new RangeError("a bound on rows per patient lies between 1 and 65535");
    this.#maxRows = maxRows;
  }

  /** Patients of whom a row was taken. */
  get patients(): number {
    return this.#patients;
  }

  /**
   * Takes a row of the patient (a, b, c), if the bound allows one more.
   * @returns the patient's place in the order in which patients first appear, from 0; or -1 for a row over the bound
   */
  take(a: number, b: number, c: number): number {
    const slot = this.#find(a, b, c);
    if (this.#left !== null) return this.#takeCounted(slot, this.#left);
    const used = this.#used[slot]!;
    if (used === this.#maxRows) return -1;
    this.#used[slot] = used + 1;
    if (used > 0) return this.#places[slot]!;
    const place = this.#patients++;
    this.#keys.set([a, b, c], 3 * slot);
    this.#places[slot] = place;
    if (4 * this.#patients > 3 * this.#capacity) this.#grow();
    return place;
  }

  /**
   * Begins a second pass: of each patient as many rows are taken as in the first one, at the same place; of a patient without
   * any, none.
   */
  again(): void {
    this.#left = this.#used.slice();
  }

  #takeCounted(slot: number, left: Uint16Array): number {
    if (left[slot] === 0) return -1;
    left[slot]!--;
    return this.#places[slot]!;
  }

  /** The patient's slot, or the free one where it belongs. The parts are evenly spread bits already. */
  #find(a: number, b: number, c: number): number {
    const mask = this.#capacity - 1;
    for (let slot = (a >>> 0) & mask; ; slot = (slot + 1) & mask) {
      if (this.#used[slot] === 0) return slot;
      const at = 3 * slot;
      if (this.#keys[at] === a && this.#keys[at + 1] === b && this.#keys[at + 2] === c) return slot;
    }
  }

  #grow(): void {
    const [keys, used, places] = [this.#keys, this.#used, this.#places];
    this.#capacity *= 2;
    this.#keys = new Float64Array(3 * this.#capacity);
    this.#used = new Uint16Array(this.#capacity);
    this.#places = new Uint32Array(this.#capacity);
    for (let old = 0; old < used.length; old++) {
      if (used[old] === 0) continue;
      const key = keys.subarray(3 * old, 3 * old + 3);
      const slot = this.#find(key[0]!, key[1]!, key[2]!);
      this.#keys.set(key, 3 * slot);
      this.#used[slot] = used[old]!;
      this.#places[slot] = places[old]!;
    }
  }
}

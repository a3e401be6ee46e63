import type { NumericKernels } from "../linalg/kernels.js";

/**
 * Sums of products of integer vectors, exact whatever computes them. A block has so few rows that every partial sum
 * stays below 2^53, where doubles do not round: then any order of additions, on any kernel and any number of threads,
 * gives the same integers. Sums of blocks are added as two halves of 64 bits.
 */

const half = 2 ** 26;
const two32 = 2 ** 32;

/** Added to an integer in ±2^51 it makes a double whose bits are the integer's, but for its own, all in the upper half. */
const shift = 1.5 * 2 ** 52;
const shiftUpper = 0x43380000;
const shiftedMost = 2 ** 51;

/** Where the less and the more significant half of a 64-bit word lie among 32-bit words on this machine. */
const lowHalf = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;

/** Entries of the buffers of all blocks together: 16 MiB of doubles. */
const bufferEntries = 2 ** 21;
const rowsAtLeast = 16;
/** So few rows are multiplied where they are: handing them over, and a whole matrix back, would take longer. */
const rowsToHandOver = 8;

/** Integers below 2^53 each, added up exactly: up to 2^26 of them per entry. */
export class WideSums {
  /** Whole sums while none can reach 2^53; then what is left of them below the multiples in `#high`. */
  readonly #low: Float64Array;
  /** In units of 2^26. */
  #high: Float64Array | null;

  /** @param small - no sum reaches 2^53 before `widen` is called: then half the memory is enough */
  constructor(length: number, { small = false }: { readonly small?: boolean } = {}) {
    this.#low = new Float64Array(length);
    this.#high = small ? null : new Float64Array(length);
  }

  /** From here on sums may become as large as they like. */
  widen(): void {
    if (this.#high !== null) return;
    const low = this.#low;
    this.#high = low.map((sum) => Math.floor(sum / half));
    for (let i = 0; i < low.length; i++) low[i] = low[i]! - this.#high[i]! * half;
  }

  /** @param value - an integer in ±2^53 */
  add(index: number, value: number): void {
    const high = this.#high;
    let rest = value;
    if (high !== null) {
      const units = Math.floor(value / half);
      high[index] = high[index]! + units;
      rest -= units * half;
    }
    this.#low[index] = this.#low[index]! + rest;
  }

  /** Adds rr' of a record of integers: the upper triangle, row after row. Its entries are below 2^53. */
  addSquare(record: Float64Array): void {
    const order = record.length;
    const low = this.#low;
    if (this.#high !== null) {
      for (let i = 0, t = 0; i < order; i++)
        for (let j = i; j < order; j++, t++) this.add(t, record[i]! * record[j]!);
      return;
    }
    for (let i = 0, t = 0; i < order; i++) {
      const left = record[i]!;
      for (let j = i; j < order; j++, t++) low[t] = low[t]! + left * record[j]!;
    }
  }

  /** Writes the sums in two's complement modulo 2^64. */
  writeTo(out: BigUint64Array, offset: number): void {
    const halves = new Uint32Array(out.buffer, out.byteOffset, 2 * out.length);
    const doubles = new Float64Array(out.buffer, out.byteOffset, out.length);
    const high = this.#high;
    for (let i = 0; i < this.#low.length; i++) {
      const low = this.#low[i]!;
      const sum = high === null ? low : high[i]! * half + low;
      if (sum > -shiftedMost && sum < shiftedMost) {
        // The last 52 bits of this double are the sum's, above the bits of the number that was added.
        doubles[offset + i] = sum + shift;
        const p = 2 * (offset + i) + 1 - lowHalf;
        halves[p] = halves[p]! - shiftUpper;
      } else {
        out[offset + i] = BigInt(high === null ? 0 : high[i]!) * BigInt(half) + BigInt(low);
      }
    }
  }
}

/**
 * Integers in two's complement modulo 2^64, each multiplied by `scale`.
 * @param values - integers in ±2^53
 * @param scale - a power of two, at least 1
 */
export function ringElements(values: Float64Array, scale: number): BigUint64Array {
  const out = new BigUint64Array(values.length);
  const halves = new Uint32Array(out.buffer);
  for (let i = 0; i < values.length; i++) {
    if (values[i] === 0) continue;
    const value = values[i]! * scale;
    if (Math.abs(value) < 2 ** 53) {
      const high = Math.floor(value / two32);
      halves[2 * i + lowHalf] = value - high * two32;
      halves[2 * i + 1 - lowHalf] = high;
    } else {
      out[i] = BigInt(value);
    }
  }
  return out;
}

/** Signed integers of a sum of ring elements: each rounded once to the nearest double. */
export function signedNumbers(sum: BigUint64Array): Float64Array {
  const halves = new Uint32Array(sum.buffer, sum.byteOffset, 2 * sum.length);
  const values = new Float64Array(sum.length);
  for (let i = 0; i < sum.length; i++) {
    values[i] = (halves[2 * i + 1 - lowHalf]! | 0) * two32 + halves[2 * i + lowHalf]!;
  }
  return values;
}

/** Rows so that every partial sum of products of two integers of records stays below 2^53. */
function exactRows(squaredNormLimit: number): number {
  return Math.max(1, Math.floor(2 ** 53 / squaredNormLimit));
}

/**
 * Σ aa' of integer records, one sum per block, upper triangles with the diagonal. While a full buffer is multiplied
 * off the calling thread, the next one is filled.
 */
export class TriangleSums {
  readonly #kernels: NumericKernels;
  readonly #order: number;
  readonly #capacity: number;
  readonly #buffers: Float64Array[];
  readonly #rows: Uint32Array;
  /** Rows that a block's sum can have while it stays below 2^53, and those that it has. */
  readonly #smallRows: number;
  readonly #summedRows: Float64Array;
  readonly #sums: WideSums[];
  #pending: Promise<void> = Promise.resolve();

  /**
   * @param order - entries of a record
   * @param blocks - number of separate sums
   * @param rowsAtMost - records that may come in all
   * @param squaredNormLimit - of any record, below 2^53
   */
  constructor(
    kernels: NumericKernels,
    shape: {
      readonly order: number;
      readonly blocks: number;
      readonly rowsAtMost: number;
      readonly squaredNormLimit: number;
    },
  ) {
    const { order, blocks, rowsAtMost, squaredNormLimit } = shape;
    this.#kernels = kernels;
    this.#order = order;
    const comfortable = Math.max(rowsAtLeast, Math.floor(bufferEntries / (blocks * order)));
    this.#capacity = Math.min(exactRows(squaredNormLimit), comfortable, rowsAtMost);
    this.#buffers = Array.from({ length: blocks }, () => new Float64Array(this.#capacity * order));
    this.#rows = new Uint32Array(blocks);
    this.#smallRows = exactRows(squaredNormLimit);
    this.#summedRows = new Float64Array(blocks);
    const length = (order * (order + 1)) / 2;
    this.#sums = Array.from({ length: blocks }, () => new WideSums(length, { small: true }));
  }

  isFull(block: number): boolean {
    return this.#rows[block] === this.#capacity;
  }

  /** Where the next record of a block goes: `order` entries of the buffer from the offset on. */
  next(block: number): { readonly buffer: Float64Array; readonly offset: number } {
    return { buffer: this.#buffers[block]!, offset: this.#rows[block]! * this.#order };
  }

  /** The record has been written where `next` said. */
  taken(block: number): void {
    this.#rows[block] = this.#rows[block]! + 1;
  }

  /** Empties a block's buffer into its sum. */
  async flush(block: number): Promise<void> {
    const rows = this.#rows[block]!;
    if (rows === 0) return;
    this.#summedRows[block] = this.#summedRows[block]! + rows;
    if (rows <= rowsToHandOver) {
      await this.#pending;
      this.#addProducts(block, rows);
      this.#rows[block] = 0;
      return;
    }
    const gram = this.#kernels.gram(this.#order);
    // The buffer is copied before this resolves.
    const added = gram.add(this.#buffers[block]!, rows);
    // Handled where it is awaited; until then nothing may count as unhandled.
    const finished = added.then(() => gram.finish());
    finished.catch(() => undefined);
    await added;
    this.#rows[block] = 0;
    await this.#pending;
    this.#pending = finished.then((matrix) => this.#fold(block, matrix));
    this.#pending.catch(() => undefined);
  }

  #sumOf(block: number): WideSums {
    const sum = this.#sums[block]!;
    if (this.#summedRows[block]! > this.#smallRows) sum.widen();
    return sum;
  }

  /** Adds rr' of a few rows, one by one. */
  #addProducts(block: number, rows: number): void {
    const order = this.#order;
    const buffer = this.#buffers[block]!;
    const sum = this.#sumOf(block);
    for (let r = 0; r < rows; r++) sum.addSquare(buffer.subarray(r * order, (r + 1) * order));
  }

  #fold(block: number, matrix: Float64Array): void {
    const order = this.#order;
    const sum = this.#sumOf(block);
    for (let i = 0, t = 0; i < order; i++) {
      for (let p = i * order + i; p < (i + 1) * order; p++, t++) sum.add(t, matrix[p]!);
    }
  }

  /** All sums, block after block, as ring elements. Ends the accumulation. */
  async finish(): Promise<BigUint64Array> {
    for (let block = 0; block < this.#buffers.length; block++) await this.flush(block);
    await this.#pending;
    const length = (this.#order * (this.#order + 1)) / 2;
    const out = new BigUint64Array(this.#sums.length * length);
    for (const [block, sum] of this.#sums.entries()) sum.writeTo(out, block * length);
    return out;
  }
}

/** Σ ab' of pairs of integer records: [rows × columns] row-major. */
export class RectangleSums {
  readonly #rows: number;
  readonly #columns: number;
  readonly #exactRows: number;
  readonly #partial: Float64Array;
  readonly #sums: WideSums;
  #count = 0;

  /** @param squaredNormLimit - of any a and of any b, below 2^53 */
  constructor(shape: {
    readonly rows: number;
    readonly columns: number;
    readonly squaredNormLimit: number;
  }) {
    this.#rows = shape.rows;
    this.#columns = shape.columns;
    this.#exactRows = exactRows(shape.squaredNormLimit);
    this.#partial = new Float64Array(shape.rows * shape.columns);
    this.#sums = new WideSums(shape.rows * shape.columns);
  }

  /** @param a - from `at` on, `rows` integers; b - `columns` of them */
  add(a: Float64Array, at: number, b: Float64Array): void {
    const sum = this.#partial;
    const columns = this.#columns;
    for (let i = 0, p = 0; i < this.#rows; i++) {
      const left = a[at + i]!;
      if (left === 0) {
        p += columns;
        continue;
      }
      for (let j = 0; j < columns; j++, p++) sum[p] = sum[p]! + left * b[j]!;
    }
    this.#count++;
    if (this.#count === this.#exactRows) this.#fold();
  }

  #fold(): void {
    for (let p = 0; p < this.#partial.length; p++) this.#sums.add(p, this.#partial[p]!);
    this.#partial.fill(0);
    this.#count = 0;
  }

  finish(): BigUint64Array {
    this.#fold();
    const out = new BigUint64Array(this.#partial.length);
    this.#sums.writeTo(out, 0);
    return out;
  }
}

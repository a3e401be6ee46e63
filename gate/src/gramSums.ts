import { ExactSums } from "./sums.js";

/** What multiplies fast, and need not be trusted: XᵀX of rows of integers, as long as every sum stays below 2^53. */
export interface GramKernel {
  gram(order: number): {
    add(rows: Float64Array, count: number): Promise<void>;
    /** [order × order] row-major. */
    finish(): Promise<Float64Array>;
  };
}

/** Entries of the buffers of all parts together: 16 MiB of doubles. */
const bufferEntries = 2 ** 21;
/** So few rows are multiplied here: handing them over, and a whole matrix back, would take longer. */
const rowsToHandOver = 8;

/**
 * Σ aa' of integer records in parts, upper triangles with the diagonal. Rows are gathered and multiplied by a kernel; each
 * product G is checked with a vector x of random integers: x'Gx must be Σ (a'x)², both computed here. A G that is wrong
 * passes with a probability of at most 2·2^-16 [Sch80, Corollary 1, of a polynomial of degree 2 in numbers from 2^16]. One that
 * does not pass is computed again here, so that a faulty kernel costs time and changes nothing that leaves.
 */
export class GramSums {
  readonly #kernel: GramKernel;
  readonly #order: number;
  readonly #capacity: number;
  readonly #buffers: Float64Array[];
  readonly #rows: Uint32Array;
  readonly #sums: ExactSums[];
  readonly #random: () => number;
  #pending: Promise<void> = Promise.resolve();

  /**
   * @param limit - of |a|², below 2^53
   * @param rowsAtMost - records that may come in all
   * @param random - draws 16 uniform bits
   */
  constructor(options: {
    readonly kernel: GramKernel;
    readonly order: number;
    readonly parts: number;
    readonly limit: number;
    readonly rowsAtMost: number;
    readonly random: () => number;
  }) {
    const { kernel, order, parts, limit, rowsAtMost, random } = options;
    this.#kernel = kernel;
    this.#order = order;
    this.#random = random;
    const exact = Math.floor((2 ** 53 - 1) / limit);
    const comfortable = Math.max(16, Math.floor(bufferEntries / (parts * order)));
    this.#capacity = Math.max(1, Math.min(exact, comfortable, rowsAtMost));
    this.#buffers = Array.from({ length: parts }, () => new Float64Array(this.#capacity * order));
    this.#rows = new Uint32Array(parts);
    const triangle = (order * (order + 1)) / 2;
    this.#sums = Array.from({ length: parts }, () => new ExactSums(triangle, limit));
  }

  /** Takes a record. @returns null, or what must be awaited before the next one */
  add(part: number, record: Int32Array): Promise<void> | null {
    const buffer = this.#buffers[part]!;
    const at = this.#rows[part]! * this.#order;
    for (let j = 0; j < record.length; j++) buffer[at + j] = record[j]!;
    this.#rows[part] = this.#rows[part]! + 1;
    return this.#rows[part] === this.#capacity ? this.#flush(part) : null;
  }

  /** Writes the sums, each multiplied by `scale`, modulo 2^64, part after part. Ends the accumulation. */
  async writeTo(vector: BigUint64Array, scale: number): Promise<void> {
    for (let part = 0; part < this.#buffers.length; part++) await this.#flush(part);
    await this.#pending;
    const triangle = (this.#order * (this.#order + 1)) / 2;
    for (const [part, sums] of this.#sums.entries())
      sums.writeTo(vector.subarray(part * triangle, (part + 1) * triangle), scale);
  }

  /** Empties a part's buffer into its sum. While the kernel multiplies, the next one is filled. */
  async #flush(part: number): Promise<void> {
    const count = this.#rows[part]!;
    if (count === 0) return;
    const rows = this.#buffers[part]!;
    if (count <= rowsToHandOver) {
      await this.#pending;
      for (let r = 0; r < count; r++) this.#addProduct(part, rows, r);
      this.#rows[part] = 0;
      return;
    }
    const check = this.#checkOf(rows, count);
    const own = rows.slice(0, count * this.#order);
    this.#rows[part] = 0;
    await this.#pending;
    this.#pending = this.#multiply(part, own, count, check);
    this.#pending.catch(() => undefined);
  }

  async #multiply(part: number, rows: Float64Array, count: number, check: Check): Promise<void> {
    const product = await this.#product(rows, count);
    if (product === null || !this.#isRight(product, check)) {
      for (let r = 0; r < count; r++) this.#addProduct(part, rows, r);
      return;
    }
    const sums = this.#sums[part]!;
    if (sums.room < count) sums.carry();
    const { open } = sums;
    const order = this.#order;
    for (let i = 0, t = 0; i < order; i++)
      for (let p = i * order + i; p < (i + 1) * order; p++, t++) open[t] = open[t]! + product[p]!;
    sums.added(count);
  }

  /** @returns null where the kernel fails, or gives what no product is */
  async #product(rows: Float64Array, count: number): Promise<Float64Array | null> {
    try {
      const gram = this.#kernel.gram(this.#order);
      await gram.add(rows, count);
      const product = await gram.finish();
      return product.length === this.#order ** 2 && product.every(Number.isSafeInteger) ? product : null;
    } catch {
      return null;
    }
  }

  #addProduct(part: number, rows: Float64Array, row: number): void {
    const sums = this.#sums[part]!;
    const { open } = sums;
    const order = this.#order;
    const from = row * order;
    for (let i = 0, t = 0; i < order; i++) {
      const left = rows[from + i]!;
      for (let j = i; j < order; j++, t++) open[t] = open[t]! + left * rows[from + j]!;
    }
    sums.added(1);
  }

  /** x, and Σ (a'x)² over the rows. */
  #checkOf(rows: Float64Array, count: number): Check {
    const order = this.#order;
    const x = Float64Array.from({ length: order }, () => this.#random());
    // |a'x| ≤ |a|·|x| < 2^27·2^16·2^7, exact in doubles and 25 bits in each half; so are four squares of a half.
    const half = 2 ** 25;
    let total = 0n;
    let [high, middle, low] = [0, 0, 0];
    for (let r = 0, p = 0; r < count; r++) {
      let product = 0;
      for (let j = 0; j < order; j++, p++) product += rows[p]! * x[j]!;
      const upper = Math.floor(product / half);
      const lower = product - upper * half;
      high += upper * upper;
      middle += upper * lower;
      low += lower * lower;
      if (r % 4 === 3 || r === count - 1) {
        total += (BigInt(high) << 50n) + (BigInt(middle) << 26n) + BigInt(low);
        [high, middle, low] = [0, 0, 0];
      }
    }
    return { x, total };
  }

  #isRight(product: Float64Array, { x, total }: Check): boolean {
    const order = this.#order;
    let form = 0n;
    for (let i = 0; i < order; i++) {
      form += BigInt(product[i * order + i]!) * BigInt(x[i]! * x[i]!);
      form += 2n * BigInt(x[i]!) * exactDot(product, i * order, x, i + 1);
    }
    return form === total;
  }
}

const dotHalf = 2 ** 27;
/** Columns whose terms, halves of 27 bits times 16, stay exact when added up. */
const dotColumns = 512;

/** Σ row[j]·x[j] for j from `first` on. */
function exactDot(matrix: Float64Array, row: number, x: Float64Array, first: number): bigint {
  let total = 0n;
  for (let from = first; from < x.length; from += dotColumns) {
    let [high, low] = [0, 0];
    for (let j = from; j < Math.min(x.length, from + dotColumns); j++) {
      const upper = Math.floor(matrix[row + j]! / dotHalf);
      high += upper * x[j]!;
      low += (matrix[row + j]! - upper * dotHalf) * x[j]!;
    }
    total += (BigInt(high) << 27n) + BigInt(low);
  }
  return total;
}

interface Check {
  readonly x: Float64Array;
  readonly total: bigint;
}

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

interface PartSums {
  /** Rows that are yet to be multiplied, so many of them. */
  rows: Float64Array;
  count: number;
  /** Of these rows. */
  check: ProductCheck;
  readonly sums: ExactSums;
}

/**
 * Σ aa' of integer records in parts, upper triangles with the diagonal. Rows are gathered and multiplied by a kernel; each
 * product G is checked with a vector x of random integers: x'Gx must be Σ (a'x)², both computed here. A G that is wrong
 * passes with a probability of at most 2·2^-16 [Sch80, Corollary 1, of a polynomial of degree 2 in numbers from 2^16]. One that
 * does not pass is computed again here, so that a faulty kernel costs time and changes nothing that leaves; from rows that are
 * checked in the same way, for the kernel was handed them.
 */
export class GramSums {
  readonly #kernel: GramKernel;
  readonly #order: number;
  readonly #capacity: number;
  readonly #random: () => number;
  readonly #parts: readonly PartSums[];
  /** Being multiplied while the others are filled; then it takes the next full one's place. */
  #spare: Float64Array;
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
    this.#spare = new Float64Array(this.#capacity * order);
    this.#parts = Array.from({ length: parts }, () => ({
      rows: new Float64Array(this.#capacity * order),
      count: 0,
      check: new ProductCheck(order, random),
      sums: new ExactSums((order * (order + 1)) / 2, limit),
    }));
  }

  /** Takes a record. @returns null, or what must be awaited before the next one */
  add(place: number, record: Int32Array): Promise<void> | null {
    const part = this.#parts[place]!;
    const { rows, check } = part;
    const { x } = check;
    const at = part.count * this.#order;
    let product = 0;
    for (let j = 0; j < record.length; j++) {
      const value = record[j]!;
      rows[at + j] = value;
      product += value * x[j]!;
    }
    check.add(product);
    return ++part.count === this.#capacity ? this.#flush(part) : null;
  }

  /** Writes the sums, each multiplied by `scale`, modulo 2^64, part after part. Ends the accumulation. */
  async writeTo(vector: BigUint64Array, scale: number): Promise<void> {
    for (const part of this.#parts) await this.#flush(part);
    await this.#pending;
    for (const [place, { sums }] of this.#parts.entries()) {
      const triangle = sums.open.length;
      sums.writeTo(vector.subarray(place * triangle, (place + 1) * triangle), scale);
    }
  }

  /** Empties a part's rows into its sum. While the kernel multiplies, the next ones are gathered. */
  async #flush(part: PartSums): Promise<void> {
    const full = { ...part };
    if (full.count === 0) return;
    part.count = 0;
    part.check = new ProductCheck(this.#order, this.#random);
    await this.#pending;
    if (full.count <= rowsToHandOver) {
      this.#addRows(full);
      return;
    }
    part.rows = this.#spare;
    this.#spare = full.rows;
    this.#pending = this.#multiply(full);
    this.#pending.catch(() => undefined);
  }

  async #multiply(full: PartSums): Promise<void> {
    const { rows, count, check, sums } = full;
    const product = await this.#product(rows, count);
    if (product === null || !check.passes(product)) {
      this.#addRows(full);
      return;
    }
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

  /** @throws RangeError where the rows are not those that were added */
  #addRows({ rows, count, check, sums }: PartSums): void {
    if (!check.isOf(rows, count)) throw new RangeError("the kernel changed the rows that it was handed");
    const { open } = sums;
    const order = this.#order;
    for (let from = 0; from < count * order; from += order) {
      for (let i = 0, t = 0; i < order; i++) {
        const left = rows[from + i]!;
        for (let j = i; j < order; j++, t++) open[t] = open[t]! + left * rows[from + j]!;
      }
      sums.added(1);
    }
  }
}

/** What a product is checked by: x, drawn before any row is seen, and Σ (a'x)² over the rows. */
class ProductCheck {
  /** Integers from 0 to 2^16. */
  readonly x: Float64Array;
  // The sum is total + high·2^50 + middle·2^26 + low; in BigInts only what does not fit, for they are slow.
  #total = 0n;
  #high = 0;
  #middle = 0;
  #low = 0;
  #rows = 0;

  constructor(order: number, random: () => number) {
    this.x = Float64Array.from({ length: order }, random);
  }

  get #sum(): bigint {
    return this.#total + (BigInt(this.#high) << 50n) + (BigInt(this.#middle) << 26n) + BigInt(this.#low);
  }

  /**
   * Adds a row's square.
   * @param product - a'x: |a'x| ≤ |a|·|x| < 2^27·2^16·2^7, exact in doubles and 25 bits in each half; so are four squares of a half
   */
  add(product: number): void {
    const upper = Math.floor(product / half);
    const lower = product - upper * half;
    this.#high += upper * upper;
    this.#middle += upper * lower;
    this.#low += lower * lower;
    this.#rows++;
    if (this.#rows % 4 === 0) this.#carry();
  }

  #carry(): void {
    const fromLow = Math.floor(this.#low / 2 ** 26);
    this.#low -= fromLow * 2 ** 26;
    this.#middle += fromLow;
    const fromMiddle = Math.floor(this.#middle / 2 ** 24);
    this.#middle -= fromMiddle * 2 ** 24;
    this.#high += fromMiddle;
    if (this.#high < 2 ** 51) return;
    this.#total += BigInt(this.#high) << 50n;
    this.#high = 0;
  }

  /** Whether x'Gx is the sum. @param matrix - G, [order × order] of safe integers */
  passes(matrix: Float64Array): boolean {
    const { x } = this;
    const order = x.length;
    let form = 0n;
    for (let i = 0; i < order; i++) {
      form += BigInt(matrix[i * order + i]!) * BigInt(x[i]! * x[i]!);
      form += 2n * BigInt(x[i]!) * exactDot(matrix, i * order, x, i + 1);
    }
    return form === this.#sum;
  }

  /** Whether rows with the same sum were added. */
  isOf(rows: Float64Array, count: number): boolean {
    const { x } = this;
    let place = 0;
    const again = new ProductCheck(x.length, () => x[place++]!);
    for (let r = 0, p = 0; r < count; r++) {
      let product = 0;
      for (let j = 0; j < x.length; j++, p++) product += rows[p]! * x[j]!;
      again.add(product);
    }
    return again.#sum === this.#sum;
  }
}

const half = 2 ** 25;
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

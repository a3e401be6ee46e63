/** Numbers as bytes, as programs write them: no text is made of them. Each comes out as the nearest float64, ties to even. */

const powers = Float64Array.from({ length: 23 }, (_, k) => 10 ** k);
/** Whole numbers below it are float64, and so are powers of ten up to 10^22: a product or quotient of two is rounded once. */
const exact = 2 ** 53;
const splitter = 2 ** 27 + 1;
const highPowers = powers.map(highPart);
/** A quotient that was corrected once differs from the true one by less than this, of itself. */
const quotientError = 2 ** -98;

const maxWholeDigits = 9;
const maxFractionDigits = 19;

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;

/** Reads numbers of a buffer in which something that is no digit follows the text, and 8 bytes of any kind behind it. */
export class Decimals {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #mark: number;
  /** The place behind the last number. */
  end = 0;

  /** @param mark - the byte of the decimal mark */
  constructor(bytes: Uint8Array, mark: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#mark = mark;
  }

  /**
   * The number that begins at a place: digits with at most one decimal mark, a sign before them; `end` is then behind it.
   * @returns NaN, and any `end`, where none begins, or its float64 takes more than a few operations to find
   */
  read(from: number): number {
    const bytes = this.#bytes;
    const isNegative = bytes[from] === 0x2d;
    const first = isNegative || bytes[from] === 0x2b ? from + 1 : from;
    let at = first;
    let whole = 0;
    for (; isDigit(bytes[at]!) && at - first < maxWholeDigits; at++) whole = 10 * whole + bytes[at]! - 0x30;
    const wholeDigits = at - first;
    if (bytes[at] !== this.#mark) {
      this.end = at;
      if (wholeDigits === 0) return Number.NaN;
      return isNegative ? 0 - whole : whole;
    }
    const start = ++at;
    // Eight digits by twos of four, twice; then one by one.
    let head = this.#four(at);
    if (head >= 0) {
      at += 4;
      const more = this.#four(at);
      if (more >= 0) {
        head = 10_000 * head + more;
        at += 4;
      }
    } else head = 0;
    const headDigits = at - start;
    let tail = 0;
    for (let four = this.#four(at); four >= 0 && at - start < 16; four = this.#four(at)) {
      tail = 10_000 * tail + four;
      at += 4;
    }
    for (; isDigit(bytes[at]!) && at - start < maxFractionDigits; at++) tail = 10 * tail + bytes[at]! - 0x30;
    this.end = at;
    const digits = at - start;
    if (wholeDigits + digits === 0) return Number.NaN;
    const value = numberOf(whole * powers[headDigits]! + head, digits - headDigits, tail, digits);
    return isNegative ? 0 - value : value;
  }

  /** The number of four digits; −1 where these are not all digits. */
  #four(at: number): number {
    const four = this.#view.getInt32(at, true);
    if ((four & 0xf0f0f0f0) !== 0x30303030 || ((four + 0x06060606) & 0xf0f0f0f0) !== 0x30303030) return -1;
    const pairs = Math.imul(four & 0x0f0f0f0f, 10) + ((four >> 8) & 0x000f0f0f);
    return 100 * (pairs & 0xff) + ((pairs >> 16) & 0xff);
  }
}

/**
 * (head · 10^shift + tail) / 10^scale, rounded once. Where it is too long for one float64 the number is held as the sum of two, and its
 * quotient corrected by the remainder (T. J. Dekker, Numerische Mathematik 18, 1971).
 * @param head - a whole number
 * @returns NaN where head has more than 53 bits, or the error could decide between two neighbours
 */
function numberOf(head: number, shift: number, tail: number, scale: number): number {
  if (head >= exact) return Number.NaN;
  const high = head * powers[shift]!;
  const sum = high + tail;
  if (sum < exact) return sum / powers[scale]!;
  const rest = tail - (sum - high) + productError(head, shift, high);
  const quotient = sum / powers[scale]!;
  const product = quotient * powers[scale]!;
  const part = (sum - product - productError(quotient, scale, product) + rest) / powers[scale]!;
  const error = quotient * quotientError;
  const value = quotient + (part + error);
  return value === quotient + (part - error) ? value : Number.NaN;
}

/** value · 10^power − product, exactly. */
function productError(value: number, power: number, product: number): number {
  const high = highPart(value);
  const low = value - high;
  const highPower = highPowers[power]!;
  const lowPower = powers[power]! - highPower;
  return low * lowPower - (product - high * highPower - low * highPower - high * lowPower);
}

/** The upper 26 bits of a float64. */
function highPart(value: number): number {
  const large = value * splitter;
  return large - (large - value);
}

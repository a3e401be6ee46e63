/** Numbers as bytes, as programs write them: no text is made of them. Each comes out as the nearest float64, ties to even. */

const powers = Float64Array.from({ length: 23 }, (_, k) => 10 ** k);
/** Whole numbers below it are float64, and so are powers of ten up to 10^22: a product or quotient of two is rounded once. */
const exact = 2 ** 53;
const splitter = 2 ** 27 + 1;
const highPowers = powers.map(highPart);
const lowPowers = powers.map((power, k) => power - highPowers[k]!);
const inverses = powers.map((power) => 1 / power);
/** A quotient in two parts differs from the true one by less than this, of itself: of the remainder, 2^-23.9 of the number, five roundings take 2^-53 each. */
const quotientError = 2 ** -74;

const maxWholeDigits = 9;
const maxFractionDigits = 19;

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;

/** Reads numbers of a buffer in which something that is no digit follows the text, and 8 bytes of any kind behind it. */
export class Decimals {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #mark: number;

  /** @param mark - the byte of the decimal mark */
  constructor(bytes: Uint8Array, mark: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#mark = mark;
  }

  /**
   * Reads the number that begins at a place: digits with at most one decimal mark, a sign before them. A float64 that is returned would be
   * an object on the heap.
   * @param numbers, field - where it is written: NaN where none begins, or its float64 takes more than a few operations to find
   * @returns the place behind it
   */
  read(from: number, numbers: Float64Array, field: number): number {
    const bytes = this.#bytes;
    const isNegative = bytes[from] === 0x2d;
    const first = isNegative || bytes[from] === 0x2b ? from + 1 : from;
    let at = first;
    let whole = 0;
    for (; isDigit(bytes[at]!) && at - first < maxWholeDigits; at++) whole = 10 * whole + bytes[at]! - 0x30;
    const wholeDigits = at - first;
    if (bytes[at] !== this.#mark) {
      if (wholeDigits === 0) numbers[field] = Number.NaN;
      else numbers[field] = isNegative ? 0 - whole : whole;
      return at;
    }
    const start = ++at;
    // Eight digits by fours, twice; then one by one.
    let head = 0;
    let digits = this.#four(at);
    if (digits >= 0) {
      head = digits;
      at += 4;
      digits = this.#four(at);
      if (digits >= 0) {
        head = 10_000 * head + digits;
        at += 4;
      }
    }
    const headDigits = at - start;
    let tail = 0;
    digits = this.#four(at);
    if (digits >= 0) {
      tail = digits;
      at += 4;
      digits = this.#four(at);
      if (digits >= 0) {
        tail = 10_000 * tail + digits;
        at += 4;
      }
    }
    for (; isDigit(bytes[at]!) && at - start < maxFractionDigits; at++) tail = 10 * tail + bytes[at]! - 0x30;
    const scale = at - start;
    const value =
      wholeDigits + scale === 0
        ? Number.NaN
        : numberOf(whole * powers[headDigits]! + head, scale - headDigits, tail, scale);
    numbers[field] = isNegative ? 0 - value : value;
    return at;
  }

  /** The number of four digits; −1 where these are not all digits. */
  #four(at: number): number {
    const digits = this.#view.getInt32(at, true) ^ 0x30303030;
    if (((digits | (digits + 0x76767676)) & 0x80808080) !== 0) return -1;
    const pairs = (Math.imul(digits, 10 * 256 + 1) >>> 8) & 0x00ff00ff;
    return Math.imul(pairs, 100 * 65536 + 1) >>> 16;
  }
}

/**
 * (head · 10^shift + tail) / 10^scale, rounded once. Where it is too long for one float64 the number is held as the sum of two, and its
 * quotient of 24 bits corrected by the remainder, of which all products are exact (T. J. Dekker, Numerische Mathematik 18, 1971).
 * @param head - a whole number
 * @returns NaN where head has more than 53 bits, or the error could decide between two neighbours
 */
function numberOf(head: number, shift: number, tail: number, scale: number): number {
  if (head >= exact) return Number.NaN;
  const upper = highPart(head);
  const high = upper * powers[shift]!;
  const low = (head - upper) * powers[shift]!;
  const product = high + low;
  const sum = product + tail;
  if (sum < exact) return sum / powers[scale]!;
  const rest = low - (product - high) + (tail - (sum - product));
  const inverse = inverses[scale]!;
  const quotient = Math.fround(sum * inverse);
  const part = (sum - quotient * highPowers[scale]! - quotient * lowPowers[scale]! + rest) * inverse;
  const error = quotient * quotientError;
  const value = quotient + (part + error);
  return value === quotient + (part - error) ? value : Number.NaN;
}

/** The upper 26 bits of a float64. */
function highPart(value: number): number {
  const large = value * splitter;
  return large - (large - value);
}

import { textOf } from "./characters.js";
import { Decimals } from "./decimals.js";

/** How the records of CSV text are written; each character is one of ASCII. */
export interface CsvShape {
  readonly delimiter: string;
  /** Null: no field is quoted. */
  readonly quote: string | null;
  /** Before a character within quotation marks that is meant as it is; a doubled quotation mark always is. Null: nothing. */
  readonly escape: string | null;
  /** Lines that a record may have, by line ends within quotation marks. */
  readonly multiline: number;
  /** Lines before the first record that are none. */
  readonly skipRows: number;
}

/** Why a record is left out: it cannot be taken apart. */
export type RecordFault = "fields" | "quote" | "behind-quote" | "cut" | "long";

/** Of a longer record neither the start nor the end is kept. */
const maxRecordBytes = 2 ** 24;

/** Bytes that the buffer has behind the text. */
const behind = 16;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Takes CSV text apart, record by record. Every line feed, carriage return or both is a line end; a record ends with its line unless a
 * quotation mark is open and the shape allows more lines. So what is in one record never reaches beyond it, but for at most `multiline` lines.
 *
 * Text is pushed piece by piece; `next` then tells record after record, whose fields stand in `bytes[starts[i], ends[i])`.
 */
export class CsvRecords {
  bytes = Buffer.alloc(2 ** 16);
  /** By field; within its quotation marks. */
  starts = new Int32Array(64);
  ends = new Int32Array(64);
  /** 0: not quoted; 1: quoted; 2: quoted, with quotation marks or escapes in it. */
  quoting = new Uint8Array(64);
  /** By field that a number is wanted of, the number; NaN where only its text tells. */
  numbers = new Float64Array(64);
  /** Fields of the last record. */
  fields = 0;
  /** Line on which the last record began, counted from 1. */
  line = 0;
  /** Line ends that were met so far, by kind. */
  readonly lineEnds = { lf: 0, crlf: 0, cr: 0 };

  readonly #delimiter: number;
  readonly #quote: number;
  readonly #escape: number;
  readonly #multiline: number;
  /** By byte: whether a field that is not quoted ends at it. */
  readonly #stops = new Uint8Array(256);
  /** Text that is not taken apart yet; behind it stands a line feed that is not part of it. */
  #from = 0;
  #to = 0;
  #isWhole = false;
  #nextLine = 1;
  /** Whether the line is one of a record that is too long. */
  #isSkipping = false;

  #toSkip: number;
  /** By field, whether a number is wanted of it. */
  readonly #isNumber: Uint8Array;
  readonly #mark: number;
  #decimals: Decimals;

  /**
   * @param fields - of which numbers are wanted
   * @param decimal - the decimal mark
   */
  constructor(
    { delimiter, quote, escape: before, multiline, skipRows }: CsvShape,
    fields: readonly number[] = [],
    decimal: "." | "," = ".",
  ) {
    this.#toSkip = skipRows;
    this.#mark = decimal.charCodeAt(0);
    this.#decimals = new Decimals(this.bytes, this.#mark);
    this.#isNumber = new Uint8Array(Math.max(0, ...fields) + 1);
    for (const field of fields) this.#isNumber[field] = 1;
    this.#delimiter = delimiter.charCodeAt(0);
    this.#quote = quote?.charCodeAt(0) ?? -1;
    this.#escape = before?.charCodeAt(0) ?? -1;
    this.#multiline = multiline;
    for (const byte of [this.#delimiter, lineFeed, carriageReturn]) this.#stops[byte] = 1;
  }

  /** Takes text as it comes, and says after each piece whether that was all. */
  async *of(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<boolean> {
    for await (const piece of pieces) {
      this.push(piece);
      yield false;
    }
    this.end();
    yield true;
  }

  push(piece: Uint8Array): void {
    const kept = this.#to - this.#from;
    const need = kept + piece.length + behind;
    if (need > this.bytes.length) {
      const larger = Buffer.alloc(2 * need);
      this.bytes.copy(larger, 0, this.#from, this.#to);
      this.bytes = larger;
      this.#decimals = new Decimals(larger, this.#mark);
    } else this.bytes.copy(this.bytes, 0, this.#from, this.#to);
    this.bytes.set(piece, kept);
    this.#from = 0;
    this.#to = kept + piece.length;
    this.bytes[this.#to] = lineFeed;
  }

  /** Says that no more text comes. */
  end(): void {
    this.#isWhole = true;
  }

  /**
   * The next record.
   * @returns null while the text does not hold all of it; `end` behind the last one; a fault for one that cannot be taken apart, and is passed
   *   over. A record is handed out whatever its number of fields.
   */
  next(): "record" | "end" | RecordFault | null {
    if (this.#isSkipping && !this.#skipLine(this.#from)) return this.#isWhole ? "end" : null;
    this.#isSkipping = false;
    for (; this.#toSkip > 0; this.#toSkip--) if (!this.#skipLine(this.#from)) return null;
    if (this.#from >= this.#to) return this.#isWhole ? "end" : null;
    const { bytes } = this;
    const stops = this.#stops;
    const isNumber = this.#isNumber;
    const decimals = this.#decimals;
    const quote = this.#quote;
    const delimiter = this.#delimiter;
    let at = this.#from;
    let lines = 1;
    let field = 0;
    for (;;) {
      if (field === this.starts.length) this.#widen();
      if (bytes[at] === quote && at < this.#to) {
        this.#quotedLines = 0;
        const close = this.#closing(at + 1, field, this.#multiline - lines);
        if (close === null) return this.#more();
        if (close === -1) return this.#spoiled(at, "quote");
        lines += this.#quotedLines;
        this.starts[field] = at + 1;
        this.ends[field] = close;
        this.numbers[field] = Number.NaN;
        at = close + 1;
        while (bytes[at] === 0x20 || (bytes[at] === 0x09 && delimiter !== 0x09)) at++;
        if (stops[bytes[at]!] === 0) return this.#spoiled(at, "behind-quote");
      } else {
        this.starts[field] = at;
        this.quoting[field] = 0;
        if (isNumber[field] === 1) {
          const { numbers } = this;
          const end = decimals.read(at, numbers, field);
          if (stops[bytes[end]!] === 0) numbers[field] = Number.NaN;
          else if (!Number.isNaN(numbers[field]!)) at = end;
        }
        while (stops[bytes[at]!] === 0) at++;
        this.ends[field] = at;
      }
      field++;
      if (bytes[at] === delimiter && at < this.#to) {
        at++;
        continue;
      }
      // A carriage return at the end of a piece may be half a line end.
      if (!this.#isWhole && at + (bytes[at] === carriageReturn ? 1 : 0) >= this.#to) return this.#more();
      if (at - this.#from > maxRecordBytes) return this.#spoiled(at, "long");
      this.fields = field;
      this.line = this.#nextLine;
      this.#nextLine += lines;
      this.#from = this.#behindLineEnd(at);
      return "record";
    }
  }

  /** The text of a field of the last record, blanks included. */
  text(field: number): string {
    const { bytes } = this;
    const [from, to] = [this.starts[field]!, this.ends[field]!];
    if (this.quoting[field] !== 2) return textOf(bytes, from, to);
    const plain = Buffer.alloc(to - from);
    let length = 0;
    for (let at = from; at < to; at++) {
      // Within it stands a quotation mark that is doubled, or a character that is escaped.
      if ((bytes[at] === this.#escape || bytes[at] === this.#quote) && at + 1 < to) at++;
      plain[length++] = bytes[at]!;
    }
    return textOf(plain, 0, length);
  }

  /** Whether the last record is a line without a character. */
  get isBlank(): boolean {
    return this.fields === 1 && this.starts[0] === this.ends[0] && this.quoting[0] === 0;
  }

  /** Whether no text follows the last record, and it had no line end either. */
  get isCut(): boolean {
    return this.#isWhole && this.#from > this.#to;
  }

  #quotedLines = 0;

  /**
   * The place of the closing quotation mark, and its line ends as `#quotedLines`.
   * @param lines - line ends that the field may hold
   * @returns null while the text may hold it later; -1 where it is missing
   */
  #closing(from: number, field: number, lines: number): number | null {
    const { bytes } = this;
    const [quote, before] = [this.#quote, this.#escape];
    this.quoting[field] = 1;
    let at = from;
    for (; at < this.#to; at++) {
      const byte = bytes[at]!;
      if (byte === quote || byte === before) {
        const isLast = at + 1 >= this.#to;
        if (isLast && !this.#isWhole) return null;
        const isEscape = byte === before && (byte !== quote || (!isLast && bytes[at + 1] === quote));
        if (!isEscape && (isLast || bytes[at + 1] !== quote)) return at;
        // A line end is one whatever stands before it.
        if (bytes[at + 1] === lineFeed || bytes[at + 1] === carriageReturn) continue;
        this.quoting[field] = 2;
        at++;
      } else if (byte === lineFeed || byte === carriageReturn) {
        if (byte === carriageReturn && at + 1 === this.#to && !this.#isWhole) return null;
        if (this.#quotedLines === lines) return -1;
        this.#quotedLines++;
        if (byte === carriageReturn && bytes[at + 1] === lineFeed && at + 1 < this.#to) at++;
      }
    }
    return this.#isWhole ? -1 : null;
  }

  /** Asks for more text, unless the record is longer than one may be. */
  #more(): null | RecordFault {
    if (this.#to - this.#from < maxRecordBytes) return null;
    this.#isSkipping = true;
    this.line = this.#nextLine;
    return "long";
  }

  /** Passes over the line on which a fault was met. @param at - a place on it */
  #spoiled(at: number, fault: RecordFault): RecordFault | null {
    const line = this.#nextLine;
    const from = this.#from;
    let last = from;
    let lines = 0;
    // Lines before the one with the fault are of the same record.
    for (let place = from; place < at; place++) {
      if (this.bytes[place] !== lineFeed && this.bytes[place] !== carriageReturn) continue;
      if (this.bytes[place] === carriageReturn && this.bytes[place + 1] === lineFeed) place++;
      lines++;
      last = place + 1;
    }
    if (!this.#skipLine(Math.max(last, at))) return this.#more();
    this.#nextLine += lines;
    this.line = line;
    return fault;
  }

  /** Goes behind the next line end. @returns false, and goes nowhere, while the text may hold it later */
  #skipLine(from: number): boolean {
    const { bytes } = this;
    let at = from;
    while (bytes[at] !== lineFeed && bytes[at] !== carriageReturn) at++;
    if (!this.#isWhole && at + (bytes[at] === carriageReturn ? 1 : 0) >= this.#to) {
      if (this.#isSkipping) this.#from = bytes[this.#to - 1] === carriageReturn ? this.#to - 1 : this.#to;
      return false;
    }
    this.#nextLine++;
    this.#from = this.#behindLineEnd(at);
    return true;
  }

  /** The place behind the line end at `at`, which is counted; one more than there is text where it has none. */
  #behindLineEnd(at: number): number {
    if (at >= this.#to) return this.#to + 1;
    if (this.bytes[at] === lineFeed) {
      this.lineEnds.lf++;
      return at + 1;
    }
    if (this.bytes[at + 1] === lineFeed && at + 1 < this.#to) {
      this.lineEnds.crlf++;
      return at + 2;
    }
    this.lineEnds.cr++;
    return at + 1;
  }

  #widen(): void {
    this.starts = widened(this.starts, new Int32Array(2 * this.starts.length));
    this.ends = widened(this.ends, new Int32Array(2 * this.ends.length));
    this.quoting = widened(this.quoting, new Uint8Array(2 * this.quoting.length));
    this.numbers = widened(this.numbers, new Float64Array(2 * this.numbers.length));
  }
}

function widened<Values extends Int32Array | Uint8Array | Float64Array>(from: Values, to: Values): Values {
  to.set(from);
  return to;
}

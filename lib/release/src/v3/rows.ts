import { err, ok, type Result } from "@consilium/core/result";

/** A column of data.csv, as result.json has it. */
export interface RowsColumn {
  readonly name: string;
  readonly type: "number" | "level";
  readonly levels?: readonly string[];
}

const [quote, comma, cr, lf] = [0x22, 0x2c, 0x0d, 0x0a];
/** Characters of a row, at most. */
const maxRow = 1 << 24;

/**
 * A field of RFC 4180. Text is quoted where it must be, and where a reader might take it for something else: when
 * it is empty or has white space at an end.
 */
export function csvField(text: string): string {
  return /^$|[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The shortest decimal that parses to the very same float64, negative zero included. */
export function csvNumber(value: number): string {
  return Object.is(value, -0) ? "-0.0" : String(value);
}

/**
 * Reads data.csv back to the rows as they were deposited: of each row every number as float64, every level as its 16-bit index,
 * little-endian; an empty number is NaN. The file is RFC 4180 with CRLF, its first line the columns' names, and every field has the
 * one spelling of `csvField` and `csvNumber`: any other would be read by somebody as another table.
 */
export class RowsReader {
  readonly #columns: readonly RowsColumn[];
  readonly #header: string;
  /** By how the file spells them. */
  readonly #levels: readonly ReadonlyMap<string, number>[];
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #rowBytes: number;
  #rest = "";
  #isHeader = true;
  /** Rows read so far. */
  rows = 0;

  constructor(columns: readonly RowsColumn[]) {
    this.#columns = columns;
    this.#header = columns.map(({ name }) => csvField(name)).join();
    this.#levels = columns.map(
      ({ levels = [] }) => new Map(levels.map((level, at) => [csvField(level), at])),
    );
    this.#rowBytes = columns.reduce((sum, { type }) => sum + (type === "number" ? 8 : 2), 0);
  }

  /**
   * @param bytes - the file's next ones; null at its end
   * @returns the bytes of the rows that they complete, or what is wrong, in words
   */
  read(bytes: Uint8Array | null): Result<Uint8Array, string> {
    try {
      this.#rest += bytes === null ? this.#decoder.decode() : this.#decoder.decode(bytes, { stream: true });
    } catch {
      return err("it is not UTF-8");
    }
    const rows: string[][] = [];
    let at = 0;
    for (;;) {
      const row = rowFrom(this.#rest, at);
      if (row === null) break;
      at = row.end;
      rows.push(row.fields);
    }
    this.#rest = this.#rest.slice(at);
    if (this.#rest.length > maxRow) return err("a row is too long");
    if (bytes === null && this.#rest !== "") return err("it ends within a row");
    if (this.#isHeader) {
      const header = rows.shift();
      if (header === undefined) return bytes === null ? err("it has no header") : ok(new Uint8Array());
      this.#isHeader = false;
      if (header.length !== this.#columns.length || header.join() !== this.#header)
        return err("its header is not the result's columns");
    }
    return this.#packed(rows);
  }

  #packed(rows: readonly string[][]): Result<Uint8Array, string> {
    const bytes = new Uint8Array(rows.length * this.#rowBytes);
    const view = new DataView(bytes.buffer);
    let at = 0;
    for (const row of rows) {
      this.rows++;
      if (row.length !== this.#columns.length) return err(`row ${this.rows} has ${row.length} fields`);
      for (const [index, text] of row.entries()) {
        if (this.#columns[index]!.type === "number") {
          const value = text === "" ? Number.NaN : Number(text);
          if (text !== "" && !(Number.isFinite(value) && csvNumber(value) === text))
            return err(`row ${this.rows} has another spelling of a number`);
          view.setFloat64(at, value, true);
          at += 8;
        } else {
          const level = this.#levels[index]!.get(text);
          if (level === undefined) return err(`row ${this.rows} has a level that the result does not`);
          view.setUint16(at, level, true);
          at += 2;
        }
      }
    }
    return ok(bytes);
  }
}

/** The fields of the row that begins there, as they are spelled, and where it ends; null while it has not. */
function rowFrom(text: string, start: number): { fields: string[]; end: number } | null {
  const fields: string[] = [];
  for (let at = start; ; ) {
    const from = at;
    // A quotation mark within a quoted field is written twice: the field continues.
    while (text.charCodeAt(at) === quote) {
      at = text.indexOf('"', at + 1) + 1;
      if (at === 0) return null;
    }
    while (at < text.length && text.charCodeAt(at) !== comma && !isEnd(text, at)) at++;
    if (at + 1 >= text.length) return null;
    fields.push(text.slice(from, at));
    if (text.charCodeAt(at) !== comma) return { fields, end: at + 2 };
    at++;
  }
}

const isEnd = (text: string, at: number) => text.charCodeAt(at) === cr && text.charCodeAt(at + 1) === lf;

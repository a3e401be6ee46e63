import type { ReadOptions } from "../source.js";

/** Records that are taken apart, as text: what statements of DuckDB are given of a hospital's files. */

/** DuckDB takes so many rows at a time. */
const maxRows = 2048;
const maxCharacters = 2 ** 20;

/** Some rows, column by column; null is a field without a character. */
export class TextBlock {
  readonly columns: readonly (string | null)[][];
  rows = 0;
  #characters = 0;

  constructor(width: number) {
    this.columns = Array.from({ length: width }, () => []);
  }

  /** Writes a cell of the row that `endRow` ends. */
  put(column: number, text: string): void {
    // DuckDB's interface ends text at a NUL, which would be another one.
    this.columns[column]![this.rows] = text === "" ? null : text.replaceAll("\0", "\ufffd");
    this.#characters += text.length;
  }

  /** @returns whether the block takes no further row */
  endRow(): boolean {
    this.rows++;
    return this.rows === maxRows || this.#characters >= maxCharacters;
  }
}

/** Files of text as one table. */
export interface TextTable {
  readonly names: readonly string[];
  readonly files: readonly string[];
  /** @param columns - places of the names that are asked for */
  texts(file: string, columns: readonly number[], options: ReadOptions): AsyncGenerator<TextBlock>;
}

import type { Name } from "../said.js";

/** What a hospital's own people check of a table before any study reads it. It stays at the hospital, and names no value of a record. */
export interface TableCheckSays {
  /** What the first rows say of a CSV file. @param stated - by the table's entry, or by default */
  readonly "check.delimiter": { readonly found: Name; readonly stated: Name };
  readonly "check.sep-line": Record<never, never>;
  readonly "check.encoding": { readonly found: Name; readonly stated: Name };
  readonly "check.decimal-comma": Record<never, never>;
  /** Columns by their places. */
  readonly "check.same-names": { readonly first: number; readonly second: number };
  readonly "check.first-record": Record<never, never>;
  readonly "check.ragged": {
    readonly rows: number;
    readonly all: number;
    readonly row: number;
    readonly fields: number;
    readonly width: number;
  };
  /** Rows that cannot be taken apart, by cause. @param line - of the first of them */
  readonly "check.fields": { readonly rows: number; readonly line: number };
  readonly "check.cut": { readonly line: number };
  readonly "check.quote": { readonly rows: number; readonly line: number };
  readonly "check.behind-quote": { readonly rows: number; readonly line: number };
  readonly "check.long": { readonly rows: number; readonly line: number };
  readonly "check.no-object": { readonly rows: number; readonly line: number };
  /** More than one kind of line end. */
  readonly "check.line-ends": { readonly lf: number; readonly crlf: number; readonly cr: number };
  readonly "check.texts-among-numbers": {
    readonly column: Name;
    readonly cells: number;
    readonly all: number;
  };
  /** @param spelling - of a list in the program: never a text that only a record has */
  readonly "check.known-missing": {
    readonly column: Name;
    readonly cells: number;
    readonly all: number;
    readonly spelling: Name;
  };
  /** Cells as `<0.5`. */
  readonly "check.below-detection": { readonly column: Name; readonly cells: number; readonly all: number };
  /** Bytes that are no character of the encoding that the entry states. */
  readonly "check.no-characters": { readonly column: Name; readonly cells: number };
  /** Times that all lie on one or two full hours other than midnight. */
  readonly "check.midnights": { readonly column: Name };
  /** Rows with a cell that cannot be read, and the columns in which they differ from the others. */
  readonly "check.left-out": { readonly rows: number; readonly columns: readonly Name[] };
  readonly "check.dates": { readonly column: Name; readonly format: Name };
  /** All of which fit every date of the column. */
  readonly "check.dates-open": { readonly column: Name; readonly formats: readonly Name[] };
  /** A number that many cells have and that stands apart from all others. */
  readonly "check.least-apart": { readonly column: Name; readonly cells: number; readonly all: number };
  readonly "check.greatest-apart": { readonly column: Name; readonly cells: number; readonly all: number };
}

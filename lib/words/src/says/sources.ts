import type { AnySaid, Name, None } from "../said.js";

/** Where in a hospital's data: a table, or one of its files. */
type Placed = {
  readonly place: AnySaid;
};

type AtPath = Placed & {
  readonly path: Name;
};

/** A line of a file that cannot be taken apart, counted from 1; null is the file's first row, which names the columns. */
type Line = Placed & {
  readonly line: number | null;
};

/** The first cell that no rule covers, how many such cells its column has, and how many other faults the table. */
type Cell = Placed & {
  readonly column: Name;
  readonly row: number;
  readonly same: number;
  readonly others: number;
};

/** What a hospital's files of records say where they cannot be read, or are not as a study or an approval has them; names are shown as `quoted` escapes them. */
export interface SourceSays {
  readonly "place.table": { readonly table: Name };
  readonly "place.file": { readonly table: Name; readonly file: Name };
  readonly "place.column": Placed & { readonly column: Name };
  /** A table of an OMOP database. */
  readonly "place.cdm": { readonly table: Name; readonly cdm: Name };

  readonly "source.system-code": Placed & { readonly code: Name };
  /** An error of ours: its class and where it was thrown. */
  readonly "source.unexpected": Placed & { readonly what: Name };
  readonly "source.duckdb-interface": Placed;
  readonly "source.memory": Placed & { readonly megabytes: number };
  /** The remedy. */
  readonly "source.more-memory": None;
  readonly "source.foreign-text": Placed;
  /** The remedy. */
  readonly "source.write-utf8": None;
  readonly "source.not-opened": Placed;
  /** The kind of DuckDB's error, in lower case; null for one that is not known. */
  readonly "source.format": Placed & { readonly kind: Name | null };
  readonly "source.end-missing": Placed;
  readonly "source.checksum": Placed;
  /** The remedy. */
  readonly "source.copy-whole": None;
  readonly "source.not-packed": Placed;
  readonly "source.unreadable": Placed & { readonly code: Name };
  readonly "source.empty": Placed;
  readonly "source.one-empty": Placed;

  /** The system's code; null where it gives none. */
  readonly "file.code": AtPath & { readonly code: Name | null };
  readonly "file.none": AtPath;
  readonly "file.neither": AtPath;
  /** The endings that are looked for; none for those of all formats. */
  readonly "file.empty-folder": AtPath & { readonly endings: readonly Name[] };
  readonly "file.no-match": AtPath & { readonly endings: readonly Name[] };
  readonly "file.many": AtPath & { readonly most: number };
  readonly "file.replaced": Placed;
  /** The remedy. */
  readonly "file.move-here": None;
  readonly "file.gone": AtPath;
  /** The remedy. */
  readonly "file.mount": None;
  readonly "file.no-format": Placed & { readonly file: Name };
  /** The remedy. */
  readonly "file.set-format": { readonly formats: readonly Name[] };
  readonly "file.formats": Placed & { readonly formats: readonly Name[] };
  /** The remedy. */
  readonly "file.choose-format": None;

  readonly "line.fields": Line;
  readonly "line.cut": Line;
  readonly "line.quote": Line;
  readonly "line.behind-quote": Line;
  readonly "line.long": Line;
  readonly "line.no-object": Line;
  /** Remedies. */
  readonly "line.write-objects": None;
  readonly "line.correct": None;
  readonly "line.correct-header": None;
  readonly "header.empty": Placed;
  /** The remedy. */
  readonly "header.begin-with": None;
  readonly "header.numbers": Placed;
  /** The remedy. */
  readonly "header.say-which": None;

  readonly "cell.no-number": Cell;
  readonly "cell.not-finite": Cell;
  readonly "cell.undeclared": Cell;

  /** `more` are not among the columns, each of which is a `columns.no`; the file has `of` columns. */
  readonly "columns.missing": Placed & {
    readonly columns: readonly AnySaid[];
    readonly more: number;
    readonly of: number;
  };
  readonly "columns.no": { readonly column: Name; readonly nearest: readonly Name[] };
  /** The remedy. */
  readonly "columns.check-header": None;
  readonly "columns.same-name": Placed & { readonly column: Name; readonly columns: number };
  readonly "columns.type": Placed & {
    readonly column: Name;
    readonly type: Name;
    /** A `columns.number` or another of those below. */
    readonly declared: AnySaid;
  };
  readonly "columns.number": None;
  readonly "columns.level": None;
  readonly "columns.date": None;
  readonly "columns.order": None;
  /** Remedies. */
  readonly "columns.name-order": None;
  readonly "columns.declare-categorical": None;
  readonly "columns.leave-out": None;
  /** A level by its place from 1, whose text may be nobody's concern. */
  readonly "columns.level-blank": { readonly column: Name; readonly level: number };
  readonly "columns.level-alike": { readonly column: Name; readonly level: number };

  readonly "rows.many": Placed & { readonly most: number };
  readonly "rows.few": Placed & { readonly usable: number; readonly rows: number; readonly needs: number };
  readonly "rows.constant": Placed & {
    readonly usable: number;
    readonly columns: readonly Name[];
    readonly more: number;
  };

  /** A table since it was approved; `code` is that of what is wrong with its columns. */
  readonly "contents.columns": Placed & { readonly code: Name };
  readonly "contents.uncovered": Placed;
  readonly "contents.more": Placed;
  readonly "contents.fewer": Placed;
  readonly "contents.values": Placed;
}

import type { AnySaid, Name, None } from "../said.js";

/** A table whose rows are a query's. */
type Placed = {
  readonly place: AnySaid;
};

/** A path in a view definition: `select[0].column[1].path`; null is the whole. */
type InView = {
  readonly view: Name;
  readonly at: Name | null;
  /** A `path.…` or a `view.…` below. */
  readonly what: AnySaid;
};

/** What queries, databases, OMOP folders and views of FHIR resources say where rows cannot be had of them. */
export interface QuerySays {
  /** The driver's or the system's code, by which the words know what it means; null where there is none. */
  readonly "database.refused": Placed & { readonly code: Name | null };
  readonly "database.lost": Placed & { readonly code: Name | null };
  /** Remedies. */
  readonly "database.try-with": { readonly program: Name };
  readonly "database.try-with-mariadb": None;
  readonly "database.other-rows": Placed;
  /** The remedy. */
  readonly "database.same-rows": None;
  readonly "database.no-driver": { readonly product: Name };
  /** The remedy. */
  readonly "database.install-driver": { readonly folder: Name };
  readonly "database.oracle-prints": None;
  /** The remedy. */
  readonly "database.start-without": None;

  readonly "sqlite.unreadable": Placed & { readonly code: Name | null };
  /** `more` are not among the tables that the database has. */
  readonly "sqlite.no-table": Placed & {
    readonly table: Name;
    readonly tables: readonly Name[];
    readonly more: number;
  };
  /** The remedy. */
  readonly "sqlite.correct-table": None;
  readonly "sqlite.empty": Placed;
  readonly "sqlite.which": Placed & { readonly tables: readonly Name[]; readonly more: number };
  /** The remedy. */
  readonly "sqlite.name-table": None;

  readonly "query.no-select": Placed;
  /** The remedy. */
  readonly "query.write-select": None;
  /** What fails at a value: `strptime()`, `CAST to DATE`. */
  readonly "query.may-fail": Placed & { readonly parts: readonly Name[] };
  /** The remedy. */
  readonly "query.try-cast": None;
  /** The kind of DuckDB's error in lower case, the query's line, and a name in the query. */
  readonly "query.not-accepted": Placed & {
    readonly kind: Name;
    readonly line: number | null;
    readonly named: Name | null;
  };
  /** The remedy. */
  readonly "query.try-duckdb": None;
  readonly "query.memory": Placed & { readonly megabytes: number };
  /** The remedy. */
  readonly "query.fewer-columns": None;
  readonly "query.other-files": Placed;
  /** The remedy. */
  readonly "query.name-files": None;
  readonly "query.failed": Placed & { readonly kind: Name };
  /** The remedy. */
  readonly "query.compare-cast": None;
  readonly "query.pattern": Placed;
  /** The remedy. */
  readonly "query.rename": None;
  readonly "query.other-columns": Placed;
  /** The remedy. */
  readonly "query.own-tables": None;
  /** By its place from 1. */
  readonly "query.same-name": Placed & { readonly column: number };

  readonly "spark.no-engine": Placed;
  readonly "spark.fields": Placed & { readonly rows: number };

  readonly "omop.no-plan": Placed;
  readonly "omop.no-table": Placed & { readonly cdm: Name };
  /** The remedy. */
  readonly "omop.add-table": { readonly name: Name };
  readonly "omop.no-columns": Placed & { readonly columns: readonly Name[] };
  /** The remedy. */
  readonly "omop.write-cdm": None;
  readonly "omop.twice": Placed & { readonly cdm: Name };
  /** The remedy. */
  readonly "omop.leave-one": { readonly name: Name };
  readonly "omop.neither": Placed & { readonly cdm: Name };

  readonly "fhir.no-file": Placed & { readonly resource: Name };
  /** Remedies. */
  readonly "fhir.name-one": None;
  readonly "fhir.name-for-type": { readonly resource: Name };
  readonly "view.unreadable": Placed & { readonly path: Name; readonly code: Name | null };
  readonly "view.long": Placed & { readonly path: Name; readonly most: number };
  readonly "view.not-json": Placed & { readonly path: Name };
  readonly "view.invalid": InView;
  /** At a resource's value, which is not told. */
  readonly "view.failed": InView & { readonly table: Name };
  /** The remedy. */
  readonly "view.correct": None;
  /** What the reader of shapes says of a key, in English. */
  readonly "view.shape": { readonly what: Name };
  readonly "view.same-constant": None;
  readonly "view.no-column": None;
  readonly "view.same-column": { readonly column: Name };
  readonly "view.branch": { readonly columns: Name; readonly first: Name };

  readonly "path.character": { readonly at: number };
  readonly "path.backticks": None;
  readonly "path.ends": { readonly due: Name };
  readonly "path.due": { readonly due: Name; readonly before: Name };
  readonly "path.deep": { readonly most: number };
  readonly "path.incomplete": None;
  readonly "path.unexpected": { readonly text: Name };
  readonly "path.ends-with-point": None;
  readonly "path.no-name": { readonly text: Name };
  readonly "path.unsupported": { readonly text: Name };
  readonly "path.no-constant": { readonly name: Name };
  readonly "path.index": None;
  /** A kind of value: list, text, number or boolean. */
  readonly "path.no-number": { readonly kind: Name };
  readonly "path.no-condition": { readonly kind: Name };
  readonly "path.no-text": { readonly kind: Name };
  readonly "path.no-truth": None;
  readonly "path.arguments": {
    readonly name: Name;
    readonly least: number;
    readonly most: number;
    readonly given: number;
  };
  readonly "path.resource-key": None;
  readonly "path.no-function": { readonly name: Name; readonly supported: Name };
  readonly "path.of-type": None;
  readonly "path.no-type": None;
  readonly "path.text-argument": { readonly name: Name };
  readonly "path.several": None;
  readonly "path.endless": None;
}

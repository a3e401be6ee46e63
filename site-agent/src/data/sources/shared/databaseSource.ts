import { ConsiliumError } from "@consilium/core/errors";
import { nameOf, sentences } from "@consilium/core/said";
import type { Said } from "@consilium/words/said";
import type { QuerySays } from "@consilium/words/says/queries";
import { type CellChunk, type CellRequest, cellOfText, MissingValues, numberCell } from "../../cells.js";
import { fault } from "../../fault.js";
import { patientParts } from "../../patientHash.js";
import { tablePlace } from "../../place.js";
import type { RowShare, RowSum } from "../../rowShare.js";
import type { ColumnKind, ReadOptions, SourceColumn, TableSource } from "../../source.js";
import { type CdmTypes, checkCdmTypes } from "../omop/cdmTypes.js";

/** A cell as text; a number in digits that read back as the same float64. */
export type DatabaseCell = string | null;

/** What a database says of a result's column; `Type` is how it tells types. */
export interface DatabaseColumn<Type> {
  readonly name: string;
  readonly type: Type;
}

/** One state of the database, for reading. */
export interface DatabaseSnapshot<Type> {
  /** The columns of a statement that returns no row. */
  columns(sql: string): Promise<readonly DatabaseColumn<Type>[]>;
  /** A statement's rows, so many at a time. */
  rows(sql: string, atATime: number): AsyncGenerator<readonly (readonly DatabaseCell[])[]>;
  close(): Promise<void>;
}

/** A database product, and one database of it. */
export interface QueryDatabase<Type> {
  /** Opens a connection and in it a transaction that reads one state and writes nothing. */
  open(): Promise<DatabaseSnapshot<Type>>;
  kindOf(type: Type): ColumnKind;
  quote(name: string): string;
  /** The SQL of a cell: its text, or a number that the driver gives without rounding. @param column - quoted */
  cell(column: string, type: Type, kind: CellRequest["kind"]): string;
  codeOf(thrown: unknown): string | null;
  /** Whether a code of its own says that the connection ended. */
  isLost?(code: string | null): boolean;
  /** What to do about a query that fails. */
  readonly remedy: Said<QuerySays, "database.try-with" | "database.try-with-mariadb">;
  /** Of a snapshot that several processes read; left out where there is none. */
  readonly shared?: {
    /** SQL of a whole number of 64 bits. @param columns - of the row `q`, in SQL; null: all */
    hash(columns: readonly string[] | null): string;
    /** Whether the snapshot is gone, so that a new one may do. @param code - as `codeOf` */
    isLost(code: string | null): boolean;
  };
}

/** What is read of a database. */
export interface Query {
  /** What comes before every statement's SELECT: `WITH …`. */
  readonly with?: string;
  readonly select: string;
  /** Column i of the select is `c<i>` in SQL and has this name here; left out, columns have their own names. */
  readonly names?: readonly string[];
  /** What columns of the database itself have to hold. */
  readonly types?: CdmTypes;
  /** Names of columns that rows are ordered by; left out, the cells that are asked for; null: rows come in any order. */
  readonly orderBy?: readonly string[] | null | undefined;
  /** Names of columns by which rows are divided into shares; null or left out: by all. */
  readonly shareBy?: readonly string[] | null | undefined;
  /** Of a shared snapshot only: the rows to read. Left out, all. */
  readonly share?: RowShare;
}

const said = sentences<QuerySays>();

/** What to do about a query that fails. @param program - of the database product */
export const tryWith = (program: string) => said("database.try-with", { program: nameOf(program) });

/** Rows fetched at a time: what is in memory of a table, however long it is. */
const chunkRows = 2048;

interface NamedTable {
  /** For messages. */
  readonly name: string;
  readonly nullValues: readonly string[];
}

/** The source of a query, whatever types its database has. */
export function databaseSource(
  table: NamedTable,
  database: QueryDatabase<number> | QueryDatabase<string>,
  query: Query,
): TableSource {
  return new DatabaseSource(table, database as QueryDatabase<unknown>, query);
}

/**
 * What all shares of a query's rows must add up to.
 * @throws ConsiliumError DATABASE_LOST, TABLE_UNREADABLE
 */
export async function rowSumOf(
  table: NamedTable,
  { database, query, snapshot }: SharedQuery,
): Promise<RowSum> {
  const rows = snapshot.rows(rowSumSql(database, trimmed(query)), 1);
  const { value } = await guarded(table.name, database, "rows", () => rows.next());
  const [count, hashes] = (value as readonly (readonly DatabaseCell[])[])[0]!;
  return { rows: Number(count), hashes: Number(hashes) };
}

interface SharedQuery {
  readonly database: QueryDatabase<number>;
  readonly query: Query;
  readonly snapshot: DatabaseSnapshot<number>;
}

const trimmed = (query: Query): Query => ({ ...query, select: query.select.replace(/[\s;]+$/, "") });

const withBefore = ({ with: before }: Query, sql: string) =>
  before === undefined ? sql : `${before}\n${sql}`;

/** No column of a hospital's is called so. */
const hashName = '"consilium row hash"';
/** The bits that choose the share, and those that are added up, have none in common. */
const shareBits = 2 ** 31 - 1;
const addedHash = `source.${hashName} >> 40`;

/**
 * The rows with their hash. OFFSET keeps the filter of a share out of the query: the query runs in the same way for every share, so
 * that a sum of floats in it, for instance, has the same last bit.
 */
function hashedRows(
  database: Pick<QueryDatabase<unknown>, "quote" | "shared">,
  { select, names, shareBy }: Query,
  cells: string,
): string {
  const sqlOf = (name: string) => {
    const at = names?.indexOf(name) ?? -1;
    return at === -1 ? database.quote(name) : `c${at}`;
  };
  const hash = database.shared!.hash(shareBy?.map(sqlOf) ?? null);
  return `(SELECT ${cells}${hash} AS ${hashName} FROM (${select}\n) q OFFSET 0) source`;
}

const rowSumSql = (database: QueryDatabase<number>, query: Query) =>
  withBefore(
    query,
    `SELECT count(*), coalesce(sum(${addedHash}), 0) FROM ${hashedRows(database, query, "")}`,
  );

type Phase = "before rows" | "rows";

/**
 * A driver's and a server's messages may quote data: only their code is passed on, which words explain.
 * @param phase - until a row has been asked for, whatever fails is no record's doing
 * @throws ConsiliumError TABLE_AWAY before rows; DATABASE_LOST, TABLE_UNREADABLE
 */
export async function guarded<Type, T>(
  table: string,
  database: QueryDatabase<Type>,
  phase: Phase,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    if (thrown instanceof ConsiliumError) throw thrown;
    const code = database.codeOf(thrown);
    const params = { place: tablePlace(table), code: code === null ? null : nameOf(code) };
    // A snapshot that others read too may be lost by a record that they have met.
    const isRead = phase === "rows" || database.shared !== undefined;
    if (
      isRead &&
      (isConnectionLost(thrown, code) || database.isLost?.(code) || database.shared?.isLost(code))
    )
      throw fault("DATABASE_LOST", "database.lost", params);
    const { remedy } = database;
    throw fault(phase === "before rows" ? "TABLE_AWAY" : "TABLE_UNREADABLE", "database.refused", params, {
      remedy,
    });
  }
}

function isConnectionLost(thrown: unknown, code: string | null): boolean {
  if (code !== null) return lostConnections.test(code);
  return thrown instanceof Error && thrown.message.startsWith("Connection terminated");
}

/** Codes of the system, of PostgreSQL (class 08 and servers that end), of SQL Server's driver and of Oracle's. */
const lostConnections =
  /^(?:08\w{3}|57P0[1-3]|ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|ESOCKET|NJS-50[013]|NJS-521|ORA-0311[34]|ORA-12537)$/;

/**
 * The result of a query in a hospital's database. Each reading is one read-only transaction over one state of the
 * database, whatever is written meanwhile.
 */
class DatabaseSource<Type> implements TableSource {
  readonly #table: string;
  readonly #database: QueryDatabase<Type>;
  readonly #query: Query;
  readonly #missing: MissingValues;

  constructor({ name, nullValues }: NamedTable, database: QueryDatabase<Type>, query: Query) {
    this.#table = name;
    this.#database = database;
    this.#query = trimmed(query);
    this.#missing = new MissingValues(nullValues);
  }

  async columns(): Promise<readonly SourceColumn[]> {
    const snapshot = await this.#open();
    try {
      return (await this.#columns(snapshot)).map(({ name, type }) => ({
        name,
        kind: this.#database.kindOf(type),
        nameIsSchema: true,
      }));
    } finally {
      await snapshot.close();
    }
  }

  async *read(
    _: string,
    requests: readonly CellRequest[],
    { signal }: ReadOptions,
  ): AsyncGenerator<CellChunk> {
    signal?.throwIfAborted();
    const snapshot = await this.#open();
    try {
      const columns = new Map(
        (await this.#columns(snapshot)).map((column) => [column.name, column] as const),
      );
      const convert = requests.map((request) => {
        const kind = this.#database.kindOf(columns.get(request.name)!.type);
        return converter(request, kind, this.#missing);
      });
      const widths = requests.map(({ kind }) => (kind === "patient" ? patientParts.length : 1));
      const rows = snapshot.rows(this.#sql(requests, columns), chunkRows);
      try {
        for (;;) {
          const next = await this.#guard("rows", () => rows.next());
          if (next.done === true) return;
          signal?.throwIfAborted();
          const { share } = this.#query;
          if (share !== undefined) addRows(share.sum, next.value, requests.length);
          yield { rows: next.value.length, columns: decode(next.value, convert, widths) };
        }
      } finally {
        await rows.return(undefined).catch(() => undefined);
      }
    } finally {
      await snapshot.close();
    }
  }

  /** With how SQL names them: by their quoted names, or by their place. */
  async #columns(snapshot: DatabaseSnapshot<Type>) {
    const { names, types } = this.#query;
    if (types !== undefined) {
      const own = await this.#guard("before rows", () => snapshot.columns(types.select));
      checkCdmTypes(
        this.#table,
        types,
        own.map(({ type }) => this.#database.kindOf(type)),
      );
    }
    const found = await this.#guard("before rows", () =>
      snapshot.columns(this.#statement("*", " WHERE 1 = 0")),
    );
    return found.map(({ name, type }, at) => ({
      name: names?.[at] ?? name,
      sql: names === undefined ? this.#database.quote(name) : `c${at}`,
      type,
    }));
  }

  #statement(cells: string, rest: string): string {
    return withBefore(this.#query, `SELECT ${cells} FROM (${this.#query.select}\n) source${rest}`);
  }

  #sql(
    requests: readonly CellRequest[],
    columns: ReadonlyMap<string, { readonly sql: string; readonly type: Type }>,
  ): string {
    const { orderBy, share } = this.#query;
    const cells = requests.map(({ name, kind }) => {
      const { sql, type } = columns.get(name)!;
      return this.#database.cell(sql, type, kind);
    });
    // Of the result's own columns: no cell of the query is called so.
    const named = cells.map((cell, i) => `${cell} AS cell_${i}`).join(", ");
    if (share !== undefined) {
      const rows = hashedRows(this.#database, this.#query, "q.*, ");
      const own = `(source.${hashName} & ${shareBits}) % ${share.of} = ${share.at}`;
      return withBefore(this.#query, `SELECT ${named}, ${addedHash} FROM ${rows} WHERE ${own}`);
    }
    const order =
      orderBy === null
        ? []
        : (orderBy?.map((name) => `source.${columns.get(name)?.sql ?? this.#database.quote(name)}`) ??
          cells.map((_, i) => String(i + 1)));
    return this.#statement(named, order.length === 0 ? "" : `\nORDER BY ${order.join(", ")}`);
  }

  #open(): Promise<DatabaseSnapshot<Type>> {
    return this.#guard("before rows", () => this.#database.open());
  }

  #guard<T>(phase: Phase, act: () => Promise<T>): Promise<T> {
    return guarded(this.#table, this.#database, phase, act);
  }
}

function converter(
  request: CellRequest,
  kind: ColumnKind,
  tables: MissingValues,
): (value: DatabaseCell) => number | readonly number[] {
  const cellOf = cellOfText(request, tables);
  if (kind !== "number") return cellOf;
  const { nan } = request.missing ?? tables;
  if (request.kind === "patient") return (value) => cellOf(value === "NaN" ? null : value);
  if (request.kind !== "number") return cellOf;
  return (value) => (value === "NaN" ? (nan ? numberCell.missing : numberCell.notFinite) : cellOf(value));
}

/** @param at - the place of the hash in a row */
function addRows(sum: RowSum, rows: readonly (readonly DatabaseCell[])[], at: number): void {
  sum.rows += rows.length;
  for (const row of rows) sum.hashes += Number(row[at]);
}

function decode(
  rows: readonly (readonly DatabaseCell[])[],
  convert: readonly ((value: DatabaseCell) => number | readonly number[])[],
  widths: readonly number[],
): Float64Array[] {
  const columns: Float64Array[] = [];
  convert.forEach((cellOf, k) => {
    const made = Array.from({ length: widths[k]! }, () => new Float64Array(rows.length));
    rows.forEach((row, r) => {
      const cell = cellOf(row[k]!);
      if (typeof cell === "number") made[0]![r] = cell;
      else for (let part = 0; part < cell.length; part++) made[part]![r] = cell[part]!;
    });
    columns.push(...made);
  });
  return columns;
}

import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { ConsiliumError } from "@consilium/core/errors";
import type { Name } from "@consilium/words/said";
import Database from "libsql";
import { type CellChunk, type CellRequest, cellOfText, MissingValues, numberCell } from "../../cells.js";
import { codeOf, fault } from "../../fault.js";
import { patientParts } from "../../patientHash.js";
import { placeOf, shown } from "../../place.js";
import type { ColumnKind, ReadOptions, SourceColumn, TableSource } from "../../source.js";
import type { TableConfig } from "../../tableConfig.js";
import { textOf } from "../../text/characters.js";
import { sqlName } from "../shared/sqlText.js";

/** At most so many tables are named. */
const namedMost = 10;

/** Rows per chunk: SQLite answers on this thread, which other work gets back in between. */
const chunkRows = 2048;

/** What our driver returns of a cell: text as bytes, of what is neither number nor text its kind. */
type SqliteValue = number | bigint | "blob" | Buffer | null;

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
  readonly hidden: number;
}

/** A table or view of a SQLite database, opened for reading alone. */
export class SqliteSource implements TableSource {
  readonly #config: TableConfig;
  readonly #missing: MissingValues;

  constructor(config: TableConfig) {
    this.#config = config;
    this.#missing = new MissingValues(config.nullValues);
  }

  async columns(file: string): Promise<readonly SourceColumn[]> {
    return this.#with(file, (database) => {
      const { columns } = this.#table(database, file);
      return columns.map(({ name, type }) => ({ name, kind: kindOf(type), nameIsSchema: true }));
    });
  }

  async *read(
    file: string,
    requests: readonly CellRequest[],
    { signal }: ReadOptions,
  ): AsyncGenerator<CellChunk> {
    signal?.throwIfAborted();
    const database = this.#open(file);
    try {
      const { name, order } = this.#guard(file, "before rows", () => this.#table(database, file));
      const sql = `SELECT ${requests.map(columnSql).join(", ")} FROM ${sqlName(name)}${order}`;
      const decode = this.#guard(file, "before rows", () => decoderOf(database));
      const convert = requests.map((request) => this.#converter(request, decode));
      // One statement, so one consistent view of the database; the driver steps it a hundred rows at a time.
      const rows = this.#guard(file, "before rows", () => database.prepare(sql).raw().iterate());
      const columns = requests.flatMap((request) =>
        Array.from(
          { length: request.kind === "patient" ? patientParts.length : 1 },
          () => new Float64Array(chunkRows),
        ),
      );
      for (;;) {
        let count = 0;
        this.#guard(file, "rows", () => {
          while (count < chunkRows) {
            const next = rows.next();
            if (next.done === true) break;
            const row = next.value as readonly SqliteValue[];
            for (let k = 0; k < convert.length; k++) {
              const cell = convert[k]!(row[k]!);
              if (typeof cell === "number") columns[k]![count] = cell;
              else for (let part = 0; part < cell.length; part++) columns[k + part]![count] = cell[part]!;
            }
            count++;
          }
        });
        if (count > 0) yield { rows: count, columns };
        if (count < chunkRows) return;
        await nextTurn();
        signal?.throwIfAborted();
      }
    } finally {
      database.close();
    }
  }

  #with<T>(file: string, use: (database: Database.Database) => T): T {
    const database = this.#open(file);
    try {
      return this.#guard(file, "before rows", () => use(database));
    } finally {
      database.close();
    }
  }

  /** The driver's errors can quote a schema's defaults and expressions: only their code is passed on. */
  #guard<T>(file: string, phase: "before rows" | "rows", act: () => T): T {
    try {
      return act();
    } catch (thrown) {
      if (thrown instanceof ConsiliumError) throw thrown;
      const code = codeOf(thrown);
      const known = code !== null && /^SQLITE_[A-Z_]{1,40}$/.test(code) ? code : null;
      const isAway = phase === "before rows" && code !== null && openFaults.test(code);
      const params = { place: placeOf(this.#config, file), code: known };
      throw fault(isAway ? "TABLE_AWAY" : "TABLE_UNREADABLE", "sqlite.unreadable", params);
    }
  }

  #open(file: string): Database.Database {
    return this.#guard(file, "before rows", () => {
      // The driver has no read-only option that it heeds; the URI's mode is SQLite's own.
      const database = new Database(`${pathToFileURL(file).href}?mode=ro`);
      database.exec("PRAGMA query_only = 1");
      return database;
    });
  }

  #table(database: Database.Database, file: string): { name: string; columns: ColumnInfo[]; order: string } {
    const name = this.#config.table ?? this.#onlyTable(database, file);
    const columns = (
      database.prepare("SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)").all(name) as ColumnInfo[]
    ).filter((column) => column.hidden !== 1);
    if (columns.length === 0) {
      const params = {
        place: placeOf(this.#config, file),
        table: shown(name),
        ...namesOf(tableNames(database)),
      };
      throw fault("TABLE_UNREADABLE", "sqlite.no-table", params, "sqlite.correct-table");
    }
    return { name, columns, order: this.#order(database, name, columns) };
  }

  #onlyTable(database: Database.Database, file: string): string {
    const all = tableNames(database);
    if (all.length === 1) return all[0]!;
    const place = placeOf(this.#config, file);
    if (all.length === 0) throw fault("TABLE_EMPTY", "sqlite.empty", { place });
    const params = { place, ...namesOf(all) };
    throw fault("CONFIG_INVALID", "sqlite.which", params, "sqlite.name-table");
  }

  /** By row id; a table without one by its primary key; a view in the order in which it answers. */
  #order(database: Database.Database, name: string, columns: readonly ColumnInfo[]): string {
    const list = database
      .prepare("SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ?")
      .get(name) as { type: string; wr: number } | undefined;
    if (list?.type !== "table") return "";
    if (list.wr === 1) {
      const keys = columns.filter((column) => column.pk > 0).sort((a, b) => a.pk - b.pk);
      return ` ORDER BY ${keys.map((key) => sqlName(key.name)).join(", ")}`;
    }
    const taken = new Set(columns.map((column) => column.name.toLowerCase()));
    const rowId = ["rowid", "_rowid_", "oid"].find((alias) => !taken.has(alias));
    return rowId === undefined ? "" : ` ORDER BY ${rowId}`;
  }

  /** Bytes become characters here: of text that is none the driver would end the process. */
  #converter(
    request: CellRequest,
    decode: (bytes: Buffer) => string,
  ): (value: SqliteValue) => number | readonly number[] {
    const cellOf = cellOfText(request, this.#missing);
    const isNumber = request.kind === "number";
    return (value) => {
      if (value === null) return cellOf(null);
      if (typeof value === "object") return cellOf(decode(value));
      if (!isNumber || value === "blob") return cellOf(String(value));
      const number = Number(value);
      return Number.isFinite(number) ? number : numberCell.notFinite;
    };
  }
}

/** Of the file and of others who write to it. */
const openFaults = /^SQLITE_(?:CANTOPEN|PERM|AUTH|BUSY|IOERR(?!_NOMEM))(?:_|$)/;

/** Who a patient is and levels are read as text by SQLite itself: whole numbers above 2^53 would be rounded on their way to us. */
function columnSql({ kind, name }: CellRequest): string {
  const column = sqlName(name);
  const asText = `CAST(CAST(${column} AS TEXT) AS BLOB)`;
  const plain = kind === "number" || kind === "order" || kind === "date";
  const whole = `abs(${column}) < 9e18 AND ${column} = CAST(${column} AS INTEGER)`;
  return `CASE typeof(${column}) WHEN 'text' THEN CAST(${column} AS BLOB)
    WHEN 'blob' THEN ${kind === "patient" ? `CAST(hex(${column}) AS BLOB)` : "'blob'"}
    WHEN 'integer' THEN ${plain ? column : asText}
    WHEN 'real' THEN ${
      kind === "patient"
        ? `CASE WHEN ${whole} THEN CAST(CAST(CAST(${column} AS INTEGER) AS TEXT) AS BLOB) ELSE ${asText} END`
        : column
    } END`;
}

/** How a database's text is written, whatever is in it. */
function decoderOf(database: Database.Database): (bytes: Buffer) => string {
  const { encoding } = database.prepare("PRAGMA encoding").get() as { encoding: string };
  if (encoding === "UTF-8") return (bytes) => textOf(bytes);
  const decoder = new TextDecoder(encoding.toLowerCase());
  return (bytes) => decoder.decode(bytes);
}

function tableNames(database: Database.Database): string[] {
  const rows = database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .all() as { name: string }[];
  return rows.map((row) => row.name);
}

function namesOf(all: readonly string[]): { readonly tables: readonly Name[]; readonly more: number } {
  return { tables: all.slice(0, namedMost).map(shown), more: Math.max(0, all.length - namedMost) };
}

/** What a declared type suggests: SQLite lets any cell hold anything. https://sqlite.org/datatype3.html §3.1 */
function kindOf(type: string): ColumnKind {
  const upper = type.toUpperCase();
  if (/INT|REAL|FLOA|DOUB|DEC|NUMERIC/.test(upper)) return "number";
  if (/CHAR|CLOB|TEXT/.test(upper)) return "text";
  return "any";
}

import Database from "libsql";
import { checkParameter } from "./parameters.js";

/** What a column can hold. Blobs come back as Uint8Array. */
export type SqlValue = null | string | number | Uint8Array;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * The few calls of an SQL engine that the store needs, so that another one can take its place. Parameters are
 * positional (`?`). A driver has one connection, and anyone who calls it waits for the answer.
 */
export interface SqlDriver {
  /** One or more statements without parameters. A COMMIT that returns has made the transaction durable. */
  exec(sql: string): void;
  /** A script of the migrations. */
  migrate(sql: string): void;
  prepare(sql: string): SqlStatement;
  /** The number of migrations that were applied; 0 in a new store. */
  format(): number;
  setFormat(format: number): void;
  close(): void;
}

export interface SqlStatement {
  /** @returns how many rows were changed */
  run(params: readonly SqlValue[]): number;
  get(params: readonly SqlValue[]): SqlRow | undefined;
  all(params: readonly SqlValue[]): SqlRow[];
}

/** libsql binds integers as REAL unless they are BigInt. */
function libsqlParameter(value: SqlValue): unknown {
  checkParameter(value);
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value);
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value;
}

/** libsql gives blobs as Buffer or ArrayBuffer by method, and adds a `_metadata` member to single rows. */
function cleanRow(row: Record<string, unknown>): SqlRow {
  const clean: Record<string, SqlValue> = {};
  for (const [name, value] of Object.entries(row)) {
    if (name === "_metadata") continue;
    if (value instanceof ArrayBuffer) clean[name] = new Uint8Array(value);
    else if (value instanceof Uint8Array) clean[name] = Uint8Array.from(value);
    else clean[name] = value as SqlValue;
  }
  return clean;
}

/** Opens a SQLite file with libsql. `:memory:` is for tests. */
export function openLibsql(path: string): SqlDriver {
  const database = new Database(path);
  return {
    exec: (sql) => {
      database.exec(sql);
    },
    migrate: (sql) => {
      database.exec(sql);
    },
    format: () => {
      const row = database.prepare("PRAGMA user_version").get() as { user_version: number };
      return row.user_version;
    },
    setFormat: (format) => {
      database.exec(`PRAGMA user_version = ${format}`);
    },
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        // One array argument: as separate arguments libsql takes a lone blob for a set of named parameters.
        run: (params) => statement.run(params.map(libsqlParameter)).changes,
        get(params) {
          const row = statement.get(params.map(libsqlParameter)) as Record<string, unknown> | undefined;
          return row && cleanRow(row);
        },
        all: (params) =>
          (statement.all(params.map(libsqlParameter)) as Record<string, unknown>[]).map(cleanRow),
      };
    },
    close: () => {
      database.close();
    },
  };
}

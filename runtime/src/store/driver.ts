import Database from "libsql";

/** What a column can hold. Blobs come back as Uint8Array. */
export type SqlValue = null | string | number | Uint8Array;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * The few calls of an embedded SQL engine that the store needs, so that another one can take its place.
 * Parameters are positional (`?`).
 */
export interface SqlDriver {
  /** One or more statements without parameters. */
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

export interface SqlStatement {
  /** @returns how many rows were changed */
  run(params: readonly SqlValue[]): number;
  get(params: readonly SqlValue[]): SqlRow | undefined;
  all(params: readonly SqlValue[]): SqlRow[];
}

/**
 * Makes a parameter safe for libsql, which aborts the whole process on a boolean, stores NaN as NULL, cuts text at
 * a NUL character, binds integers as REAL and reads integers over 2^53 wrong.
 */
function checkedParameter(value: SqlValue): unknown {
  if (value === null) return null;
  if (typeof value === "string") {
    if (value.includes("\0")) throw new RangeError("SQL text cannot hold a NUL character");
    return value;
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new RangeError("SQL numbers must be finite");
    if (!Number.isInteger(value)) return value;
    if (!Number.isSafeInteger(value))
      throw new RangeError("SQL integers must be below 2^53; store larger as text");
    return BigInt(value);
  }
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new RangeError("SQL parameters are null, text, numbers or bytes");
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
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        // One array argument: as separate arguments libsql takes a lone blob for a set of named parameters.
        run: (params) => statement.run(params.map(checkedParameter)).changes,
        get(params) {
          const row = statement.get(params.map(checkedParameter)) as Record<string, unknown> | undefined;
          return row && cleanRow(row);
        },
        all: (params) =>
          (statement.all(params.map(checkedParameter)) as Record<string, unknown>[]).map(cleanRow),
      };
    },
    close: () => {
      database.close();
    },
  };
}

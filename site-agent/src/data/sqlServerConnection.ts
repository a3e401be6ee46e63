import { readSmall } from "@consilium/runtime/postgres/connectOptions";
import type { config, IColumn, ISqlTypeFactory } from "mssql";
import type { DatabaseCell, DatabaseSnapshot } from "./querySource.js";

/**
 * The hospital's SQL Server. This file alone may import the driver (`scripts/boundaries/rules.ts`), and only where such a
 * table is configured. SQL Server knows no read-only transaction: the statements here are SELECTs, the transaction is rolled
 * back, and the login should be allowed to read alone.
 */

export interface SqlServerOptions {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly isEncrypted: boolean;
  /** PEM file with the authorities that may certify the server; null: those that Node.js trusts. */
  readonly caFile: string | null;
  readonly connectTimeoutMs?: number;
}

const defaultConnectTimeoutMs = 10_000;
/** A statement that runs longer than this has met a lock, or a query without end. */
const statementTimeoutMs = 30 * 60_000;

/** What the driver is told. Exported for tests: no setting here may weaken the checks of the server's certificate. */
export function connectOptions(options: SqlServerOptions): config {
  const { host, port, database, user, password, isEncrypted, caFile, connectTimeoutMs } = options;
  return {
    server: host,
    port,
    database,
    user,
    password,
    connectionTimeout: connectTimeoutMs ?? defaultConnectTimeoutMs,
    requestTimeout: statementTimeoutMs,
    pool: { min: 0, max: 1 },
    arrayRowMode: true,
    options: {
      encrypt: isEncrypted,
      trustServerCertificate: false,
      readOnlyIntent: true,
      appName: "consilium site",
      ...(caFile !== null && { cryptoCredentialsDetails: { ca: readSmall(caFile) } }),
    },
  };
}

/**
 * Opens a connection and one consistent snapshot for reading. A column's type is the driver's name of it, such as `Int`.
 * @throws what the driver throws; its messages may quote data and must not go further
 */
export async function openSqlServer(options: SqlServerOptions): Promise<DatabaseSnapshot<string>> {
  const { default: mssql } = await import("mssql");
  const pool = new mssql.ConnectionPool(connectOptions(options));
  // A connection that ends between two statements shows at the next one.
  pool.on("error", () => undefined);
  const transaction = new mssql.Transaction(pool);
  let isOpen = false;
  const close = async () => {
    if (isOpen) await transaction.rollback().catch(() => undefined);
    await pool.close().catch(() => undefined);
  };
  try {
    await pool.connect();
    await transaction.begin(mssql.ISOLATION_LEVEL.SNAPSHOT);
    isOpen = true;
  } catch (thrown) {
    await close();
    throw thrown;
  }
  const names = new Map<ISqlTypeFactory | undefined, string>(
    Object.entries(mssql.TYPES).map(([name, type]) => [type, name]),
  );
  return {
    close,
    async columns(sql) {
      const result: unknown = await new mssql.Request(transaction).query(sql);
      const [columns] = Reflect.get(result as object, "columns") as readonly (readonly IColumn[])[];
      return (columns ?? []).map(({ name, type }) => ({
        name,
        type: names.get(type as ISqlTypeFactory) ?? "",
      }));
    },
    async *rows(sql, atATime) {
      const request = new mssql.Request(transaction);
      const stream = request.toReadableStream({ highWaterMark: atATime });
      const done = request.query(sql);
      // The stream throws the same fault.
      done.catch(() => undefined);
      let chunk: DatabaseCell[][] = [];
      try {
        for await (const row of stream as AsyncIterable<readonly unknown[]>) {
          chunk.push(row.map(textOf));
          if (chunk.length < atATime) continue;
          yield chunk;
          chunk = [];
        }
      } finally {
        request.cancel();
      }
      if (chunk.length > 0) yield chunk;
    },
  };
}

/** Floats come as numbers, everything else as text; see `cell` of `sqlServerSource.ts`. */
function textOf(value: unknown): DatabaseCell {
  if (typeof value === "string" || value === null) return value;
  if (typeof value === "number") return String(value);
  throw new TypeError("SQL Server's driver returned neither text nor a number");
}

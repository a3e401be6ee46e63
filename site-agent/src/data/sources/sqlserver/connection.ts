import { readSmall } from "@consilium/runtime/postgres/connectOptions";
import type { config, IColumn, ISqlTypeFactory } from "mssql";
import type { DatabaseCell, DatabaseSnapshot } from "../shared/databaseSource.js";
import { driverMissing } from "../shared/driverMissing.js";

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
  const { default: mssql } = await import("mssql").catch((thrown: unknown) => {
    throw driverMissing("SQL Server", import.meta.url, thrown);
  });
  let wire: Wire | null = null;
  const pool = new mssql.ConnectionPool({
    ...connectOptions(options),
    beforeConnect: (connection) => {
      wire = connection as unknown as Wire;
      if (options.isEncrypted) signInOverTlsAlone(wire);
    },
  });
  // A connection that ends between two statements shows at the next one.
  pool.on("error", () => undefined);
  const transaction = new mssql.Transaction(pool);
  transaction.on("rollback", () => {
    isOpen = false;
  });
  let isOpen = false;
  let isCut = false;
  const close = async () => {
    if (isOpen) await transaction.rollback().catch(() => undefined);
    const closed = pool.close().catch(() => undefined);
    // The pool waits a while for a connection that was cut.
    if (!isCut) await closed;
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
      // The stream throws what the promise rejects with.
      request.query(sql).catch(() => undefined);
      let chunk: DatabaseCell[][] = [];
      let isWhole = false;
      try {
        for await (const row of stream as AsyncIterable<readonly unknown[]>) {
          chunk.push(row.map(textOf));
          if (chunk.length < atATime) continue;
          yield chunk;
          chunk = [];
        }
        isWhole = true;
      } finally {
        // The server would send the rest before it ends the transaction; without a connection it ends both.
        if (!isWhole) {
          isOpen = false;
          isCut = true;
          wire?.close();
        }
      }
      if (chunk.length > 0) yield chunk;
    },
  };
}

/** What of the driver's connection is used that its types do not show. */
interface Wire {
  close(): void;
  sendLogin7Packet?: () => void;
  readonly messageIo?: { readonly securePair?: object };
}

/**
 * The driver continues without TLS where the server says that it has none, whatever it was told: the password would cross the
 * network for anyone who answers in the server's place. Signing in is what has to wait for TLS.
 */
function signInOverTlsAlone(wire: Wire): void {
  const signIn = wire.sendLogin7Packet;
  if (signIn === undefined) throw new TypeError("SQL Server's driver is not the expected one");
  wire.sendLogin7Packet = () => {
    if (wire.messageIo?.securePair === undefined)
      throw Object.assign(new Error("no TLS"), { code: "EENCRYPT" });
    signIn.call(wire);
  };
}

/** Floats come as numbers, everything else as text; see `cell` of `source.ts`. */
function textOf(value: unknown): DatabaseCell {
  if (typeof value === "string" || value === null) return value;
  if (typeof value === "number") return String(value);
  throw new TypeError("SQL Server's driver returned neither text nor a number");
}

import { readSmall } from "@consilium/runtime/postgres/connectOptions";
import type { ConnectionAttributes, Metadata } from "oracledb";
import { fault } from "../../fault.js";
import type { DatabaseCell, DatabaseSnapshot } from "../shared/databaseSource.js";
import { driverMissing } from "../shared/driverMissing.js";

/**
 * The hospital's Oracle database, by the driver's thin mode: no library of Oracle's is loaded. This file alone may import
 * the driver (`scripts/boundaries/rules.ts`), only where such a table is configured, and it opens read-only transactions
 * alone.
 */

export interface OracleOptions {
  readonly host: string;
  readonly port: number;
  readonly service: string;
  readonly user: string;
  readonly password: string;
  readonly isEncrypted: boolean;
  /** `ewallet.pem` with certificate, key and authorities; null: the authorities that Node.js trusts. */
  readonly walletFile: string | null;
  readonly connectTimeoutMs?: number;
}

const defaultConnectTimeoutMs = 10_000;
/** A statement that runs longer than this has met a lock, or a query without end. */
const statementTimeoutMs = 30 * 60_000;

/** Nothing of an address may be a descriptor's syntax. */
const plainName = /^[A-Za-z0-9._$:-]{1,255}$/;

/** What the driver is told. Exported for tests. @throws RangeError for a host or service that is no name */
export function connectAttributes(options: OracleOptions): ConnectionAttributes {
  const { host, port, service, user, password, isEncrypted, walletFile } = options;
  for (const name of [host, service])
    if (!plainName.test(name)) throw new RangeError("not a host or service");
  const timeoutMs = options.connectTimeoutMs ?? defaultConnectTimeoutMs;
  const security = isEncrypted ? "(SECURITY=(SSL_SERVER_DN_MATCH=TRUE))" : "";
  const address = `(ADDRESS=(PROTOCOL=${isEncrypted ? "TCPS" : "TCP"})(HOST=${host})(PORT=${port}))`;
  return {
    user,
    password,
    connectString: `(DESCRIPTION=(CONNECT_TIMEOUT=${timeoutMs / 1000})(RETRY_COUNT=0)${address}(CONNECT_DATA=(SERVICE_NAME=${service}))${security})`,
    ...(walletFile !== null && { walletContent: readSmall(walletFile) }),
  };
}

/**
 * Opens a connection and one consistent snapshot for reading. A column's type is the database's name of it, such as
 * `NUMBER`.
 * @throws what the driver throws; its messages may quote data and must not go further
 */
export async function openOracle(options: OracleOptions): Promise<DatabaseSnapshot<string>> {
  if (process.env.NODE_ORACLEDB_DEBUG_PACKETS !== undefined) {
    const remedy = "database.start-without";
    throw fault("CONFIG_INVALID", "database.oracle-prints", {}, remedy);
  }
  const { default: oracledb } = await import("oracledb").catch((thrown: unknown) => {
    throw driverMissing("Oracle", import.meta.url, thrown);
  });
  const connection = await oracledb.getConnection(connectAttributes(options));
  const close = () => connection.close().catch(() => undefined);
  // A number as the digits that the database has: as a JavaScript number it might be rounded.
  const asText = new Set<unknown>([oracledb.DB_TYPE_NUMBER, oracledb.DB_TYPE_CLOB, oracledb.DB_TYPE_NCLOB]);
  const fetchTypeHandler = ({ dbType }: Metadata<unknown>) =>
    asText.has(dbType) ? { type: oracledb.STRING } : undefined;
  const outFormat = oracledb.OUT_FORMAT_ARRAY;
  try {
    connection.callTimeout = statementTimeoutMs;
    await connection.execute("ALTER SESSION SET TIME_ZONE = 'UTC'");
    await connection.execute("SET TRANSACTION READ ONLY");
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return {
    close,
    async columns(sql) {
      const { metaData } = await connection.execute(sql, [], { outFormat, fetchTypeHandler });
      return (metaData ?? []).map(({ name, dbTypeName }) => ({ name, type: dbTypeName ?? "" }));
    },
    async *rows(sql, atATime) {
      const options = { outFormat, fetchTypeHandler, resultSet: true, fetchArraySize: atATime } as const;
      const { resultSet } = await connection.execute<readonly unknown[]>(sql, [], options);
      try {
        for (;;) {
          const rows = await resultSet!.getRows(atATime);
          if (rows.length === 0) return;
          yield rows.map((row) => row.map(oracleText));
        }
      } finally {
        await resultSet!.close().catch(() => undefined);
      }
    },
  };
}

/** Exported for tests: numbers as other databases write them, with a zero before the point. */
export function oracleText(value: unknown): DatabaseCell {
  if (value === null) return null;
  if (typeof value === "string") return value.replace(/^(-?)\.(?=\d+$)/, "$10.");
  if (typeof value === "number") return String(value);
  throw new TypeError("Oracle's driver returned neither text nor a number");
}

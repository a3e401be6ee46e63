import { createSecureContext } from "node:tls";
import { readSmall } from "@consilium/runtime/postgres/connectOptions";
import type { ConnectionConfig, FieldInfo } from "mariadb";
import type { DatabaseCell, DatabaseSnapshot } from "../shared/databaseSource.js";

/**
 * The hospital's MariaDB or MySQL server. This file alone may import the driver (`scripts/boundaries/rules.ts`), only where such
 * a table is configured, and it opens read-only transactions alone.
 */

export interface MariaDbOptions {
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
/** A statement without a row for longer than this has met a lock, or is a query without end. */
const statementTimeoutMs = 30 * 60_000;

/** Ways to sign in that do not show the password to the server. */
const signIn = "mysql_native_password,client_ed25519,parsec,caching_sha2_password,sha256_password";

/** With what the driver's types do not have. */
interface Told extends ConnectionConfig {
  readonly restrictedAuth: string;
  readonly ssl?: Exclude<ConnectionConfig["ssl"], boolean> & {
    readonly host: string;
    readonly servername?: string;
  };
}

/** What the driver is told. Exported for tests: no setting here may weaken the checks of the server's certificate. */
export function connectOptions(options: MariaDbOptions): Told {
  const { host, port, database, user, password, isEncrypted, caFile, connectTimeoutMs } = options;
  const config: Told = {
    host,
    port,
    database,
    user,
    password,
    connectTimeout: connectTimeoutMs ?? defaultConnectTimeoutMs,
    restrictedAuth: signIn,
    rowsAsArray: true,
    checkDuplicate: false,
    typeCast: (column) => cellText(column.string(), column.type),
    // Of a server that pauses while rows are computed with.
    sessionVariables: {
      net_write_timeout: statementTimeoutMs / 1000,
      lock_wait_timeout: statementTimeoutMs / 1000,
    },
  };
  if (!isEncrypted) return config;
  const secureContext = createSecureContext(caFile === null ? {} : { ca: readSmall(caFile) });
  // Of a server without stated authorities the driver would send the sign-in before it has checked the certificate. With a
  // context made already `ca` is read by the driver alone; the certificate has to be for `host`.
  const ssl = { rejectUnauthorized: true, secureContext, ca: "as in the context", host };
  return { ...config, ssl: /[a-z]/i.test(host) && !host.includes(":") ? { ...ssl, servername: host } : ssl };
}

/**
 * Opens a connection and one consistent snapshot for reading. A column's type is the driver's name of it, such as `LONG`; of texts
 * and bytes `TEXT` and `BINARY`, of a single bit `BIT`, of several `BITS`.
 * @throws what the driver throws; its messages may quote data and must not go further
 */
export async function openMariaDb(options: MariaDbOptions): Promise<DatabaseSnapshot<string>> {
  const { createConnection } = await import("mariadb");
  const connection = await createConnection(connectOptions(options));
  // A connection that ends between two statements shows at the next one.
  connection.on("error", () => undefined);
  let isCut = false;
  const cut = () => {
    isCut = true;
    connection.destroy();
  };
  const close = async () => {
    if (!isCut) await connection.end().catch(() => undefined);
  };
  try {
    // Differences of unsigned numbers have a value, whichever is greater.
    await connection.query(
      "SET SESSION time_zone = '+00:00', sql_mode = CONCAT(@@sql_mode, ',NO_UNSIGNED_SUBTRACTION')",
    );
    await connection.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    await connection.query("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return {
    close,
    async columns(sql) {
      const { meta } = (await connection.query({ sql, metaAsArray: false })) as {
        meta: readonly FieldInfo[];
      };
      return meta.map((column) => ({ name: column.name(), type: typeOf(column) }));
    },
    async *rows(sql, atATime) {
      const rows = connection.queryStream(sql)[Symbol.asyncIterator]() as AsyncIterator<DatabaseCell[]>;
      let chunk: DatabaseCell[][] = [];
      let isWhole = false;
      try {
        for (;;) {
          const { value, done } = await inTime(rows.next());
          if (done === true) break;
          chunk.push(value);
          if (chunk.length < atATime) continue;
          yield chunk;
          chunk = [];
        }
        isWhole = true;
      } finally {
        // The server would send the rest; without a connection it ends the statement.
        if (!isWhole) cut();
      }
      if (chunk.length > 0) yield chunk;
    },
  };
}

/**
 * A cell as other databases have it. Exported for tests.
 * @returns null for the day `0000-00-00` too, which is how this database writes that there is none
 */
export function cellText(text: string | null, type: string): DatabaseCell {
  if (text === null || !/^(?:NEW)?DATE|^TIMESTAMP/.test(type)) return text;
  return text.startsWith("0000-00-00") ? null : text.replace(/[.]0+$|(?<=[.][0-9]*[1-9])0+$/, "");
}

async function inTime<T>(next: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fault = Object.assign(new Error("no row in time"), { code: "ER_STATEMENT_TIMEOUT" });
    timer = setTimeout(() => reject(fault), statementTimeoutMs);
  });
  return Promise.race([next, late]).finally(() => clearTimeout(timer));
}

/** The number of the collation of bytes. */
const binaryCollation = 63;

function typeOf({ type, collation, columnLength }: FieldInfo): string {
  if (type === "BIT") return columnLength === 1 ? "BIT" : "BITS";
  if (!/BLOB|STRING|VARCHAR|ENUM|SET/.test(type)) return type;
  return collation.index === binaryCollation ? "BINARY" : "TEXT";
}

import type { ColumnKind } from "../../source.js";
import { addressOf, passwordOf } from "../shared/databaseConfig.js";
import type { QueryDatabase } from "../shared/databaseSource.js";
import type { DatabasePlace } from "../sourceKind.js";
import { openMariaDb } from "./connection.js";
import { mariadb } from "./kind.js";

const kindNames: Readonly<Record<Exclude<ColumnKind, "any" | "nested">, string>> = {
  // BOOLEAN is TINYINT(1), and holds any number of that size.
  number: "TINY SHORT INT24 INT LONG BIGINT LONGLONG FLOAT DOUBLE OLDDECIMAL DECIMAL NEWDECIMAL YEAR BITS",
  text: "TEXT",
  boolean: "BIT",
  date: "DATE NEWDATE",
  time: "TIME",
  timestamp: "DATETIME TIMESTAMP",
  binary: "BINARY",
};

const kinds = new Map<string, ColumnKind>(
  Object.entries(kindNames).flatMap(([kind, names]) =>
    names.split(" ").map((name) => [name, kind as ColumnKind] as const),
  ),
);

/** A hospital's MariaDB or MySQL: each reading is one read-only transaction with a consistent snapshot. */
export function mariaDbDatabase(place: DatabasePlace): QueryDatabase<string> {
  return {
    open: async () => {
      const { host, port, database, user, tls, caFile } = addressOf(place, mariadb);
      const password = passwordOf(place);
      return openMariaDb({ host, port, database, user, password, isEncrypted: tls !== "disable", caFile });
    },
    kindOf: (type) => kinds.get(type) ?? "nested",
    quote: (name) => `\`${name.replaceAll("`", "``")}\``,
    cell: (column, type) => mariaDbCell(column, type),
    meanings,
    codeOf(thrown) {
      const code: unknown = thrown instanceof Error ? Reflect.get(thrown, "code") : undefined;
      return typeof code === "string" && /^[0-9A-Z_]{1,60}$/.test(code) ? code : null;
    },
    isLost: (code) => lost.has(code),
    remedy:
      "try the table's query with the program mariadb or mysql, as the same user and from the same machine",
  };
}

/** A cell as text without loss. No expression here fails at a value. */
export function mariaDbCell(column: string, type: string): string {
  switch (type) {
    case "FLOAT":
      // As text a float32 number would have six digits.
      return `(${column} + 0e0)`;
    case "BIT":
      return `CASE ${column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`;
    case "BITS":
      return `(${column} + 0)`;
    case "BINARY":
      return `HEX(${column})`;
    default:
      return column;
  }
}

/** Codes of connections that ended. */
const lost: ReadonlySet<string | null> = new Set([
  "ER_SOCKET_UNEXPECTED_CLOSE",
  "ER_CMD_CONNECTION_CLOSED",
  "ER_CONNECTION_KILLED",
  "ER_SERVER_SHUTDOWN",
  "ER_NET_ERROR_ON_WRITE",
]);

/** Codes of the server and of the driver that a hospital is likely to meet. */
const meanings: ReadonlyMap<string, string> = new Map([
  ["ER_ACCESS_DENIED_ERROR", "the database refuses user or password"],
  ["ER_ACCESS_DENIED_NO_PASSWORD_ERROR", "the database refuses user or password"],
  ["ER_NOT_SUPPORTED_AUTH_PLUGIN", "the user signs in by a way that is not supported"],
  ["ER_CANNOT_RETRIEVE_RSA_KEY", "the server takes this user's password over TLS alone"],
  ["ER_BAD_DB_ERROR", "there is no such database"],
  ["ER_DBACCESS_DENIED_ERROR", "there is no such database, or the user may not open it"],
  ["ER_NO_SUCH_TABLE", "the query names a table that is not there"],
  ["ER_BAD_FIELD_ERROR", "the query, or orderBy, names a column that is not there"],
  ["ER_DUP_FIELDNAME", "two columns of the query have one name"],
  ["ER_PARSE_ERROR", "the query is not understood"],
  ["ER_TABLEACCESS_DENIED_ERROR", "the user may not read what the query names"],
  ["ER_COLUMNACCESS_DENIED_ERROR", "the user may not read what the query names"],
  ["ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION", "the query would write"],
  ["ER_CON_COUNT_ERROR", "the database gives no more connections"],
  ["ER_SERVER_SSL_DISABLED", "the server offers no encryption"],
  ["ER_CONNECTION_TIMEOUT", "no answer in time"],
  ["ER_STATEMENT_TIMEOUT", "the query took too long"],
  ["ER_LOCK_WAIT_TIMEOUT", "the query waited too long for a lock"],
  ["ER_QUERY_INTERRUPTED", "the query was ended at the server"],
]);

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
    codeOf(thrown) {
      const code: unknown = thrown instanceof Error ? Reflect.get(thrown, "code") : undefined;
      return typeof code === "string" && /^[0-9A-Z_]{1,60}$/.test(code) ? code : null;
    },
    isLost: (code) => lost.has(code),
    remedy: { code: "database.try-with-mariadb", params: {} },
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

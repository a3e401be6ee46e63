import type { ColumnKind } from "../../source.js";
import { addressOf, passwordOf } from "../shared/databaseConfig.js";
import type { QueryDatabase } from "../shared/databaseSource.js";
import { sqlName } from "../shared/sqlText.js";
import type { DatabasePlace } from "../sourceKind.js";
import { openOracle } from "./connection.js";
import { oracle } from "./kind.js";

/** A hospital's Oracle database: each reading is one transaction that is READ ONLY, and so of one state. */
export function oracleDatabase(place: DatabasePlace): QueryDatabase<string> {
  return {
    open: async () => {
      const { host, port, database, user, tls, caFile } = addressOf(place, oracle);
      return openOracle({
        host,
        port,
        service: database,
        user,
        password: passwordOf(place),
        isEncrypted: tls !== "disable",
        walletFile: caFile,
      });
    },
    kindOf: oracleKind,
    quote: sqlName,
    cell: (column, type) => oracleCell(column, type),
    meanings,
    codeOf(thrown) {
      const code: unknown = thrown instanceof Error ? Reflect.get(thrown, "code") : undefined;
      return typeof code === "string" && /^[0-9A-Z_-]{1,60}$/.test(code) ? code : null;
    },
    remedy: "try the table's query with SQL*Plus, as the same user and from the same machine",
  };
}

/** Of a type by its name in the database; TIMESTAMP has three. */
export function oracleKind(type: string): ColumnKind {
  if (/^(?:NUMBER|BINARY_FLOAT|BINARY_DOUBLE|BINARY_INTEGER)$/.test(type)) return "number";
  if (/^(?:CHAR|NCHAR|VARCHAR2?|NVARCHAR2|LONG|CLOB|NCLOB|ROWID|UROWID)$/.test(type)) return "text";
  // Oracle's DATE has a time of day.
  if (type === "DATE" || type.startsWith("TIMESTAMP")) return "timestamp";
  if (type === "BOOLEAN") return "boolean";
  return /^(?:RAW|LONG RAW|BLOB)$/.test(type) ? "binary" : "nested";
}

/** A cell as text, or a number that `connection.ts` fetches without rounding. */
export function oracleCell(column: string, type: string): string {
  if (type === "DATE") return `TO_CHAR(${column}, 'YYYY-MM-DD HH24:MI:SS')`;
  if (type === "TIMESTAMP") return timestamp(column);
  if (type.startsWith("TIMESTAMP")) return timestamp(`SYS_EXTRACT_UTC(${column})`);
  if (type === "BOOLEAN") return `CASE WHEN ${column} THEN 'true' WHEN NOT ${column} THEN 'false' END`;
  if (type === "RAW") return `RAWTOHEX(${column})`;
  return column;
}

const timestamp = (value: string) => `RTRIM(RTRIM(TO_CHAR(${value}, 'YYYY-MM-DD HH24:MI:SS.FF9'), '0'), '.')`;

/** Codes of the database and of the driver that a hospital is likely to meet. */
const meanings: ReadonlyMap<string, string> = new Map([
  ["ORA-01017", "the database refuses user or password"],
  ["ORA-28000", "the database has locked the user"],
  ["ORA-28001", "the user's password has expired"],
  ["ORA-12514", "the server has no such service"],
  ["NJS-518", "the server has no such service"],
  ["ORA-00942", "the query names a table that is not there, or that the user may not read"],
  ["ORA-00904", "the query, or orderBy, names a column that is not there"],
  ["ORA-00900", "the query is not understood"],
  ["ORA-00907", "the query is not understood"],
  ["ORA-00923", "the query is not understood"],
  ["ORA-00933", "the query is not understood"],
  ["ORA-00936", "the query is not understood"],
  ["ORA-01031", "the user may not read what the query names"],
  ["ORA-01456", "the query would write"],
  ["ORA-01555", "the database kept too little undo for a reading of this length"],
  ["NJS-503", "no database answers at the address"],
  ["NJS-505", "the wallet is not understood"],
  ["NJS-506", "TLS failed: the certificate is not of an authority that is trusted here, or there is no TLS"],
  ["NJS-508", "the database's certificate is for another host name"],
  ["NJS-510", "no answer in time"],
  ["NJS-123", "the query took too long"],
]);

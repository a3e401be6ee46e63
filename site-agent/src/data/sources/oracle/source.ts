import type { ColumnKind } from "../../source.js";
import { addressOf, passwordOf } from "../shared/databaseConfig.js";
import { type QueryDatabase, tryWith } from "../shared/databaseSource.js";
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
    codeOf(thrown) {
      const code: unknown = thrown instanceof Error ? Reflect.get(thrown, "code") : undefined;
      return typeof code === "string" && /^[0-9A-Z_-]{1,60}$/.test(code) ? code : null;
    },
    remedy: tryWith("SQL*Plus"),
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

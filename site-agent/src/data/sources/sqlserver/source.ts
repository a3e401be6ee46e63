import type { DatabaseAddress } from "@consilium/runtime/postgres/address";
import type { ColumnKind } from "../../source.js";
import { addressOf, passwordOf } from "../shared/databaseConfig.js";
import { type QueryDatabase, tryWith } from "../shared/databaseSource.js";
import type { DatabasePlace } from "../sourceKind.js";
import { openSqlServer } from "./connection.js";
import { sqlserver } from "./kind.js";

const kindNames: Readonly<Record<Exclude<ColumnKind, "any" | "nested">, string>> = {
  number: "TinyInt SmallInt Int BigInt Decimal Numeric Money SmallMoney Float Real",
  text: "Char NChar VarChar NVarChar Text NText UniqueIdentifier",
  boolean: "Bit",
  date: "Date",
  time: "Time",
  timestamp: "DateTime DateTime2 SmallDateTime DateTimeOffset",
  binary: "Binary VarBinary Image",
};

const kinds = new Map<string, ColumnKind>(
  Object.entries(kindNames).flatMap(([kind, names]) =>
    names.split(" ").map((name) => [name, kind as ColumnKind] as const),
  ),
);

/**
 * A hospital's SQL Server: each reading is one transaction at SNAPSHOT, which the database has to allow (ALTER DATABASE …
 * SET ALLOW_SNAPSHOT_ISOLATION ON).
 */
export function sqlServerDatabase(place: DatabasePlace): QueryDatabase<string> {
  return {
    open: async () =>
      openSqlServer({ ...optionsOf(addressOf(place, sqlserver)), password: passwordOf(place) }),
    kindOf: (type) => kinds.get(type) ?? "nested",
    quote: (name) => `[${name.replaceAll("]", "]]")}]`,
    cell: (column, type) => sqlServerCell(column, type),
    codeOf: sqlServerCode,
    remedy: tryWith("sqlcmd"),
  };
}

function optionsOf({ host, port, database, user, tls, caFile }: DatabaseAddress) {
  return { host, port, database, user, isEncrypted: tls !== "disable", caFile };
}

/**
 * A cell as text without loss; the driver would round decimals and whole numbers of more than 53 bits. Floats stay as they
 * are: a float32 becomes the float64 of the same value.
 */
export function sqlServerCell(column: string, type: string): string {
  switch (type) {
    case "Float":
    case "Real":
      return `CAST(${column} AS float)`;
    case "Money":
    case "SmallMoney":
      // Style 2 keeps all four decimals; the default keeps two.
      return `CONVERT(varchar(64), ${column}, 2)`;
    case "TinyInt":
    case "SmallInt":
    case "Int":
    case "BigInt":
    case "Decimal":
    case "Numeric":
      return `CONVERT(varchar(64), ${column})`;
    case "Bit":
      return `CASE ${column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`;
    case "UniqueIdentifier":
      return `LOWER(CONVERT(varchar(64), ${column}))`;
    case "Date":
      return `CONVERT(varchar(64), ${column}, 23)`;
    case "Time":
      return `CONVERT(varchar(64), ${column}, 114)`;
    case "DateTime":
    case "DateTime2":
    case "SmallDateTime":
      return `REPLACE(CONVERT(varchar(64), ${column}, 126), 'T', ' ')`;
    case "DateTimeOffset":
      return `REPLACE(CONVERT(varchar(64), CAST(SWITCHOFFSET(${column}, 0) AS datetime2), 126), 'T', ' ')`;
    case "Binary":
    case "VarBinary":
    case "Image":
      return `CONVERT(varchar(max), CAST(${column} AS varbinary(max)), 2)`;
    default:
      return `CAST(${column} AS nvarchar(max))`;
  }
}

/** The server's number of an error, or the driver's or the system's code. */
export function sqlServerCode(thrown: unknown): string | null {
  let code: string | null = null;
  let at: unknown = thrown;
  // What the driver throws wraps what happened, several times.
  for (let depth = 0; depth < 6 && at instanceof Error; depth++) {
    const number: unknown = Reflect.get(at, "number");
    if (typeof number === "number" && Number.isInteger(number) && number > 0) return String(number);
    const own: unknown = Reflect.get(at, "code");
    if (typeof own === "string" && /^[0-9A-Z_]{1,60}$/.test(own)) code = own;
    const [first]: readonly unknown[] = at instanceof AggregateError ? at.errors : [];
    at = Reflect.get(at, "originalError") ?? at.cause ?? first;
  }
  return code;
}
